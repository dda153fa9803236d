"""A run as plain text, and in colour in a terminal."""

from collections.abc import Iterator

from agentlab.events import Run
from agentlab.views.parts import MOST_STEPS, Line, headline, lines_of, steps_of

LABEL_WIDTH = 12
INDENT = " " * 8


def run_as_text(run: Run) -> str:
    """The run, a line for each thing that happened; the same text every time."""
    return "\n".join([headline(run), *_body(run)])


def print_run(run: Run) -> None:
    """Print the run with rich."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(headline(run), style="bold"))
    for line in _body(run):
        console.print(Text(line, style="bold red" if " ERROR " in line else ""))


def _body(run: Run) -> Iterator[str]:
    steps = steps_of(run)
    for number, events in enumerate(steps[:MOST_STEPS], 1):
        yield f"step {number}"
        for event in events:
            for line in lines_of(event):
                yield from _written(line)
    if len(steps) > MOST_STEPS:
        yield f"({len(steps) - MOST_STEPS} more steps; run.events holds them all)"


def _written(line: Line) -> Iterator[str]:
    parts = (line.call_id, "ERROR" if line.is_error else "", line.text)
    first, *rest = "  ".join(part for part in parts if part).splitlines() or [""]
    yield f"  {line.label:<{LABEL_WIDTH}} {first}"
    yield from (INDENT + INDENT + more for more in rest)
