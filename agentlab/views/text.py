"""A run as plain text, and in colour in a terminal."""

from collections.abc import Iterator

from agentlab.events import Failed, Message, Replied, Run
from agentlab.language import gettext
from agentlab.views.parts import (
    MOST_STEPS,
    Line,
    headline,
    lines_of,
    raw_reply,
    raw_request,
    steps_left_out,
    steps_of,
)

LABEL_WIDTH = 12
INDENT = " " * 8
ERROR = gettext("ERROR")


def run_as_text(run: Run, *, raw: bool = False) -> str:
    """The run, a line for each thing that happened; the same text every time.

    Args:
        run: the run.
        raw: also give each request and reply as JSON.
    """
    return "\n".join([headline(run), *_body(run, raw)])


def print_run(run: Run, *, raw: bool = False) -> None:
    """Print the run with rich."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(headline(run), style="bold"))
    for line in _body(run, raw):
        console.print(Text(line, style="bold red" if f" {ERROR} " in line else ""))


def _body(run: Run, raw: bool) -> Iterator[str]:
    steps = steps_of(run)
    sent: list[Message] = []
    for number, events in enumerate(steps[:MOST_STEPS], 1):
        yield gettext("step {number}", number=number)
        for event in events:
            for line in lines_of(event):
                yield from _written(line)
            if raw and isinstance(event, (Replied, Failed)):
                yield from _written(Line(gettext("raw request"), raw_request(event, sent)))
                yield from _written(Line(gettext("raw reply"), raw_reply(event)))
                sent = event.request["messages"]
    if len(steps) > MOST_STEPS:
        yield steps_left_out(len(steps) - MOST_STEPS)


def _written(line: Line) -> Iterator[str]:
    parts = (line.call_id, ERROR if line.is_error else "", line.text)
    first, *rest = "  ".join(part for part in parts if part).splitlines() or [""]
    yield f"  {line.label:<{LABEL_WIDTH}} {first}"
    yield from (INDENT + INDENT + more for more in rest)
