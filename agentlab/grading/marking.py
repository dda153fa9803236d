"""The unit of work: one hand-in and one exercise go in, one result comes out, and nothing else.

The same bytes, exercise, suite and seed give the same result on every machine, so a result can be
made again, kept under its key, or made somewhere else. Its sentences are in the language of whoever
marks.
"""

import hashlib
import io
import json
import time
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from typing import Any, Literal

from agentlab.events import Run
from agentlab.exercises.case import Case, Evidence, Exercise, Nonce, Verdict
from agentlab.exercises.cells import Selection, select
from agentlab.exercises.judging import Judge, decide
from agentlab.exercises.suites import CHECKS, HIDDEN, NOTEBOOK, find_folder, load, released_cells
from agentlab.grading.reading import Unreadable, cells_of, read_notebook
from agentlab.grading.sandbox import Limits, Sandbox, SandboxBroken, Tier
from agentlab.language import language

Outcome = Literal[
    "graded", "partial", "timeout", "runaway", "died", "flood", "no_answer", "infra_error"
]
"""`infra_error` says nothing about the answer: it is no zero, and is tried again."""

ATTEMPTS = 2
"""How often a sandbox may break before that is reported."""
STOPPED = "was stopped after"
"""How a note says, in the sandbox and so in English, that a cell had to be stopped."""
ONCE_STOPPED = 0.5
"""Seconds for a cell of a notebook of which one had to be stopped before."""
LONGEST_RUN = 300_000
"""Characters of the run that is kept with a result."""


@dataclass(frozen=True)
class Result:
    """What a hand-in got, and why."""

    exercise: str
    state: Outcome
    cases: tuple[Verdict, ...] = ()
    warnings: tuple[str, ...] = ()
    """What was strange about the notebook, and what its cells gave cause for."""
    tier: str = ""
    """How strong the wall around the answer was."""
    failure: str = field(default="", repr=False)
    """The run of the first case that failed, as JSON Lines; empty where there is none."""

    @property
    def points(self) -> float:
        """Points of all cases together."""
        return sum(verdict.points for verdict in self.cases)

    @property
    def most(self) -> float:
        """The most that could be had, whatever the hand-in says."""
        return sum(verdict.most for verdict in self.cases)

    def as_json(self) -> str:
        """The result as text that is the same each time."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True, indent=1)

    @classmethod
    def from_json(cls, text: str) -> "Result":
        """Read what `as_json` wrote."""
        read: dict[str, Any] = json.loads(text)
        cases = tuple(Verdict(**case) for case in read.pop("cases"))
        return cls(cases=cases, warnings=tuple(read.pop("warnings")), **read)


def suite_version(number: str) -> str:
    """A name for all that a result depends on beside the hand-in: cases, package, language."""
    folder = find_folder(number)
    digest = hashlib.sha256()
    for name in (CHECKS, HIDDEN, NOTEBOOK):
        path = folder / name
        digest.update(path.read_bytes() if path.is_file() else b"-")
        digest.update(b"\0")
    digest.update(f"{version('agentlab')} {language()}".encode())
    return digest.hexdigest()[:16]


def key_of(content: bytes, number: str, suite: str, seed: str, limits: Limits) -> str:
    """The name under which a result is kept."""
    setting = json.dumps([number, suite, seed, asdict(limits)]).encode()
    return hashlib.sha256(setting + b"\0" + content).hexdigest()[:32]


def mark(
    content: bytes, number: str, seed: str, sandbox: Sandbox, limits: Limits | None = None
) -> Result:
    """Grade one hand-in.

    Args:
        content: the bytes of the notebook.
        number: the exercise.
        seed: of the words and numbers in it, together with the bytes themselves.
        sandbox: where it runs.
        limits: what it may use.
    """
    exercise = load(number, hidden=True)
    try:
        handed_in = cells_of(read_notebook(content))
    except Unreadable as error:
        return _unread(exercise, str(error), sandbox.tier)
    selection = select(handed_in, released_cells(number), exercise.answers)
    marking = _Marking(selection, seed_of(content, seed), sandbox, limits or Limits())
    try:
        verdicts = [marking.verdict_on(case) for case in exercise.cases]
    except SandboxBroken as error:
        return Result(number, "infra_error", (), (str(error),), sandbox.tier)
    return Result(
        number,
        _state(verdicts),
        tuple(verdicts),
        tuple(marking.notes),
        sandbox.tier,
        marking.failure,
    )


def seed_of(content: bytes, seed: str) -> str:
    """The seed of one hand-in: another one gets other words, and the same one the same."""
    return hashlib.sha256(seed.encode() + content).hexdigest()


class _Marking:
    """One hand-in, while one case after the other is played to it."""

    def __init__(self, selection: Selection, seed: str, sandbox: Sandbox, limits: Limits) -> None:
        self.notes = list(selection.warnings)
        self.failure = ""
        """The run of the first case that failed, as JSON Lines."""
        self._cells = selection.cells
        self._seed = seed
        self._sandbox = sandbox
        self._limits = limits
        self._stuck: Verdict | None = None
        self._ends_at = time.monotonic() + limits.hand_in_seconds

    def verdict_on(self, case: Case) -> Verdict:
        """Play a case and decide.

        Raises:
            SandboxBroken: where the sandbox broke again and again.
        """
        if self._stuck is not None:  # it hangs again and again: no need to wait for the rest
            return _like(self._stuck, case)
        verdict, evidence, cells_ran = self._played(case)
        self._keep_notes(evidence)
        if not verdict.passed and not self.failure:
            self.failure = _as_lines(evidence.run)
        out_of_time = not verdict.passed and time.monotonic() > self._ends_at
        self._stuck = verdict if out_of_time or not cells_ran else None
        return verdict

    def _played(self, case: Case) -> tuple[Verdict, Evidence, bool]:
        """The verdict, what it was made from, and whether the cells came to their end."""
        for attempt in range(ATTEMPTS):
            judge = Judge(case.play(Nonce(f"{self._seed}/{case.name}")))
            try:
                performed = self._sandbox.perform(
                    self._cells, judge.task, judge.handle, self._limits
                )
            except SandboxBroken:
                if attempt == ATTEMPTS - 1:
                    raise
                continue
            finished = performed.finished or {"notes": list(performed.notes)}
            evidence = judge.evidence(finished, performed.ending)
            return decide(case, evidence), evidence, performed.cells_ran
        raise AssertionError("unreachable")

    def _keep_notes(self, evidence: Evidence) -> None:
        self.notes += [note for note in evidence.notes if note not in self.notes]
        if any(STOPPED in note for note in evidence.notes):
            self._limits = replace(self._limits, cell_seconds=ONCE_STOPPED)


def _unread(exercise: Exercise, why: str, tier: Tier) -> Result:
    cases = tuple(
        Verdict(case.name, case.criterion, 0, case.points, "no_answer", why)
        for case in exercise.cases
    )
    return Result(exercise.number, "no_answer", cases, (why,), tier)


def _like(stuck: Verdict, case: Case) -> Verdict:
    return Verdict(case.name, case.criterion, 0, case.points, stuck.state, stuck.message)


def _state(verdicts: list[Verdict]) -> Outcome:
    states: set[Outcome] = set()
    for verdict in verdicts:
        state = verdict.state
        states.add("graded" if state == "passed" or state == "failed" else state)
    return states.pop() if len(states) == 1 else "partial"


def _as_lines(run: Run) -> str:
    """A run as JSON Lines; nothing of one in which nothing happened or that is too long."""
    lines = io.StringIO()
    if run.events:
        run.save(lines)
    return lines.getvalue() if len(lines.getvalue()) <= LONGEST_RUN else ""
