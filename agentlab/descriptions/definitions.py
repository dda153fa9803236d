"""Tools in whatever form they come, as the definitions that a request carries."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentlab.errors import DefinitionError
from agentlab.language import gettext
from agentlab.tools import Tool, tool

AnyTool = Tool | Callable[..., Any] | Mapping[str, Any]
"""A tool, a function to make one of, or a definition as a request carries it."""


def definition_of(given: AnyTool) -> dict[str, Any]:
    """The definition of one tool.

    Args:
        given: a tool, a function, or a mapping with `name`, `description` and `input_schema`.

    Raises:
        DefinitionError: for a function that cannot be described, or a mapping without a name.
        TypeError: for anything else.
    """
    if isinstance(given, Mapping):
        if not isinstance(given.get("name"), str):
            raise DefinitionError(
                "A definition needs a name, and this one has {name!r}; found were the keys "
                "{keys}. Give name, description and input_schema.",
                name=given.get("name"),
                keys=sorted(map(str, given)),
            )
        empty = {"type": "object", "properties": {}}
        return {"description": "", "input_schema": empty, **given}
    if not callable(given):
        raise TypeError(
            gettext(
                "A tool is a Tool, a function or a definition, and found was {kind}. "
                "Give a list of them, such as [get_order_status, track_shipment].",
                kind=type(given).__name__,
            )
        )
    return tool(given).to_param()


def definitions_of(tools: Sequence[AnyTool]) -> list[dict[str, Any]]:
    """The definitions of a toolset, in its order.

    Raises:
        DefinitionError: for no tools at all, and for a name that two of them have.
    """
    if isinstance(tools, (Mapping, str, Tool)) or not isinstance(tools, Sequence):
        raise TypeError(
            gettext(
                "Tools come in a list, and found was {tools!r}. Write [{tools!r}].", tools=tools
            )
        )
    definitions = [definition_of(each) for each in tools]
    if not definitions:
        raise DefinitionError(
            "There are no tools, so there is nothing to choose from. Give at least one."
        )
    counts = Counter(each["name"] for each in definitions)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise DefinitionError(
            "Two tools have the name {name!r}; the API refuses a request with a name used "
            "twice. Rename one of them.",
            name=twice[0],
        )
    return definitions
