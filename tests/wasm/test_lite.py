"""The site that JupyterLite makes of the lessons holds what a browser asks it for."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from .packages import PROJECT

LESSONS = sorted(path.name for path in (PROJECT / "notebooks").glob("*.ipynb"))
EXERCISES = sorted(path.parent.name for path in PROJECT.glob("exercises/*/exercise.ipynb"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lite") / "site"
    command = [sys.executable, str(PROJECT / "scripts" / "lite.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert str(folder) in done.stdout
    return folder


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    command = [sys.executable, str(PROJECT / "scripts" / "lite.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert (
        done.stderr == f"{tmp_path} holds something else than such a site. Name another folder.\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def listed(site: Path, folder: str) -> list[str]:
    """The names that the page shows of a folder."""
    entries = read(site / "api" / "contents" / folder / "all.json")["content"]
    return sorted(entry["name"] for entry in entries if entry["type"] == "notebook")


def test_the_lessons_and_exercises_are_listed(site: Path) -> None:
    assert listed(site, "") == LESSONS
    assert listed(site, "exercises") == [f"{name}.ipynb" for name in EXERCISES]


def test_a_lesson_is_as_it_is_stored_after_a_cell_that_installs(site: Path) -> None:
    for name in LESSONS:
        first, *others = read(site / "files" / name)["cells"]
        assert first["source"].startswith("%pip install -q agentlab")
        assert others == read(PROJECT / "notebooks" / name)["cells"]


def test_the_index_has_the_wheel_without_answers(site: Path) -> None:
    (release,) = read(site / "pypi" / "all.json")["agentlab"]["releases"].values()
    with ZipFile(site / "pypi" / release[0]["filename"]) as wheel:
        names = wheel.namelist()
        (metadata,) = (name for name in names if name.endswith("METADATA"))
        required = wheel.read(metadata).decode()
    assert "agentlab/exercises/given/05_write_the_loop/exercise.ipynb" in names
    assert not [name for name in names if name.endswith(("solution.py", "hidden.py"))]
    assert "Requires-Dist: jsonschema-rs>=0.33; sys_platform != 'emscripten'" in required


def test_the_page_has_the_kernel_and_the_widgets(site: Path) -> None:
    config = read(site / "jupyter-lite.json")["jupyter-config-data"]
    names = {extension["name"] for extension in config["federated_extensions"]}
    assert names == {
        "@jupyter-widgets/jupyterlab-manager",
        "@jupyterlite/pyodide-kernel-extension",
        "anywidget",
    }
