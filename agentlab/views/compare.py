"""Several runs side by side: what each came to, and where they part."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Any

from agentlab.events import (
    Event,
    Failed,
    HandedOff,
    Replied,
    Run,
    Stopped,
    ToolCalled,
    ToolReturned,
)
from agentlab.language import gettext, ngettext
from agentlab.views.table import Column, Table, on_one_line
from agentlab.views.words import problem_in, quoted, said

LONGEST_ANSWER = 200
LONGEST_NAME = 40
MOST_TOOLS_NAMED = 12
CHARACTERS_BEFORE = 20
"""How much of what is still the same stands before the first difference of two texts."""
NEW_IN_EACH_RUN = ("id", "signature")
"""Parts of a block that differ between runs in which the same happened."""


@dataclass(frozen=True)
class Comparison:
    """Runs side by side; the others are held against the first one."""

    runs: tuple[tuple[str, Run], ...]
    """Each run with its name."""

    @property
    def table(self) -> Table:
        """A column for each run, a row for each thing that is compared."""
        names = [on_one_line(name, LONGEST_NAME) for name, _ in self.runs]
        facts = [_facts(run) for _, run in self.runs]
        rows = [[label, *(each[label] for each in facts)] for label in facts[0]]
        return Table(
            ngettext("{count} run side by side", "{count} runs side by side", len(self.runs)),
            [Column(gettext("run"), "name"), *map(Column, names)],
            [*rows, [gettext("where they part"), *self._partings()]],
        )

    def __repr__(self) -> str:
        return self.table.as_text()

    def _repr_html_(self) -> str:
        return self.table.as_html()

    def _partings(self) -> Iterator[str]:
        (name, first), *others = self.runs
        yield gettext("the others are held against this run")
        for _, other in others:
            yield _parting(first, other, quoted(name))


def compare(runs: Mapping[str, Run] | Sequence[Run]) -> Comparison:
    """Show runs side by side: steps, tool calls, errors, tokens, cost, answer, where they part.

    They part at the first event at which something else happened than in the first run: another
    call, another result, another answer. What was sent is not compared, nor are ids.

    Args:
        runs: two runs or more; a mapping gives them names.

    Raises:
        TypeError: for anything but a mapping or a sequence, and for what is no `Run` in it.
        ValueError: for fewer than two runs.
    """
    if isinstance(runs, Mapping):
        named = [(str(name), run) for name, run in runs.items()]
    elif isinstance(runs, Sequence) and not isinstance(runs, (str, bytes)):
        named = [
            (gettext("run {number}", number=number), run) for number, run in enumerate(runs, 1)
        ]
    else:
        raise TypeError(
            gettext(
                "compare takes a list of runs, or a mapping of names to runs, and was given "
                "{kind}. Write compare([one, other]).",
                kind=type(runs).__name__,
            )
        )
    for name, run in named:
        if not isinstance(run, Run):
            raise TypeError(
                gettext(
                    "compare takes runs, and {name!r} is {kind}. Give what ask() "
                    "returned, recorder.run or Run.load(path).",
                    name=name,
                    kind=type(run).__name__,
                )
            )
    if len(named) < 2:
        raise ValueError(
            gettext(
                "compare needs two runs or more, and was given {count}. To look at one run, use "
                "show(run) or Stepper(run).",
                count=len(named),
            )
        )
    return Comparison(tuple(named))


def _facts(run: Run) -> dict[str, str]:
    tokens, cost = run.usage, run.cost
    refused = sum(isinstance(event, Failed) for event in run.events)
    return {
        gettext("steps"): str(run.steps),
        gettext("tool calls"): _tools_called(run),
        gettext("errors"): str(refused + sum(outcome.is_error for outcome in run.outcomes)),
        gettext("stop reason"): str(run.stopped.reason) if run.stopped else gettext("not finished"),
        gettext("tokens in"): f"{tokens['input_tokens']:,}",
        gettext("tokens out"): f"{tokens['output_tokens']:,}",
        gettext("estimated cost"): gettext("not known") if cost is None else f"${cost:.4f}",
        gettext("answer"): on_one_line(run.answer, LONGEST_ANSWER) or gettext("none"),
    }


def _tools_called(run: Run) -> str:
    """The tools in the order in which they were called; the same one in a row only once."""
    names = [event.call.name for event in run.events if isinstance(event, ToolCalled)]
    groups = [(name, len(list(same))) for name, same in groupby(names)]
    told = [_told(on_one_line(name, LONGEST_NAME), times) for name, times in groups]
    if rest := sum(times for _, times in groups[MOST_TOOLS_NAMED:]):
        told[MOST_TOOLS_NAMED:] = [gettext("… {rest} more", rest=rest)]
    return ", ".join(told) or gettext("none")


def _told(name: str, times: int) -> str:
    """A tool that was called so many times in a row."""
    if times == 1:
        return name
    return ngettext("{name} ({count} time)", "{name} ({count} times)", times, name=name)


def _parting(first: Run, other: Run, name: str) -> str:
    """Where a run parts from the first one, which is called `name`."""
    for number, (theirs, ours) in enumerate(zip_longest(first.events, other.events), 1):
        if theirs is None:
            return gettext(
                "event {number}: {here} (and {name} ended before it)",
                number=number,
                here=said(ours),
                name=name,
            )
        if ours is None:
            return gettext(
                "event {number}: this run ended before it (in {name}: {there})",
                number=number,
                name=name,
                there=said(theirs),
            )
        if _essence(theirs) != _essence(ours):
            here, there = _contrast(ours, theirs)
            return gettext(
                "event {number}: {here} (in {name}: {there})",
                number=number,
                here=here,
                name=name,
                there=there,
            )
    return gettext("nowhere: the same happened as in {name}", name=name)


def _contrast(one: Event, other: Event) -> tuple[str, str]:
    """Both events in words; where those are the same, with the place at which they differ."""
    if said(one) != said(other):
        return said(one), said(other)
    texts = _wording(one), _wording(other)
    if texts[0] == texts[1]:
        texts = _essence(one), _essence(other)
    pairs = enumerate(zip_longest(*texts))
    start = max(0, next(at for at, (a, b) in pairs if a != b) - CHARACTERS_BEFORE)
    here, there = quoted(texts[0][start:]), quoted(texts[1][start:])
    return (
        gettext("{what}, at {text}", what=said(one), text=here),
        gettext("at {text}", text=there),
    )


def _wording(event: Event) -> str:
    """What a reader of an event reads."""
    match event:
        case Replied() | Stopped():
            return event.text
        case ToolCalled():
            return repr(event.call)
        case ToolReturned():
            return event.outcome.text
        case Failed():
            return problem_in(event.error)
        case _:
            return ""


def _essence(event: Event) -> str:
    """What happened at an event, without what differs in every run; as JSON."""
    match event:
        case Replied():
            blocks = [_without_ids(block) for block in event.reply["content"]]
            happened: list[Any] = [blocks, event.reply.get("stop_reason")]
        case ToolCalled():
            happened = [event.call.name, event.call.input]
        case ToolReturned():
            outcome = event.outcome
            happened = [outcome.call.name, outcome.status, outcome.content]
        case HandedOff():
            happened = [event.successor]
        case Failed():
            happened = [event.status, problem_in(event.error)]
        case Stopped():
            happened = [event.reason, event.text]
        case _:
            happened = []
    return json.dumps([*happened, event.kind], sort_keys=True, ensure_ascii=False, default=repr)


def _without_ids(block: Any) -> Any:
    if not isinstance(block, Mapping):
        return block
    return {name: value for name, value in block.items() if name not in NEW_IN_EACH_RUN}
