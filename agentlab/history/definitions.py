"""What definitions cost in tokens, and two ways to carry fewer of them.

Every definition of a tool is sent with every request, so a hundred tools cost a hundred times what
one does, whether they are used or not. Folding them into one tool, or describing them only on
demand, trades tokens for a harder choice.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from agentlab.errors import DefinitionError
from agentlab.models import MODEL
from agentlab.signatures import CallId
from agentlab.tools import Context, InvalidArguments, Tool, tool

if TYPE_CHECKING:
    from anthropic import Anthropic

LISTED_PARAMETERS = 6
"""How many parameters of a folded tool its line names."""
SEARCH_TOOL = "tool_search_tool_bm25_20251119"
"""The API's own search over definitions, by words; from the SDK's types."""
FOUND_AT_ONCE = 3
"""How many definitions one search gives."""


def tokens(
    tools: Sequence[Tool | Callable[..., Any] | Mapping[str, Any]],
    *,
    client: "Anthropic",
    model: str = MODEL,
) -> int:
    """Tokens that the definitions of `tools` add to every request.

    Counted by the API's own `count_tokens`, with and without them; offline it is an estimate.

    Args:
        tools: tools, plain functions, or definitions as a request carries them.
        client: what asks the API.
        model: the model whose tokens are counted.
    """
    message: Any = [{"role": "user", "content": "Hello."}]
    count = client.messages.count_tokens
    without = count(model=model, messages=message).input_tokens
    definitions: Any = [
        dict(each) if isinstance(each, Mapping) else tool(each).to_param() for each in tools
    ]
    if not definitions:
        return 0
    return count(model=model, messages=message, tools=definitions).input_tokens - without


def fold(name: str, tools: Sequence[Tool | Callable[..., Any]], description: str = "") -> Tool:
    """One tool in place of many: it takes an `action`, which is a tool's name, and its arguments.

    The definitions shrink to a line each; what the API no longer checks, this tool checks, and an
    action whose arguments do not fit is answered as the tool itself would answer.

    Args:
        name: the name of the one tool.
        tools: the tools to fold.
        description: what they have in common; stands before the list of actions.

    Raises:
        DefinitionError: where there is nothing to fold, or some of the tools end a run or are
            destructive and others are not: one definition can say only one of the two.
    """
    by_name = _by_name(tools)
    if not by_name:
        raise DefinitionError("There is no tool to fold {name!r}. Give at least one.", name=name)
    first, *others = by_name.values()
    for each in others:
        if (each.final, each.destructive) != (first.final, first.destructive):
            raise DefinitionError(
                "{first} and {other} cannot be folded into {name!r}: one of them is "
                "destructive or ends a run, and the other is not. Fold those apart.",
                first=first.name,
                other=each.name,
                name=name,
            )
    lines = [f"- {_line_for(each)}" for each in by_name.values()]

    def act(action: str, arguments: dict[str, Any], context: Context, call_id: CallId) -> Any:
        """Do one of several things.

        Args:
            action: What to do.
            arguments: The arguments of that action.
            context: The variables of the run, for tools that take them.
            call_id: The id of this call, for tools that take it.
        """
        return _call(by_name, action, arguments, context, call_id)

    act.__annotations__["action"] = Literal[tuple(by_name)]
    text = "\n".join([description or "Do one of several things.", "Actions:", *lines])
    marks = {"final": first.final, "destructive": first.destructive}
    return tool(name=name, description=text, **marks)(act)


def on_demand(tools: Sequence[Tool | Callable[..., Any]]) -> list[Tool]:
    """Two tools in place of many: `find_tools` gives definitions, `call_tool` calls one of them.

    Only the definitions that fit a search are ever sent, as a tool_result. The API can do the same
    by itself for tools that are marked as deferred.

    Args:
        tools: the tools behind the two.

    Raises:
        DefinitionError: where there are none, or some are destructive: nobody could be asked
            about a call that hides in another one. Give those to the agent beside these two.
    """
    by_name = _by_name(tools)
    if not by_name:
        raise DefinitionError("There is no tool to describe on demand. Give at least one.")
    if refused := [each.name for each in by_name.values() if each.destructive or each.final]:
        raise DefinitionError(
            "{names} cannot be called through another tool: a destructive call needs its "
            "own yes, and a final one ends the run. Give them to the agent as they are.",
            names=", ".join(refused),
        )

    def find_tools(query: str) -> str:
        """Search the tools that can be called with call_tool.

        Call this first, whenever none of your tools fits what is asked for. It gives the names,
        descriptions and input schemas of the tools that fit best; it does not call them.

        Args:
            query: what is to be done, in a few words.
        """
        from agentlab.practice.choosing import Card, rank

        definitions = {each.name: each.to_param() for each in by_name.values()}
        ranked = rank(query, [Card.read(each) for each in definitions.values()])
        found = [definitions[choice.card.name] for choice in ranked[:FOUND_AT_ONCE]]
        return json.dumps(found, ensure_ascii=False)

    def call_tool(name: str, arguments: dict[str, Any], context: Context, call_id: CallId) -> Any:
        """Call a tool that find_tools has found.

        Call find_tools before it, unless the definition stands in the conversation already.

        Args:
            name: The name that find_tools gave.
            arguments: What its input_schema demands.
            context: The variables of the run, for tools that take them.
            call_id: The id of this call, for tools that take it.
        """
        return _call(by_name, name, arguments, context, call_id)

    return [tool(find_tools), tool(call_tool)]


def deferred(
    tools: Sequence[Tool | Callable[..., Any]], keep: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Definitions that the API itself shows on demand, with its own search among them.

    The model sees the search and the tools in `keep`; what the search finds is added by the API,
    and called under its own name. Offline the practice model reads all of them.

    Args:
        tools: the tools; they go into `tools=` of `client.messages.create` as returned.
        keep: names of tools that are shown from the beginning, being needed again and again.

    Raises:
        DefinitionError: where there is no tool, or `keep` names one that is not there.
    """
    by_name = _by_name(tools)
    if not by_name:
        raise DefinitionError("There is no tool to defer. Give at least one.")
    if unknown := [name for name in keep if name not in by_name]:
        raise DefinitionError(
            "There is no {unknown!r} to keep. There are: {names}.",
            unknown=unknown[0],
            names=", ".join(by_name),
        )
    waiting = [
        each.to_param() | ({} if each.name in keep else {"defer_loading": True})
        for each in by_name.values()
    ]
    return [{"type": SEARCH_TOOL, "name": "tool_search_tool_bm25"}, *waiting]


def _by_name(tools: Sequence[Tool | Callable[..., Any]]) -> dict[str, Tool]:
    return {each.name: each for each in map(tool, tools)}


def _line_for(each: Tool) -> str:
    """A tool in one line: its name, its first parameters and the first sentence about it."""
    properties = list(each.input_schema["properties"])
    listed = ", ".join(properties[:LISTED_PARAMETERS])
    more = ", …" if len(properties) > LISTED_PARAMETERS else ""
    return f"{each.name}({listed}{more}): {each.description.partition('.')[0].strip()}."


def _call(
    by_name: dict[str, Tool],
    name: str,
    arguments: dict[str, Any],
    context: Context,
    call_id: str,
) -> Any:
    from anthropic.lib.tools import ToolError

    if name not in by_name:
        raise ToolError(f"There is no {name!r}. There are: {', '.join(by_name)}.")
    try:
        parsed = by_name[name].parse(arguments)
    except InvalidArguments as error:
        raise ToolError(str(error)) from error
    return by_name[name].invoke(parsed, context, call_id)
