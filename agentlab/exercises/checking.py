"""`check`, `hint` and `progress`: what a learner calls in the notebook of an exercise."""

import os
import sys
from dataclasses import dataclass, field
from html import escape
from typing import Any

from agentlab.errors import ConfigurationError
from agentlab.events import Run
from agentlab.exercises.case import Evidence, Exercise, Verdict
from agentlab.exercises.kernel import callers_names, play
from agentlab.exercises.records import Record, all_done, read_progress, write_progress
from agentlab.exercises.suites import load
from agentlab.language import gettext, ngettext
from agentlab.views.table import Column, Table

GRADING = "AGENTLAB_GRADING"
"""Set where notebooks are graded: what a notebook says of itself counts for nothing there."""
MARKS = {True: gettext("✓ passed"), False: gettext("✗ not yet")}


@dataclass(frozen=True)
class Checked:
    """The verdicts on an exercise, as a notebook shows them."""

    exercise: Exercise
    verdicts: tuple[Verdict, ...]
    evidence: tuple[Evidence, ...] = field(repr=False)

    @property
    def points(self) -> float:
        """Points of all cases together."""
        return sum(verdict.points for verdict in self.verdicts)

    @property
    def first_failure(self) -> tuple[Verdict, Run] | None:
        """The first case that was not passed, and what went over the wire in it."""
        for verdict, evidence in zip(self.verdicts, self.evidence, strict=True):
            if not verdict.passed:
                return verdict, evidence.run
        return None

    def __repr__(self) -> str:
        return f"{self._table().as_text()}\n{self._closing()}"

    def _repr_html_(self) -> str:
        return f"{self._table().as_html()}<p>{escape(self._closing())}</p>"

    def _table(self) -> Table:
        caption = gettext(
            "Exercise {number}: {points:g} of {most:g}",
            number=self.exercise.number,
            points=self.points,
            most=self.exercise.points,
        )
        columns = [
            Column("", "name"),
            Column(gettext("what is asked")),
            Column(gettext("what happened")),
            Column(gettext("points"), "number"),
        ]
        rows = [
            [MARKS[v.passed], v.criterion, v.message, f"{v.points:g} / {v.most:g}"]
            for v in self.verdicts
        ]
        return Table(caption, columns, rows)

    def _closing(self) -> str:
        if self.first_failure is None:
            return gettext("All done.")
        return gettext(
            'Stuck? hint("{number}") has three hints, one after the other.',
            number=self.exercise.number,
        )


def check(what: str) -> Any:
    """Check the answer that stands in this notebook.

    Args:
        what: an exercise, as in `check("05")`: all its cases, with the run of the first one that
            failed; or one case, as in `check("05.answers_by_id")`: its points.

    Returns:
        The verdicts of an exercise; for one case the points, after a line that says why.

    Raises:
        ConfigurationError: for an exercise that does not exist.
        KeyError: for a case that it does not have.
    """
    number, _, name = what.partition(".")
    exercise = load(number)
    cases = [exercise.case(name)] if name else list(exercise.cases)
    if os.environ.get(GRADING):
        return 0.0
    names = callers_names()
    played = [play(case, names) for case in cases]
    _remember(exercise, [verdict for verdict, _ in played])
    if name:
        ((verdict, _),) = played
        print(f"{MARKS[verdict.passed]}: {verdict.message or verdict.criterion}")
        return verdict.points
    checked = Checked(exercise, tuple(v for v, _ in played), tuple(e for _, e in played))
    _show_failure(checked)
    return checked


def _remember(exercise: Exercise, verdicts: list[Verdict]) -> None:
    records = read_progress()
    record = records.setdefault(exercise.number, Record())
    record.tries += 1
    for verdict in verdicts:
        record.best[verdict.case] = max(verdict.points, record.best.get(verdict.case, 0))
    write_progress(records)


def _show_failure(checked: Checked) -> None:
    """In a notebook, the exchange at which the first failed case went wrong, in a Stepper."""
    ipython: Any = sys.modules.get("IPython")
    failure = checked.first_failure
    if failure is None or ipython is None or ipython.get_ipython() is None:
        return
    _, run = failure
    if run.events:
        from agentlab.views import Stepper

        ipython.display.display(Stepper(run, position=len(run.events) - 1))


@dataclass(frozen=True)
class Hints:
    """The hints of an exercise, closed until somebody opens them, one inside the other."""

    number: str
    texts: tuple[str, ...]

    def __repr__(self) -> str:
        return ngettext(
            '{count} hint: hint("{number}", 1) shows it.',
            '{count} hints: hint("{number}", 1) shows the first one.',
            len(self.texts),
            number=self.number,
        )

    def _repr_html_(self) -> str:
        page = ""
        for place, text in reversed([*enumerate(self.texts, 1)]):
            head = gettext("Hint {place} of {total}", place=place, total=len(self.texts))
            summary = f"<summary>{escape(head)}</summary>"
            page = f"<details>{summary}<p>{escape(text)}</p>{page}</details>"
        return page


def hint(number: str, which: int | None = None) -> Hints | str:
    """The hints of an exercise, after a first try.

    Args:
        number: the exercise.
        which: the number of one hint, to have its text; all of them, to be opened, by default.

    Raises:
        ConfigurationError: for an exercise or a hint that does not exist.
    """
    exercise = load(number)
    record = read_progress().get(exercise.number)
    if record is None or not record.tries:
        return gettext(
            'Try it first: check("{number}") says what is missing.', number=exercise.number
        )
    if which is None:
        return Hints(exercise.number, exercise.hints)
    if not 1 <= which <= len(exercise.hints):
        raise ConfigurationError(
            "There is no hint {which!r}. Exercise {number} has hints 1 to {count}.",
            which=which,
            number=number,
            count=len(exercise.hints),
        )
    return exercise.hints[which - 1]


@dataclass(frozen=True)
class CourseMap:
    """How far a learner has come, over the whole course."""

    rows: tuple[tuple[str, str, float, float], ...]

    def __repr__(self) -> str:
        return self._table().as_text()

    def _repr_html_(self) -> str:
        return self._table().as_html()

    def _table(self) -> Table:
        columns = [
            Column("", "name"),
            Column(gettext("exercise")),
            Column("", "bar"),
            Column("", "number"),
        ]
        rows = [
            [number, title, _bar(had, most), f"{had:g} / {most:g}"]
            for number, title, had, most in self.rows
        ]
        caption = gettext(
            "Your way so far: {points:g} of {most:g} points",
            points=sum(row[2] for row in self.rows),
            most=sum(row[3] for row in self.rows),
        )
        return Table(caption, columns, rows)


def _bar(had: float, most: float, width: int = 10) -> str:
    full = round(width * had / most) if most else 0
    return "█" * full + "░" * (width - full)


def progress() -> CourseMap:
    """The exercises of the course, and how much of each is done; kept on this computer only."""
    return CourseMap(tuple(all_done()))
