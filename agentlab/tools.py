"""Tools: a function's signature and docstring become what the model reads.

One source, so that the definition cannot drift from the code: annotations give the types, a
missing default makes a parameter required, the docstring gives the descriptions.
"""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, overload

from docstring_parser import Docstring, parse
from pydantic import TypeAdapter, ValidationError, validate_call
from pydantic.errors import PydanticUserError

from agentlab.annotations import describable, type_hints
from agentlab.errors import DefinitionError

if TYPE_CHECKING:
    from anthropic.lib.tools import ToolError as ToolError

NAME_PATTERN = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""Some endpoints accept 128 characters, none refuses 64."""


def __getattr__(name: str) -> Any:
    if name == "ToolError":  # the SDK's own class, and the SDK is loaded only when it is asked for
        from anthropic.lib.tools import ToolError

        return ToolError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Context(dict[str, Any]):
    """Variables of a run that tools and instructions share and the model never sees.

    A tool parameter annotated `Context` gets the run's context; it is not part of the schema.
    """


class InvalidArguments(Exception):
    """Arguments that do not fit a tool's schema; the text names each one and what was expected."""


@dataclass(frozen=True)
class Tool:
    """A function that a model may ask for, with the definition that the model reads."""

    name: str
    description: str
    input_schema: dict[str, Any]
    function: Callable[..., Any]
    final: bool = False
    """Whether a successful call ends the run."""
    destructive: bool = False
    """Whether each call needs a person's yes."""
    signature: inspect.Signature = field(default=inspect.Signature(), repr=False, compare=False)
    adapter: TypeAdapter[dict[str, Any]] | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        marks = (", final=True" * self.final) + (", destructive=True" * self.destructive)
        return f"Tool({self.name}({', '.join(self.input_schema['properties'])}){marks})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function as if it had never been made a tool."""
        return self.function(*args, **kwargs)

    def to_param(self) -> dict[str, Any]:
        """The definition as a request carries it in `tools`."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
        }

    def parse(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Check `arguments` against the schema and give them the types of the signature.

        The check is strict: "5" is not an integer, while 5.0 is one, as JSON Schema has it.
        Guessing what a model meant gives a different answer from the one asked for; an error lets
        it repair the call.

        Raises:
            InvalidArguments: naming every argument that does not fit.
        """
        assert self.adapter is not None
        try:
            parsed = self.adapter.validate_json(json.dumps(_whole(arguments)), strict=True)
        except ValidationError as error:
            raise InvalidArguments(self._explain(error)) from error
        return {name: value for name, value in parsed.items() if name in arguments}

    def invoke(self, parsed: Mapping[str, Any], context: Context) -> Any:
        """Call the function with parsed arguments and, where it asks for one, the context."""
        arguments = dict(parsed)
        for name, parameter in self.signature.parameters.items():
            if parameter.annotation is Context:
                arguments[name] = context
        positional = [
            arguments.pop(name)
            for name, parameter in self.signature.parameters.items()
            if parameter.kind is parameter.POSITIONAL_ONLY and name in arguments
        ]
        return self.function(*positional, **arguments)

    def _explain(self, error: ValidationError) -> str:
        properties = self.input_schema["properties"]
        lines = []
        for detail in error.errors(include_url=False):
            name = str(detail["loc"][0]) if detail["loc"] else "input"
            path = ".".join(str(part) for part in detail["loc"]) or "input"
            if detail["type"].startswith("missing") and len(detail["loc"]) == 1:
                lines.append(f"{path}: missing; expected {_expectation(properties.get(name, {}))}")
            elif name not in properties:
                lines.append(f"{path}: there is no such argument")
            else:
                found = json.dumps(detail["input"], default=repr)[:80]
                lines.append(f"{path}: {detail['msg']}; found {found}")
        allowed = ", ".join(properties) or "none"
        return f"Invalid arguments for `{self.name}`. {'. '.join(lines)}. Arguments: {allowed}."


def _whole(value: Any) -> Any:
    """The value with whole numbers written as such: for JSON, 5.0 and 5 are the same number."""
    if isinstance(value, Mapping):
        return {name: _whole(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _expectation(schema: Mapping[str, Any]) -> str:
    options = [str(option.get("type")) for option in schema.get("anyOf", ())]
    wanted = schema.get("type") or schema.get("enum") or " or ".join(options) or "a value"
    description = schema.get("description")
    return f"{wanted} ({description})" if description else str(wanted)


@overload
def tool(function: Callable[..., Any] | Tool, /) -> Tool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    final: bool = False,
    destructive: bool = False,
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(
    function: Callable[..., Any] | Tool | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    final: bool = False,
    destructive: bool = False,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a `Tool` of a function; as `@tool`, or with marks as `@tool(destructive=True)`.

    Args:
        function: a function, a bound method or a callable object, with annotated parameters and
            a docstring (Google, NumPy or reST style).
        name: the name the model sees, instead of the function's own.
        description: what the model reads, instead of the docstring.
        final: a successful call ends the run.
        destructive: each call needs a person's yes.

    Raises:
        DefinitionError: naming the function and the parameter that cannot be described.
    """
    if function is None:
        return lambda function: _define(function, name, description, final, destructive)
    if isinstance(function, Tool):
        return function
    return _define(function, name, description, final, destructive)


def _define(
    function: Callable[..., Any],
    name: str | None,
    description: str | None,
    final: bool,
    destructive: bool,
) -> Tool:
    name = name or _name_of(function)
    if not NAME_PATTERN.fullmatch(name):
        raise DefinitionError(_bad_name(name))
    documentation = _documentation(function)
    description = description or _summary(documentation)
    signature = _signature(function, name)
    if not description:
        raise DefinitionError(
            f"Tool {name!r} has no description: it has no docstring, and the model would have to "
            "guess what it does. Say in a docstring what it does, when to call it and what not."
        )
    adapter = _adapter(signature, name)
    schema = adapter.json_schema()
    schema.setdefault("properties", {})
    for parameter in documentation.params:
        described = schema["properties"].get(parameter.arg_name)
        if described is not None and parameter.description:
            described.setdefault("description", parameter.description)
    return Tool(name, description, schema, function, final, destructive, signature, adapter)


def _name_of(function: Callable[..., Any]) -> str:
    if isinstance(function, partial):
        return _name_of(function.func)
    return str(getattr(function, "__name__", type(function).__name__))


def _bad_name(name: str) -> str:
    strange = sorted(set(re.sub(r"[a-zA-Z0-9_-]", "", name)))
    found = f"the characters {strange}" if strange else f"{len(name)} characters"
    return (
        f"Tool name {name!r} would be refused: a name must match ^{NAME_PATTERN.pattern}$, and "
        f"this one has {found}. Rename the function, or give @tool(name=...)."
    )


def _documentation(function: Callable[..., Any]) -> Docstring:
    """The docstring, read in Google, NumPy or reST style, forgiving about blank lines."""
    described: Any = function.func if isinstance(function, partial) else function
    if not inspect.isroutine(described) and not inspect.isclass(described):
        described = described.__call__  # an object's own docstring describes the object
    text = inspect.getdoc(described) or ""
    text = re.sub(r"(?m)^(Args|Arguments|Parameters):[ \t]*\n(?:[ \t]*\n)+", r"\1:\n", text)
    text = re.sub(r"(?<!\n)\n((?:Args|Arguments|Returns|Raises):[ \t]*\n)", r"\n\n\1", text)
    return parse(text)


def _summary(documentation: Docstring) -> str:
    parts = (documentation.short_description, documentation.long_description)
    return "\n\n".join(part.strip() for part in parts if part)


def _signature(function: Callable[..., Any], name: str) -> inspect.Signature:
    """The signature with resolved annotations.

    Raises:
        DefinitionError: where a parameter could not become part of a JSON object.
    """
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    hints = type_hints(function, name)
    stars = [p for p in parameters if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if stars:
        names = " and ".join(str(p).split(":")[0] for p in stars)
        wrapped = len(stars) == len(parameters) == 2
        hint = " If it wraps another function, decorate it with functools.wraps." if wrapped else ""
        raise DefinitionError(
            f"Tool {name!r} takes {names}, which no schema can describe. "
            f"Name each parameter in the signature.{hint}"
        )
    bare = [p.name for p in parameters if p.name not in hints]
    if bare:
        documented = bool(_documentation(function).short_description)
        missing = "" if documented else " The description is missing too: write a docstring."
        raise DefinitionError(
            f"Tool {name!r}: no type is given for {', '.join(map(repr, bare))}. "
            f"Annotate it, as in `{bare[0]}: str`, so that the model knows what to send.{missing}"
        )
    return signature.replace(
        parameters=[p.replace(annotation=describable(hints[p.name])) for p in parameters],
        return_annotation=inspect.Signature.empty,
    )


def _adapter(signature: inspect.Signature, name: str) -> TypeAdapter[dict[str, Any]]:
    """A validator for the arguments; it never calls the tool, so no fault of the tool's shows."""
    seen = [p for p in signature.parameters.values() if p.annotation is not Context]
    for parameter in seen:
        _require_describable(parameter, name)

    def arguments(**given: Any) -> dict[str, Any]:
        return given

    keywords = [p.replace(kind=p.KEYWORD_ONLY) for p in seen]
    arguments.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    arguments.__annotations__ = {p.name: p.annotation for p in seen}
    validated: Any = validate_call(arguments)
    return TypeAdapter(validated)


def _require_describable(parameter: inspect.Parameter, name: str) -> None:
    try:
        adapter = TypeAdapter(parameter.annotation)
        adapter.json_schema()
        if parameter.default is not parameter.empty:
            adapter.dump_json(parameter.default)
    except (PydanticUserError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise DefinitionError(
            f"Tool {name!r}: parameter {parameter.name!r} cannot be described to a model: "
            f"{reason} Use str, int, float, bool, Literal, an Enum, list, dict, TypedDict or a "
            "pydantic model."
        ) from error
