"""A research run as it goes on, a line for each call and each answer, for a terminal or a log."""

from collections.abc import Callable, Iterable, Iterator

from agentlab.events import Event, Reminded, Replied, ToolCalled, ToolReturned
from agentlab.language import gettext
from agentlab.views.parts import clean

LONGEST_LINE = 96


def told_by(events: Iterable[Event], tell: Callable[[str], None]) -> Iterator[Event]:
    """The same events, with a line told of each that a person waits for.

    Args:
        events: what `Orchestrator.events` yields.
        tell: takes a line, such as `print`.
    """
    for event in events:
        if line := line_of(event):
            tell(line)
        yield event


def line_of(event: Event) -> str:
    """The line for an event; empty where nothing is to be told."""
    match event:
        case Replied() if event.text.strip():
            return _line(gettext("step {step}", step=event.step), event.text)
        case ToolCalled():
            return _line(gettext("step {step}", step=event.step), repr(event.call))
        case ToolReturned():
            text = event.outcome.text.strip()
            said = (text.splitlines() or [""])[0]
            return _line(
                "",
                gettext("failed: {said}", said=said) if event.outcome.is_error else said,
            )
        case Reminded():
            return _line(gettext("step {step}", step=event.step), event.text)
    return ""


def _line(head: str, text: str) -> str:
    said = " ".join(clean(text).split())
    line = f"{head:<9}{said}"
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"
