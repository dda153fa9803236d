"""The unit of work: one hand-in and one exercise go in, one result comes out, and nothing else.

The same bytes, exercise, suite and seed give the same result on every machine, so a result can be
made again, kept under its key, or made somewhere else.
"""

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from agentlab.events import Run
from agentlab.exercises.case import Case, Evidence, Exercise, Nonce, Verdict
from agentlab.exercises.cells import Cell, select
from agentlab.exercises.judging import Judge, decide
from agentlab.exercises.suites import CHECKS, HIDDEN, NOTEBOOK, find_folder, load, released_cells
from agentlab.grading.reading import Unreadable, cells_of, read_notebook
from agentlab.grading.sandbox import Limits, Sandbox, SandboxBroken, Tier

Outcome = Literal[
    "graded", "partial", "timeout", "runaway", "died", "flood", "no_answer", "infra_error"
]
"""`infra_error` says nothing about the answer: it is no zero, and is tried again."""

ATTEMPTS = 2
"""How often a sandbox may break before that is reported."""
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
    """A name for all that a result depends on beside the hand-in: cases, notebook, package."""
    folder = find_folder(number)
    digest = hashlib.sha256()
    for name in (CHECKS, HIDDEN, NOTEBOOK):
        path = folder / name
        digest.update(path.read_bytes() if path.is_file() else b"-")
        digest.update(b"\0")
    digest.update(version("agentlab").encode())
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
    limits = limits or Limits()
    try:
        handed_in = cells_of(read_notebook(content))
    except Unreadable as error:
        return _unread(exercise, str(error), sandbox.tier)
    selection = select(handed_in, released_cells(number), exercise.answers)
    own_seed = seed_of(content, seed)
    verdicts: list[Verdict] = []
    notes: list[str] = list(selection.warnings)
    failure = ""
    stuck: Verdict | None = None
    ends_at = time.monotonic() + limits.hand_in_seconds
    for case in exercise.cases:
        if stuck is not None:  # it hangs again and again: no need to wait for the rest
            verdicts.append(_like(stuck, case))
            continue
        try:
            verdict, evidence, cells_ran = _played(case, selection.cells, own_seed, sandbox, limits)
        except SandboxBroken as error:
            return Result(number, "infra_error", (), (str(error),), sandbox.tier)
        verdicts.append(verdict)
        notes += [note for note in evidence.notes if note not in notes]
        if any("was stopped after" in note for note in evidence.notes):
            limits = replace(limits, cell_seconds=ONCE_STOPPED)
        if not verdict.passed and not failure and evidence.run.events:
            failure = _kept(evidence.run)
        out_of_time = not verdict.passed and time.monotonic() > ends_at
        stuck = verdict if out_of_time or not cells_ran else None
    return Result(number, _state(verdicts), tuple(verdicts), tuple(notes), sandbox.tier, failure)


def seed_of(content: bytes, seed: str) -> str:
    """The seed of one hand-in: another one gets other words, and the same one the same."""
    return hashlib.sha256(seed.encode() + content).hexdigest()


def _played(
    case: Case, cells: Sequence[Cell], seed: str, sandbox: Sandbox, limits: Limits
) -> tuple[Verdict, Evidence, bool]:
    """Play a case in the sandbox, a second time where the sandbox broke."""
    for attempt in range(ATTEMPTS):
        judge = Judge(case.play(Nonce(f"{seed}/{case.name}")))
        try:
            performed = sandbox.perform(cells, judge.task, judge.handle, limits)
        except SandboxBroken:
            if attempt == ATTEMPTS - 1:
                raise
            continue
        finished = performed.finished or {"notes": list(performed.notes)}
        evidence = judge.evidence(finished, performed.ending)
        return decide(case, evidence), evidence, performed.cells_ran
    raise AssertionError("unreachable")


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


def _kept(run: Run) -> str:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        run.save(path)
        text = path.read_text("utf-8")
    return text if len(text) <= LONGEST_RUN else ""
