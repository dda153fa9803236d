"""What happened at one event of a run, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from agentlab.events import (
    Event,
    Failed,
    HandedOff,
    Reminded,
    Replied,
    Run,
    Stopped,
    ToolCalled,
    ToolReturned,
)
from agentlab.views.parts import CONTROL

LONGEST_QUOTE = 60

WHAT_TO_DO = {
    "run tools": "run the tools it asks for and send back every result",
    "resume": "send the conversation back as it is, so that the model can go on",
    "stop": "stop: the run is over",
    "discard": "stop and leave the reply out of the transcript",
}
"""What each action of the loop's table of stop reasons means."""

HOW_IT_WENT = {
    "ran": "{name} returned {text}",
    "failed": "{name} failed with {text}",
    "unknown_tool": "there is no tool {name}: {text}",
    "invalid_arguments": "the input of {name} did not fit: {text}",
    "denied": "{name} was denied: {text}",
    "not_run": "{name} was not run: {text}",
}
"""A sentence for each status that an outcome may have."""


def sentence(run: Run, position: int) -> str:
    """Where a stepper stands in a run; the same sentence every time.

    Args:
        run: the run.
        position: index of the event in view.
    """
    if not run.events:
        return "Stepper: no event, nothing has happened in this run yet"
    count = len(run.events)
    return f"Stepper: event {position + 1} of {count}, {said(run.events[position])}"


def said(event: Event) -> str:
    """What an event means, in half a sentence."""
    match event:
        case Replied():
            return _said_by_the_model(event.reply)
        case ToolCalled():
            return f"{event.call.name} is called"
        case ToolReturned():
            outcome = event.outcome
            return HOW_IT_WENT[outcome.status].format(
                name=outcome.call.name, text=quoted(outcome.text)
            )
        case HandedOff():
            return f"{event.agent} handed over to {event.successor}"
        case Reminded():
            return "the model said nothing and is asked to go on"
        case Failed():
            return f"the API answered {event.status}: {quoted(problem_in(event.error))}"
        case Stopped():
            return f"the run stopped: {event.reason}"


def quoted(text: str) -> str:
    """The beginning of a text in quotes, on one line."""
    words = " ".join(CONTROL.sub("", text[: 10 * LONGEST_QUOTE]).split())
    return f"'{words}'" if len(words) <= LONGEST_QUOTE else f"'{words[:LONGEST_QUOTE]}…'"


def problem_in(error: Mapping[str, Any]) -> str:
    """The words of an error that the API answered with."""
    inner = error.get("error")
    return str(inner.get("message", inner)) if isinstance(inner, Mapping) else str(inner)


def _said_by_the_model(reply: Mapping[str, Any]) -> str:
    blocks = [block for block in reply["content"] if isinstance(block, Mapping)]
    names = [str(block.get("name")) for block in blocks if block.get("type") == "tool_use"]
    if names:
        return f"the model asked for {listed(names)}"
    text = "".join(str(block.get("text")) for block in blocks if block.get("type") == "text")
    return f"the model answered {quoted(text)}" if text.strip() else "the model said nothing"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
