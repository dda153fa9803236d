"""Where exercises are, and reading them."""

import importlib.util
import json
import os
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from agentlab.errors import ConfigurationError
from agentlab.exercises.case import Exercise
from agentlab.exercises.cells import Cell, code_cells
from agentlab.language import gettext

CHECKS, HIDDEN, NOTEBOOK = "checks.py", "hidden.py", "exercise.ipynb"


def exercises_folder() -> Path:
    """The folder with the exercises: the one that `AGENTLAB_EXERCISES` names, or the package's.

    Raises:
        ConfigurationError: where there is none.
    """
    package = Path(__file__).parent
    named = os.environ.get("AGENTLAB_EXERCISES")
    places = [Path(named)] if named else [package / "given", package.parents[1] / "exercises"]
    for place in places:
        if place.is_dir():
            return place
    raise ConfigurationError(
        "There are no exercises in {places!r}. Name their folder in AGENTLAB_EXERCISES.",
        places=str(places[-1]),
    )


def folders() -> dict[str, Path]:
    """The folder of each exercise, by its number."""
    found = sorted(exercises_folder().glob("[0-9][0-9]_*"))
    return {path.name[:2]: path for path in found if (path / CHECKS).is_file()}


def find_folder(name: str) -> Path:
    """The folder of an exercise.

    Args:
        name: its number, or the folder's own name.

    Raises:
        ConfigurationError: naming those there are.
    """
    known = folders()
    for number, path in known.items():
        if name in (number, path.name, str(int(number))):
            return path
    listed = ", ".join(known) or gettext("none")
    raise ConfigurationError(
        "There is no exercise {name!r}. Exercises: {listed}.", name=name, listed=listed
    )


def load(name: str, *, hidden: bool = False) -> Exercise:
    """An exercise with its cases.

    Args:
        name: its number, or its folder's name.
        hidden: whether the cases that are kept for grading come with it.

    Raises:
        ConfigurationError: where there is no such exercise.
    """
    folder = find_folder(name)
    exercise: Exercise = _module(folder / CHECKS).EXERCISE
    if hidden and (folder / HIDDEN).is_file():
        more = _module(folder / HIDDEN).HIDDEN
        return replace(exercise, cases=(*exercise.cases, *more))
    return exercise


def released_cells(name: str) -> list[Cell]:
    """The code cells of an exercise as it is given out."""
    notebook = json.loads((find_folder(name) / NOTEBOOK).read_text("utf-8"))
    return code_cells(notebook)


@cache
def _module(path: Path) -> Any:
    """A file of an exercise as a module of its own; files of one folder can import each other."""
    name = f"agentlab_exercise_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
