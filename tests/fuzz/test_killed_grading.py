"""A grading that is killed at random points and started again, until it comes to its end."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from hypothesis import settings

from agentlab.exercises.suites import folders
from agentlab.grading.batch import grade
from tests.exercise_answers import handed_in, solutions, wrong_answers

NUMBER = "05"
KILLS = 20 if settings.get_current_profile_name() == "fuzz" else 5
REPORTS = ("gradebook.csv", "cases.csv", "gradebook.json", "canvas.csv", "index.html")


def hand_in(folder: Path, learners: int) -> None:
    """Right and wrong answers in turn, each of them different from all others."""
    answers = [a.source for a in (*solutions(), *wrong_answers()) if a.number == NUMBER]
    for number in range(learners):
        path = folder / f"learner{number:02}" / folders()[NUMBER].name / "exercise.ipynb"
        path.parent.mkdir(parents=True)
        source = answers[number % len(answers)]
        path.write_bytes(handed_in(NUMBER, f"# {number}\n{source}"))


def start_grading(folder: Path, out: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "agentlab.cli", "grade", str(folder), "--out", str(out)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def results_in(out: Path) -> list[str]:
    return sorted(path.name for path in (out / "results").glob("*.json"))


def test_a_grading_that_is_killed_again_and_again_ends_in_the_same_gradebook(
    tmp_path: Path,
) -> None:
    folder, undisturbed, killed = (tmp_path / name for name in ("in", "undisturbed", "killed"))
    hand_in(folder, learners=4 * KILLS)
    for out in (undisturbed, killed):
        out.mkdir()
        (out / "seed").write_text("a seed of the tests", "utf-8")
    grade(folder, undisturbed)
    chance = random.Random(7)
    for kill in range(KILLS):
        wanted = len(results_in(killed)) + min(kill, chance.randrange(3))
        process = start_grading(folder, killed)
        while len(results_in(killed)) < wanted:
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.5))
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "it was at work"
    assert 0 < len(results_in(killed)) < len(results_in(undisturbed))
    assert start_grading(folder, killed).wait() == 0
    for name in REPORTS:
        assert (killed / name).read_bytes() == (undisturbed / name).read_bytes()
    assert results_in(killed) == results_in(undisturbed)
