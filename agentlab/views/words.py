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
from agentlab.language import gettext
from agentlab.views.parts import CONTROL

LONGEST_QUOTE = 60

WHAT_TO_DO = {
    "run tools": gettext("run the tools it asks for and send back every result"),
    "resume": gettext("send the conversation back as it is, so that the model can go on"),
    "stop": gettext("stop: the run is over"),
    "discard": gettext("stop and leave the reply out of the transcript"),
}
"""What each action of the loop's table of stop reasons means."""

HOW_IT_WENT = {
    "ran": gettext("{name} returned {text}"),
    "failed": gettext("{name} failed with {text}"),
    "unknown_tool": gettext("there is no tool {name}: {text}"),
    "invalid_arguments": gettext("the input of {name} did not fit: {text}"),
    "denied": gettext("{name} was denied: {text}"),
    "not_run": gettext("{name} was not run: {text}"),
}
"""A sentence for each status that an outcome may have."""


def sentence(run: Run, position: int) -> str:
    """Where a stepper stands in a run; the same sentence every time.

    Args:
        run: the run.
        position: index of the event in view.
    """
    if not run.events:
        return gettext("Stepper: no event, nothing has happened in this run yet")
    return gettext(
        "Stepper: event {number} of {total}, {what}",
        number=position + 1,
        total=len(run.events),
        what=said(run.events[position]),
    )


def said(event: Event) -> str:
    """What an event means, in half a sentence."""
    match event:
        case Replied():
            return _said_by_the_model(event.reply)
        case ToolCalled():
            return gettext("{name} is called", name=event.call.name)
        case ToolReturned():
            outcome = event.outcome
            return HOW_IT_WENT[outcome.status].format(
                name=outcome.call.name, text=quoted(outcome.text)
            )
        case HandedOff():
            return gettext(
                "{agent} handed over to {successor}", agent=event.agent, successor=event.successor
            )
        case Reminded():
            return gettext("the model said nothing and is asked to go on")
        case Failed():
            problem = quoted(problem_in(event.error))
            return gettext(
                "the API answered {status}: {problem}", status=event.status, problem=problem
            )
        case Stopped():
            return gettext("the run stopped: {reason}", reason=event.reason)


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
        return gettext("the model asked for {names}", names=listed(names))
    text = "".join(str(block.get("text")) for block in blocks if block.get("type") == "text")
    if not text.strip():
        return gettext("the model said nothing")
    return gettext("the model answered {text}", text=quoted(text))


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them."""
    *most, last = names
    return gettext("{names} and {last}", names=", ".join(most), last=last) if most else last
