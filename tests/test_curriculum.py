"""Nothing that the course promises is without cells that teach it."""

import re
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from tests.curriculum import IDEAS, Idea

PROJECT = Path(__file__).resolve().parent.parent
EXPECTED = [f"A{n}" for n in range(1, 25)] + ["B1", "B2", "D", "E"]


def notebook(name: str) -> NotebookNode:
    if (PROJECT / "exercises" / name).is_dir():
        return nbformat.read(PROJECT / "exercises" / name / "exercise.ipynb", as_version=4)
    (path,) = (PROJECT / "notebooks").glob(f"{name}*.ipynb")
    return nbformat.read(path, as_version=4)


def test_every_idea_is_there_once() -> None:
    assert [idea.key for idea in IDEAS] == EXPECTED


@pytest.mark.parametrize("idea", IDEAS, ids=lambda idea: idea.key)
def test_an_idea_is_taught_in_cells_that_exist(idea: Idea) -> None:
    kinds = set()
    for name, ids in idea.cells.items():
        assert ids, f"no cell of {name} teaches: {idea.says}"
        cells = {cell.id: cell for cell in notebook(name).cells}
        for each in ids:
            assert each in cells, f"{name} has no cell {each!r}"
            assert cells[each].source.strip()
            kinds.add(cells[each].cell_type)
    assert "markdown" in kinds
    if idea.key not in ("D", "E"):
        assert "code" in kinds, f"a learner reads about it and does nothing: {idea.says}"


def test_every_lesson_teaches_something_listed() -> None:
    named = {name for idea in IDEAS for name in idea.cells}
    lessons = {path.name[:2] for path in (PROJECT / "notebooks").glob("[0-9][0-9]_*.ipynb")}
    assert lessons <= named


def test_the_readme_lists_every_lesson() -> None:
    rows = re.findall(r"^\| (\d\d) \|", (PROJECT / "README.md").read_text("utf-8"), re.MULTILINE)
    lessons = sorted(path.name[:2] for path in (PROJECT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    assert rows == lessons
