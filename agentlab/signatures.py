"""Reading a function: its signature and docstring, the way people write them, for `tools`."""

import inspect
import re
import sys
import types
import typing
from collections.abc import Callable
from functools import cache, partial
from typing import Annotated, Any, get_args, get_origin

import typing_extensions
from docstring_parser import Docstring, parse
from pydantic import Field, TypeAdapter
from pydantic.errors import PydanticUserError

from agentlab.errors import DefinitionError
from agentlab.language import gettext


class Context(dict[str, Any]):
    """Variables of a run that tools and instructions share and the model never sees.

    A tool parameter annotated `Context` gets the run's context; it is not part of the schema.
    """


class CallId(str):
    """The id of the tool_use block that a tool is called for.

    A tool parameter annotated `CallId` gets it; it is not part of the schema. The id is the same
    when a call is carried out again, so it can keep a payment from being made twice.
    """


def supplied(signature: inspect.Signature, context: Context, call_id: str) -> dict[str, Any]:
    """The arguments that the loop gives and no model sees, for the parameters that ask for them."""
    given = {Context: context, CallId: CallId(call_id)}
    asking = signature.parameters.items()
    return {n: value for n, p in asking for kind, value in given.items() if p.annotation is kind}


def documentation_of(function: Callable[..., Any]) -> Docstring:
    """The docstring, read in Google, NumPy or reST style, forgiving about blank lines."""
    described: Any = function.func if isinstance(function, partial) else function
    if not inspect.isroutine(described) and not inspect.isclass(described):
        described = described.__call__  # an object's own docstring describes the object
    text = inspect.getdoc(described) or ""
    text = re.sub(r"(?m)^(Args|Arguments|Parameters):[ \t]*\n(?:[ \t]*\n)+", r"\1:\n", text)
    text = re.sub(r"(?<!\n)\n((?:Args|Arguments|Returns|Raises):[ \t]*\n)", r"\n\n\1", text)
    return parse(text)


def summary_of(documentation: Docstring) -> str:
    """What the docstring says before it comes to the parameters."""
    parts = (documentation.short_description, documentation.long_description)
    return "\n\n".join(part.strip() for part in parts if part)


def described_signature(function: Callable[..., Any], name: str) -> inspect.Signature:
    """The signature of a tool with resolved annotations.

    Args:
        function: the function.
        name: the tool's name, for error texts.

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
        hint = (
            gettext(" If it wraps another function, decorate it with functools.wraps.")
            if wrapped
            else ""
        )
        raise DefinitionError(
            "Tool {name!r} takes {names}, which no schema can describe. Name each "
            "parameter in the signature.{hint}",
            name=name,
            names=names,
            hint=hint,
        )
    bare = [p.name for p in parameters if p.name not in hints]
    if bare:
        documented = bool(documentation_of(function).short_description)
        missing = (
            "" if documented else gettext(" The description is missing too: write a docstring.")
        )
        raise DefinitionError(
            "Tool {name!r}: no type is given for {map}. Annotate it, as in `{bare}: str`, "
            "so that the model knows what to send.{missing}",
            name=name,
            map=", ".join(map(repr, bare)),
            bare=bare[0],
            missing=missing,
        )
    return signature.replace(
        parameters=[p.replace(annotation=describable(hints[p.name])) for p in parameters],
        return_annotation=inspect.Signature.empty,
    )


def adapter_for(signature: inspect.Signature, name: str) -> TypeAdapter[dict[str, Any]]:
    """A validator for the arguments; it never calls the tool, so no fault of the tool's shows."""
    seen = [p for p in signature.parameters.values() if p.annotation not in (Context, CallId)]
    for parameter in seen:
        _require_describable(parameter, name)

    def arguments(**given: Any) -> dict[str, Any]:
        return given

    described: Any = arguments
    described.__signature__ = inspect.Signature([p.replace(kind=p.KEYWORD_ONLY) for p in seen])
    described.__annotations__ = {p.name: p.annotation for p in seen}
    return TypeAdapter(described)


def _require_describable(parameter: inspect.Parameter, name: str) -> None:
    try:
        adapter = TypeAdapter(parameter.annotation)
        adapter.json_schema()
        if parameter.default is not parameter.empty:
            adapter.dump_json(parameter.default)
    except (PydanticUserError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise DefinitionError(
            "Tool {name!r}: parameter {name_2!r} cannot be described to a model: {reason} "
            "Use str, int, float, bool, Literal, an Enum, list, dict, TypedDict or a "
            "pydantic model.",
            name=name,
            name_2=parameter.name,
            reason=reason,
        ) from error


def type_hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    """The resolved annotations of `function`, extras of `Annotated` included.

    Raises:
        DefinitionError: where an annotation names something that does not exist.
    """
    described: Any = function.func if isinstance(function, partial) else function
    if not hasattr(described, "__annotations__") or isinstance(described, type):
        described = described.__call__
    try:
        return typing.get_type_hints(described, include_extras=True)
    except NameError as error:
        hints = described.__annotations__
        owner = next((repr(key) for key in hints if str(error.name) in str(hints[key])), "a hint")
        raise DefinitionError(
            "Tool {name!r}: the annotation of {owner} names {name_2!r}, which is not "
            "defined where the function is. Import it, or define it at the top level.",
            name=name,
            owner=owner,
            name_2=error.name,
        ) from error


def describable(annotation: Any) -> Any:
    """`annotation` with texts in `Annotated` made descriptions, and old TypedDicts made new."""
    if typing.is_typeddict(annotation):
        return _current_typed_dict(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        extras = (Field(description=e) if isinstance(e, str) else e for e in arguments[1:])
        return Annotated[(describable(arguments[0]), *extras)]
    if not arguments or origin in (typing.Literal, None) or origin is Callable:
        return annotation
    changed = tuple(describable(argument) for argument in arguments)
    if changed == arguments:
        return annotation
    if origin in (typing.Union, types.UnionType):
        return typing.Union[changed]  # noqa: UP007 - made from values, not written
    return origin[changed]


@cache
def _current_typed_dict(annotation: Any) -> Any:
    """Before Python 3.12, pydantic reads only the TypedDict of `typing_extensions`."""
    if sys.version_info >= (3, 12) or type(annotation).__module__ != "typing":
        return annotation
    fields = {}
    for key, hint in typing.get_type_hints(annotation, include_extras=True).items():
        # Under postponed annotations __required_keys__ is wrong, so the resolved hint comes first.
        mark = get_origin(hint)
        if mark not in (typing.Required, typing.NotRequired):
            mark = typing.Required if key in annotation.__required_keys__ else typing.NotRequired
            fields[key] = mark[describable(hint)]
        else:
            fields[key] = mark[describable(get_args(hint)[0])]
    make: Any = typing_extensions.TypedDict
    return make(annotation.__name__, fields)
