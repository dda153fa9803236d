"""A run as HTML: no script, no widget, everything that a model or a tool wrote escaped."""

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
from agentlab.views.table import safe

STYLE = (
    "font-family:var(--jp-code-font-family,monospace);font-size:13px;line-height:1.5;"
    "white-space:pre-wrap;overflow-wrap:anywhere"
)
LINE = "padding-left:8.5em;text-indent:-8.5em"
LABEL = "display:inline-block;min-width:8.5em;text-indent:0;opacity:.7"
ERROR = "font-weight:bold;border-left:3px solid #c0392b;padding-left:.4em"


def run_as_html(run: Run, *, raw: bool = True, most_steps: int = MOST_STEPS) -> str:
    """The run as a block of HTML: a fold for each step, and in it folds for the raw JSON.

    Args:
        run: the run.
        raw: whether the JSON is there; it is most of the length.
        most_steps: how many steps are told; the rest is counted.
    """
    steps = "".join(_steps(run, raw, most_steps))
    return f'<div style="{STYLE}"><strong>{safe(headline(run))}</strong>{steps}</div>'


def _steps(run: Run, has_raw: bool, most: int) -> Iterator[str]:
    steps = steps_of(run)
    sent: list[Message] = []
    for number, events in enumerate(steps[:most], 1):
        lines = "".join(_line(line) for event in events for line in lines_of(event))
        raw = ""
        for event in events:
            if has_raw and isinstance(event, (Replied, Failed)):
                raw += _fold(gettext("raw request"), raw_request(event, sent))
                raw += _fold(gettext("raw reply"), raw_reply(event))
                sent = event.request["messages"]
        title = safe(gettext("step {number}", number=number))
        yield f"<details open><summary>{title}</summary>{lines}{raw}</details>"
    if len(steps) > most:
        yield f"<div>{safe(steps_left_out(len(steps) - most))}</div>"


def _line(line: Line) -> str:
    marks = f"<code>{safe(line.call_id)}</code> " if line.call_id else ""
    error = f'<span style="{ERROR}">{safe(gettext("✗ error"))}</span> ' if line.is_error else ""
    label = f'<span style="{LABEL}">{safe(line.label)}</span>'
    return f'<div style="{LINE}">{label}{marks}{error}{safe(line.text)}</div>'


def _fold(title: str, text: str) -> str:
    return f"<details><summary>{safe(title)}</summary><pre>{safe(text)}</pre></details>"
