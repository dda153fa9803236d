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

from pydantic import TypeAdapter, ValidationError

from agentlab.errors import DefinitionError
from agentlab.language import gettext, ngettext
from agentlab.signatures import (
    Context as Context,
)
from agentlab.signatures import (
    adapter_for,
    described_signature,
    documentation_of,
    summary_of,
    supplied,
)

if TYPE_CHECKING:
    from anthropic.lib.tools import ToolError as ToolError

NAME_PATTERN = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""Some endpoints accept 128 characters, none refuses 64."""


def __getattr__(name: str) -> Any:
    if name == "ToolError":  # the SDK's own class, and the SDK is loaded only when it is asked for
        from anthropic.lib.tools import ToolError

        return ToolError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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

    def invoke(self, parsed: Mapping[str, Any], context: Context, call_id: str = "") -> Any:
        """Call the function with parsed arguments, and the context and call id it asks for."""
        arguments = {**parsed, **supplied(self.signature, context, call_id)}
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
    documentation = documentation_of(function)
    description = description or summary_of(documentation)
    signature = described_signature(function, name)
    if not description:
        raise DefinitionError(
            "Tool {name!r} has no description: it has no docstring, and the model would "
            "have to guess what it does. Say in a docstring what it does, when to call it "
            "and what not.",
            name=name,
        )
    adapter = adapter_for(signature, name)
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
    if strange:
        found = gettext("the characters {strange}", strange=strange)
    else:
        found = ngettext("{count} character", "{count} characters", len(name))
    return gettext(
        "Tool name {name!r} would be refused: a name must match ^{pattern}$, and this one "
        "has {found}. Rename the function, or give @tool(name=...).",
        name=name,
        pattern=NAME_PATTERN.pattern,
        found=found,
    )
