"""Grading on several workers, of which one dies in the middle."""

import os
import signal
from pathlib import Path

import pytest
from distributed import LocalCluster

from agentlab.errors import ConfigurationError
from agentlab.grading.batch import grade
from tests.exercise_answers import solutions, wrong_answers
from tests.test_grading import SEED, hand_in

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of distributed, when killed


def test_a_worker_that_is_killed_changes_nothing(tmp_path: Path) -> None:
    sources = [a.source for a in [*solutions(), *wrong_answers()] if a.number == "05"]
    for number in range(16):
        source = f"# {number}\n{sources[number % len(sources)]}"
        hand_in(tmp_path / "in", f"learner{number:02}", source)
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "seed").write_text(SEED, "utf-8")
    grade(tmp_path / "in", tmp_path / "here")
    came: list[str] = []

    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:

        def kill_one(marked: object) -> None:
            came.append(str(marked))
            if len(came) == 3:
                worker = next(iter(cluster.workers.values()))
                os.kill(worker.pid, signal.SIGKILL)

        batch = grade(
            tmp_path / "in",
            tmp_path / "there",
            scheduler=cluster.scheduler_address,
            told=kill_one,
        )
    assert len(came) == 16
    assert batch.broken == []
    for name in ("gradebook.csv", "cases.csv", "index.html"):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_no_scheduler_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from agentlab.grading import cluster

    monkeypatch.setattr(cluster, "PATIENCE", 1)
    hand_in(tmp_path / "in", "anna", "x = 1")
    with pytest.raises(ConfigurationError, match="No scheduler answers"):
        grade(tmp_path / "in", tmp_path / "out", scheduler="tcp://127.0.0.1:9")
