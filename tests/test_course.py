"""The course in a learner's folder: everything is there, and nothing of theirs is lost."""

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from agentlab.course import copy_course, course_folder, first_lesson
from agentlab.errors import ConfigurationError
from agentlab.exercises.suites import folders
from tests.test_lab_settings import built

PROJECT = Path(__file__).resolve().parent.parent
NOTEBOOKS = PROJECT / "notebooks"
LESSONS = [
    path.relative_to(NOTEBOOKS).as_posix()
    for path in sorted([*NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("ru/*.ipynb")])
]
"""Those in English and those in another language, below their folder."""


def test_lessons_and_exercises_are_copied(tmp_path: Path) -> None:
    copied = copy_course(tmp_path / "course")
    assert copied.kept == ()
    notebooks = tmp_path / "course" / "notebooks"
    assert (
        sorted(p.relative_to(notebooks).as_posix() for p in notebooks.rglob("*.ipynb")) == LESSONS
    )
    exercises = sorted(p.name for p in (tmp_path / "course" / "exercises").iterdir())
    assert exercises == sorted(folder.name for folder in folders().values())
    found = {path.name for path in (tmp_path / "course" / "exercises").rglob("*.*")}
    assert found == {"exercise.ipynb"}, "answers stay where they are"


def test_a_learners_work_is_kept(tmp_path: Path) -> None:
    copy_course(tmp_path)
    lesson = tmp_path / "notebooks" / LESSONS[0]
    lesson.write_text("my own work", "utf-8")
    (tmp_path / "notebooks" / LESSONS[1]).unlink()
    copied = copy_course(tmp_path)
    assert copied.kept == (lesson,)
    assert [path.name for path in copied.new] == [LESSONS[1]]
    assert lesson.read_text("utf-8") == "my own work"


def test_a_course_begins_in_the_readers_language_where_it_can() -> None:
    assert first_lesson(PROJECT, "ru") == "notebooks/ru/00_start_here.ipynb"
    assert first_lesson(PROJECT, "de") == "notebooks/00_start_here.ipynb"


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(ConfigurationError, match="Name a folder of your own"):
        copy_course(tmp_path / "file" / "course")


def test_an_installed_package_brings_its_course(tmp_path: Path) -> None:
    """As from a wheel, beside the packages that are here already."""
    (tmp_path / "wheel").mkdir()
    files = built("wheel", tmp_path / "wheel")
    names = [name for name in files if name.startswith("agentlab/")]
    assert f"agentlab/lessons/notebooks/{LESSONS[0]}" in names
    assert not [n for n in names if "solution" in n or "hidden" in n or "/wrong/" in n]
    venv.create(tmp_path / "env", system_site_packages=False, with_pip=False)
    site = next((tmp_path / "env").glob("lib/python*/site-packages"))
    for name, content in files.items():
        if name.startswith("agentlab/"):
            path = site / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    here = next(Path(entry) for entry in sys.path if entry.endswith("site-packages"))
    (site / "others.pth").write_text(str(here), "utf-8")
    code = (
        "import agentlab, json; from agentlab.course import copy_course, course_folder;"
        "from agentlab.exercises.suites import load; from pathlib import Path;"
        "copied = copy_course(Path('mine'));"
        "print(json.dumps([agentlab.__file__, len(copied.new), load('05').title]))"
    )
    done = subprocess.run(
        [str(tmp_path / "env" / "bin" / "python"), "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    file, copies, title = json.loads(done.stdout)
    assert file.startswith(str(site))
    assert copies == len(LESSONS) + len(folders())
    assert title == "Write the loop"


def test_in_a_clone_the_clone_is_opened() -> None:
    assert course_folder() == PROJECT
