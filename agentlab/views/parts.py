"""What all views of a run share: the lines of a step, cut to what a page can bear."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from agentlab.language import gettext, ngettext

MOST_STEPS = 50
LONGEST_TEXT = 400
MOST_PRINTED_LINES = 5
LONGEST_JSON = 3_000

CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")
"""Terminal escapes and control characters: a result may hold them, a page must not."""


@dataclass(frozen=True)
class Line:
    """One line of a view."""

    label: str
    text: str
    call_id: str = ""
    is_error: bool = False


def steps_of(run: Run) -> list[list[Event]]:
    """The events of a run, grouped by step."""
    groups: dict[int, list[Event]] = {}
    for event in run.events:
        groups.setdefault(event.step, []).append(event)
    return list(groups.values())


def steps_left_out(count: int) -> str:
    """What a view says of the steps that it does not tell."""
    return ngettext(
        "({count} more step; run.events holds them all)",
        "({count} more steps; run.events holds them all)",
        count,
    )


def headline(run: Run) -> str:
    """What the run came to, in a sentence."""
    ending = gettext("not finished")
    if run.stopped:
        ending = gettext("stopped: {reason}", reason=run.stopped.reason)
    values = {
        "steps": ngettext("{count} step", "{count} steps", run.steps),
        "calls": ngettext("{count} tool call", "{count} tool calls", len(run.outcomes)),
        "ending": ending,
        "sent": run.usage["input_tokens"],
        "written": run.usage["output_tokens"],
    }
    if run.cost is None:
        return gettext(
            "Run: {steps}, {calls}, {ending}; {sent} tokens in, {written} out.", **values
        )
    return gettext(
        "Run: {steps}, {calls}, {ending}; {sent} tokens in, {written} out, "
        "about ${cost:.4f} at list prices.",
        **values,
        cost=run.cost,
    )


def lines_of(event: Event) -> Iterator[Line]:
    """The lines that tell an event."""
    match event:
        case Replied():
            tools, sent = len(event.request.get("tools", ())), len(event.request["messages"])
            text = gettext(
                "{messages} and {tools} sent by {agent}",
                messages=ngettext("{count} message", "{count} messages", sent),
                tools=ngettext("{count} tool", "{count} tools", tools),
                agent=event.agent,
            )
            yield Line(gettext("request"), text)
            if event.text.strip():
                yield Line(gettext("text"), clean(event.text))
            yield Line("stop_reason", str(event.reply["stop_reason"]))
        case ToolCalled():
            yield Line("tool_use", clean(repr(event.call)), event.call.id)
        case ToolReturned():
            outcome = event.outcome
            yield Line("tool_result", clean(outcome.text), outcome.call.id, outcome.is_error)
            if outcome.printed:
                yield Line(
                    gettext("printed"), clean(_first_lines(outcome.printed)), outcome.call.id
                )
        case HandedOff():
            yield Line(gettext("handoff"), f"{event.agent} → {event.successor}")
        case Reminded():
            yield Line(gettext("reminder"), clean(event.text))
        case Failed():
            words = event.error.get("error", {}).get("message", event.error)
            yield Line(gettext("refused"), clean(f"{event.status} {words}"), is_error=True)
        case Stopped():
            # The answer is the last reply's text, which stands above; a final tool's is not.
            told = f": {clean(event.text)}" if event.reason == "final_tool" else ""
            yield Line(gettext("stopped"), f"{event.reason}{told}")


def clean(text: str) -> str:
    """Text without control characters, cut to a length that a view can bear."""
    text = CONTROL.sub("", text)
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{text[:LONGEST_TEXT]}… {_left_out(len(text) - LONGEST_TEXT)}"


def _left_out(characters: int) -> str:
    return ngettext("({count:,} more character)", "({count:,} more characters)", characters)


def raw_request(event: Replied | Failed, before: Sequence[Mapping[str, Any]]) -> str:
    """The request as JSON; messages that the request before had already are only counted."""
    messages = event.request["messages"]
    known = len(before) if messages[: len(before)] == list(before) else 0
    note = ngettext(
        "({count} message as in the request before)",
        "({count} messages as in the request before)",
        known,
    )
    told = [note, *messages[known:]] if known else messages
    return _json({**event.request, "messages": told})


def raw_reply(event: Replied | Failed) -> str:
    """The reply as JSON."""
    return _json(event.reply if isinstance(event, Replied) else event.error)


def _json(value: Any) -> str:
    text = CONTROL.sub("", json.dumps(value, indent=1, ensure_ascii=False, default=str))
    if len(text) <= LONGEST_JSON:
        return text
    return f"{text[:LONGEST_JSON]}\n… {_left_out(len(text) - LONGEST_JSON)}"


def _first_lines(text: str) -> str:
    lines = text.splitlines()
    rest = len(lines) - MOST_PRINTED_LINES
    shown = "\n".join(lines[:MOST_PRINTED_LINES])
    if rest <= 0:
        return shown
    note = ngettext("({count:,} more line)", "({count:,} more lines)", rest)
    return f"{shown}\n{note}"
