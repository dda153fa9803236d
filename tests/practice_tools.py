"""Tools and shorthands that several test modules use."""

from typing import Any

from agentlab import Agent, Run, ask, client
from agentlab.practice import Reply, Script, both, say, use


def play(turns: Script, tools: list[Any], **options: Any) -> Run:
    """Run an agent with `tools` against written turns."""
    settings = {name: options.pop(name) for name in ("calling",) if name in options}
    agent = Agent("tester", "Help.", tools, **settings)
    return ask(agent, "go", client=client(turns), **options)


def calls(*wanted: tuple[str, dict[str, Any]]) -> Reply:
    """One reply with several calls."""
    return both(*(use(name, arguments) for name, arguments in wanted))


def results(run: Run, message: int = 2) -> list[dict[str, Any]]:
    """The tool_result blocks of a message of the transcript."""
    return [block for block in run.messages[message]["content"] if block["type"] == "tool_result"]


def give(values: list[Any]) -> Any:
    """A tool that returns one of `values`."""

    def give(i: int) -> object:
        """Give value i."""
        return values[i]

    return give


def returned(value: Any, **options: Any) -> dict[str, Any]:
    """The tool_result that becomes of a value."""
    run = play([use("give", i=0), say("done")], [give([value])], **options)
    return results(run)[0]
