"""Reading type annotations the way people write them, for `tools`."""

import sys
import types
import typing
from collections.abc import Callable
from functools import cache, partial
from typing import Annotated, Any, get_args, get_origin

import typing_extensions
from pydantic import Field

from agentlab.errors import DefinitionError


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
            f"Tool {name!r}: the annotation of {owner} names {error.name!r}, which is not defined "
            "where the function is. Import it, or define it at the top level."
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
