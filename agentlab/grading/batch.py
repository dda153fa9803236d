"""A whole class: each hand-in is marked once, and what was marked is never lost."""

import logging
import re
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from agentlab.errors import ConfigurationError
from agentlab.grading.book import Batch, Marked
from agentlab.grading.collecting import HandIn, collect
from agentlab.grading.marking import Result, key_of, mark, suite_version
from agentlab.grading.reporting import write_report
from agentlab.grading.sandbox import Limits, Sandbox, Tier, require_wall

SEED = re.compile(r"[\w -]{16,80}")
log = logging.getLogger(__name__)

Begun = Callable[[int], object]
Told = Callable[[Marked], object]


def grade(
    submissions: Path,
    out: Path,
    *,
    exercise: str | None = None,
    jobs: int = 2,
    limits: Limits | None = None,
    trust_submissions: bool = False,
    scheduler: str | None = None,
    begun: Begun | None = None,
    told: Told | None = None,
) -> Batch:
    """Mark everything below a folder, and write the report.

    What was marked before is not marked again: a run that was interrupted goes on where it was.

    Args:
        submissions: a folder, a zip or a notebook.
        out: the folder of the report; it is made where it is not there.
        exercise: the exercise that all of them are for, where the notebooks cannot tell.
        jobs: how many are marked at once.
        limits: what each case may use.
        trust_submissions: go on where there is no wall around the answers.
        scheduler: the address of a Dask scheduler that hands the work out.
        begun: called with the number of hand-ins, before the first of them is marked.
        told: called with each result as it comes.

    Raises:
        ConfigurationError: where there is nothing to mark, or no wall to mark it behind.
    """
    tier = require_wall(trust_submissions=trust_submissions)
    if not submissions.exists():
        raise ConfigurationError(
            "There is no {submissions!r}. Name the folder of hand-ins.",
            submissions=str(submissions),
        )
    handed_in = collect(submissions, exercise)
    if not handed_in:
        raise ConfigurationError(
            "There are no notebooks below {submissions!r}: neither .ipynb files nor zips.",
            submissions=str(submissions),
        )
    if begun is not None:
        begun(len(handed_in))
    desk = Desk(out, limits or Limits())
    marked = {}
    for each in desk.mark_all(handed_in, jobs, tier, scheduler):
        marked[id(each.hand_in)] = each
        if told is not None:
            told(each)
    in_order = tuple(marked[id(each)] for each in handed_in)
    batch = Batch(in_order, tier)
    write_report(batch, out)
    return batch


class Desk:
    """Where results lie, each in a file under its key.

    Args:
        out: the folder of the report.
        limits: what each case may use.
    """

    def __init__(self, out: Path, limits: Limits) -> None:
        self.limits = limits
        self._results = out / "results"
        self._results.mkdir(parents=True, exist_ok=True)
        self.seed = self._seed(out / "seed")

    def mark_all(
        self, handed_in: Sequence[HandIn], jobs: int, tier: Tier, scheduler: str | None
    ) -> Iterator[Marked]:
        """The results in the order in which they come; those that lie there first."""
        suites = {
            each.exercise: suite_version(each.exercise) for each in handed_in if each.exercise
        }
        waiting: dict[str, list[HandIn]] = {}
        for each in handed_in:
            if each.trouble or each.exercise is None:
                yield Marked(each, Result(each.exercise or "", "no_answer", (), (each.trouble,)))
                continue
            suite = suites[each.exercise]
            key = key_of(each.content, each.exercise, suite, self.seed, self.limits)
            if (known := self._read(key)) is not None:
                yield Marked(each, known, key)
            else:
                waiting.setdefault(key, []).append(each)  # copies of one file are marked once
        work = [(key, alike[0].content, str(alike[0].exercise)) for key, alike in waiting.items()]
        for key, result in self._marked(work, jobs, tier, scheduler):
            if result.state != "infra_error":
                self._write(key, result)
            for each in waiting[key]:
                yield Marked(each, result, key)

    def _marked(
        self, work: Sequence[tuple[str, bytes, str]], jobs: int, tier: Tier, scheduler: str | None
    ) -> Iterable[tuple[str, Result]]:
        if scheduler is not None:
            from agentlab.grading.cluster import mark_on_cluster  # its package is an extra

            return mark_on_cluster(work, self.seed, self.limits, scheduler)
        return _mark_here(work, self.seed, self.limits, jobs, tier)

    def _seed(self, path: Path) -> str:
        """The seed of this report: secret before it is made, and the same when it is resumed."""
        if not path.exists():
            _write_whole(path, secrets.token_hex(16))
        seed = path.read_text("utf-8", "replace").strip()
        if not SEED.fullmatch(seed):
            raise ConfigurationError(
                "{path!r} holds {seed!r}, which is no seed of a report. Delete it to mark "
                "with a new one.",
                path=str(path),
                seed=seed[:40],
            )
        return seed

    def _read(self, key: str) -> Result | None:
        try:
            return Result.from_json((self._results / f"{key}.json").read_text("utf-8"))
        except (OSError, ValueError, TypeError, KeyError):
            return None  # not there, or not whole: it is marked again

    def _write(self, key: str, result: Result) -> None:
        _write_whole(self._results / f"{key}.json", result.as_json())


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    being_written = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    being_written.write_text(text, "utf-8")
    being_written.replace(path)


def _mark_here(
    work: Sequence[tuple[str, bytes, str]], seed: str, limits: Limits, jobs: int, tier: Tier
) -> Iterator[tuple[str, Result]]:
    """Mark on this computer, in as many sandboxes as there are jobs."""
    own = threading.local()
    sandboxes: list[Sandbox] = []

    def mark_one(content: bytes, number: str) -> Result:
        if not hasattr(own, "sandbox"):
            own.sandbox = Sandbox(tier)
            sandboxes.append(own.sandbox)
        try:
            return mark(content, number, seed, own.sandbox, limits)
        except Exception as error:  # of ours: it must not take the class along, and is no zero
            log.exception("marking failed")
            return Result(number, "infra_error", (), (f"{type(error).__name__}: {error}"[:300],))

    try:
        with ThreadPoolExecutor(max(jobs, 1)) as pool:
            futures = {pool.submit(mark_one, content, n): key for key, content, n in work}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            finally:
                pool.shutdown(cancel_futures=True)
    finally:
        for sandbox in sandboxes:
            sandbox.close()
