"""What a run costs, step by step, and why: the transcript is sent again with every request."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill

from agentlab.events import Message, Run
from agentlab.language import gettext, ngettext
from agentlab.models import estimate_cost
from agentlab.views.html import STYLE
from agentlab.views.table import LINE_WIDTH, Column, Table, safe

BAR_WIDTH = 30
AGAIN, NEW = "█", "░"
ROWS_AT_EACH_END = 10
SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""The API counts what it keeps for later requests, and what it kept, apart from the rest."""

COLUMNS = (
    Column(gettext("step"), "number"),
    Column(gettext("input"), "number"),
    Column(gettext("sent before"), "number"),
    Column(gettext("output"), "number"),
    Column(gettext("cost"), "number"),
    Column(gettext("so far"), "number"),
    Column(gettext("input tokens: {again} sent before, {new} new", again=AGAIN, new=NEW), "bar"),
)


@dataclass(frozen=True)
class StepUse:
    """What one step used."""

    step: int
    input_tokens: int
    """All tokens of the request, those that a cache spared included."""
    sent_before: int
    """How many of them, about, the request before had already."""
    output_tokens: int
    cost: float | None
    """Dollars at list prices; `None` where the price is not known."""
    total: float | None
    """Dollars of this step and all before it."""


@dataclass(frozen=True)
class TokenMeter:
    """The tokens and the cost of a run, step by step."""

    steps: tuple[StepUse, ...]

    @property
    def summary(self) -> str:
        """What the tokens went to, in a few sentences."""
        if not self.steps:
            return gettext("No reply, no tokens: the model has not answered in this run.")
        sent = sum(use.input_tokens for use in self.steps)
        written = sum(use.output_tokens for use in self.steps)
        again = sum(use.sent_before for use in self.steps)
        first, last = self.steps[0], self.steps[-1]
        values = {
            "steps": ngettext("{count} step", "{count} steps", len(self.steps)),
            "sent": sent,
            "written": written,
        }
        if last.total is None:
            told = gettext(
                "{steps}: {sent:,} tokens in, {written:,} out, cost not known at list prices.",
                **values,
            )
        else:
            told = gettext(
                "{steps}: {sent:,} tokens in, {written:,} out, about {cost} at list prices.",
                **values,
                cost=_dollars(last.total),
            )
        if len(self.steps) == 1:
            return told
        growth = gettext(
            "Each request sends the transcript again: step {first} sent {at_first:,} tokens, "
            "step {last} {at_last:,}. About {again:.0%} of all input had been sent before.",
            first=first.step,
            at_first=first.input_tokens,
            last=last.step,
            at_last=last.input_tokens,
            again=again / max(sent, 1),
        )
        return f"{told} {growth}"

    @property
    def table(self) -> Table:
        """A row for each step; of a long run, those at its beginning and its end."""
        most = max((use.input_tokens for use in self.steps), default=0)
        rows = [_row(use, most) for use in self.steps]
        if folded := rows[ROWS_AT_EACH_END:-ROWS_AT_EACH_END]:
            note = [ngettext("… {count} step …", "… {count} steps …", len(folded))]
            rows = [*rows[:ROWS_AT_EACH_END], note, *rows[-ROWS_AT_EACH_END:]]
        return Table(gettext("Tokens and cost of each step"), COLUMNS, rows)

    def __repr__(self) -> str:
        summary = fill(self.summary, LINE_WIDTH)
        return f"{summary}\n{self.table.as_text()}" if self.steps else summary

    def _repr_html_(self) -> str:
        table = self.table.as_html() if self.steps else ""
        return f'<div style="{STYLE}"><p>{safe(self.summary)}</p>{table}</div>'


def meter(run: Run) -> TokenMeter:
    """Show what each step of a run used: tokens in and out, its cost, the cost so far.

    Input grows with each step, because a request carries the whole transcript again. How much of
    it was sent before is the size of the request before, where this one begins with that one.

    Args:
        run: the run.

    Raises:
        TypeError: for anything but a `Run`.
    """
    if not isinstance(run, Run):
        raise TypeError(
            gettext(
                "meter takes a Run, and was given {kind}. Give what ask() returned, "
                "recorder.run or Run.load(path).",
                kind=type(run).__name__,
            )
        )
    return TokenMeter(tuple(_uses(run)))


def _uses(run: Run) -> Iterator[StepUse]:
    total: float | None = 0.0
    sent: Sequence[Message] = []
    tokens = 0
    for event in run.replies:
        usage, messages = event.reply["usage"], event.request["messages"]
        goes_on = bool(sent) and messages[: len(sent)] == sent
        before = tokens if goes_on else 0
        sent, tokens = messages, sum(int(usage.get(name) or 0) for name in SENT)
        cost = estimate_cost(event.request["model"], usage)
        total = None if cost is None or total is None else total + cost
        yield StepUse(
            event.step,
            tokens,
            min(before, tokens),
            int(usage.get("output_tokens") or 0),
            cost,
            total,
        )


def _row(use: StepUse, most: int) -> list[str]:
    return [
        str(use.step),
        f"{use.input_tokens:,}",
        f"{use.sent_before:,}",
        f"{use.output_tokens:,}",
        _dollars(use.cost),
        _dollars(use.total),
        _bar(use, most),
    ]


def _bar(use: StepUse, most: int) -> str:
    """The step's input beside the largest of the run: what was sent before, then what is new."""
    scale = BAR_WIDTH / max(most, 1)
    again, whole = round(use.sent_before * scale), max(1, round(use.input_tokens * scale))
    return AGAIN * again + NEW * (whole - again)


def _dollars(amount: float | None) -> str:
    return gettext("not known") if amount is None else f"${amount:.4f}"
