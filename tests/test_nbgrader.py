"""nbgrader from end to end, with our executor: what it does for a course goes on working."""

import csv
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agentlab.exercises.suites import folders
from agentlab.grading.releasing import release
from tests.exercise_answers import handed_in, solutions, wrong_answers

NUMBER = "05"
NAME = folders()[NUMBER].name
HANGS = "def run_agent(*a, **k):\n    while True: pass"
EXITS = "import os\ndef run_agent(*a, **k): os._exit(0)"
CHEATS = "class E(str):\n    __eq__ = lambda s, o: True\ndef run_agent(*a, **k): return E()"
LOGS = "import warnings\nwarnings.warn('careful')\n"


def nbgrader(course: Path, *command: str) -> str:
    beside_python = str(Path(sys.executable).parent)  # nbgrader looks for alembic on the path
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *command],
        cwd=course,
        env={**os.environ, "PATH": f"{beside_python}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def without_metadata(content: bytes) -> bytes:
    read = json.loads(content)
    for cell in read["cells"]:
        cell["metadata"] = {}
    return json.dumps(read).encode()


def without_checks(content: bytes) -> bytes:
    read = json.loads(content)
    read["cells"] = [c for c in read["cells"] if not is_check(c)]
    return json.dumps(read).encode()


def with_copied_cell(content: bytes) -> bytes:
    """The answer cell twice, the first time as it was given out."""
    read = json.loads(content)
    place = next(n for n, cell in enumerate(read["cells"]) if "answer" in tags(cell))
    copy = {**read["cells"][place], "id": "a-copy", "source": "def run_agent(): return 0"}
    read["cells"].insert(place, copy)
    return json.dumps(read).encode()


def is_check(cell: dict[str, Any]) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get("grade"))


def tags(cell: dict[str, Any]) -> list[str]:
    return list(cell["metadata"].get("tags", []))


def class_of_twenty() -> dict[str, tuple[bytes, float]]:
    """Hand-ins by learner, with the points that each has to get."""
    right = solutions_of(NUMBER)
    whole = handed_in(NUMBER, right[0])
    hand_ins = {
        "right": (whole, 5.0),
        "other": (handed_in(NUMBER, right[1]), 5.0),
        "logs": (handed_in(NUMBER, LOGS + right[0]), 5.0),
        "bare": (without_metadata(whole), 5.0),
        "unchecked": (without_checks(whole), 5.0),
        "copied": (with_copied_cell(whole), 5.0),
        "hangs": (handed_in(NUMBER, HANGS), 0.0),
        "exits": (handed_in(NUMBER, EXITS), 0.0),
        "cheats": (handed_in(NUMBER, CHEATS), 0.0),
        "empty": (handed_in(NUMBER, ""), 0.0),
    }
    for answer in wrong_answers():
        if answer.number == NUMBER:
            points = 5.0 - len(answer.fails)
            hand_ins[answer.path.stem.replace("_", "")] = (
                handed_in(NUMBER, answer.source),
                points,
            )
    for number in range(20 - len(hand_ins)):
        hand_ins[f"more{number}"] = (handed_in(NUMBER, f"# {number}\n{right[0]}"), 5.0)
    return hand_ins


def solutions_of(number: str) -> list[str]:
    return [answer.source for answer in solutions() if answer.number == number]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course that was released, handed in over an LMS, collected and graded."""
    course = tmp_path_factory.mktemp("course")
    release(NUMBER, course / "source", for_nbgrader=True)
    (course / "nbgrader_config.py").write_text(
        "from agentlab.grading.nbgrader import configure\n"
        "c = get_config()\n"
        "configure(c)\n"
        "c.CourseDirectory.course_id = 'agents'\n"
        "c.GradeInSandbox.seed = 'a seed of the tests'\n"
        "c.FileNameCollectorPlugin.named_regexp = "
        r"r'.*/(?P<student_id>\w+)_\d+_assignsubmission_file_(?P<file_id>.*)'"
        "\n",
        "utf-8",
    )
    nbgrader(course, "generate_assignment", NAME)
    archive = course / "downloaded" / NAME / "archive"
    archive.mkdir(parents=True)
    with zipfile.ZipFile(archive / "moodle.zip", "w") as file:
        for learner, (content, _) in class_of_twenty().items():
            file.writestr(f"{learner}_17_assignsubmission_file_exercise.ipynb", content)
    nbgrader(course, "zip_collect", NAME)
    nbgrader(course, "autograde", NAME)
    return course


def test_the_released_notebook_has_the_stub_and_no_mark(course: Path) -> None:
    released = (course / "release" / NAME / "exercise.ipynb").read_text("utf-8")
    assert "def run_agent(client, tools, question, max_steps=10):" in released
    assert "raise NotImplementedError" in released
    assert "BEGIN SOLUTION" not in released


def test_everybody_was_collected_and_got_what_they_earned(course: Path) -> None:
    hand_ins = class_of_twenty()
    assert len(hand_ins) == 20
    nbgrader(course, "export")
    with (course / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["student_id"]: float(row["score"]) for row in rows} == {
        learner: points for learner, (_, points) in hand_ins.items()
    }
    assert {float(row["max_score"]) for row in rows} == {5.0}


def test_the_feedback_says_what_broke(course: Path) -> None:
    nbgrader(course, "generate_feedback", NAME)
    feedback = (course / "feedback" / "firstcallonly" / NAME / "exercise.html").read_text("utf-8")
    assert "the API refused a request of yours" in feedback
    assert "passed: an answer without a tool is returned" in feedback
