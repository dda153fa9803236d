"""nbgrader with another executor: everything of it works as it is, and no answer runs in a kernel.

In `nbgrader_config.py`:

    from agentlab.grading.nbgrader import configure

    configure(get_config())

nbgrader's own executor runs hand-ins as the instructor, on the instructor's files; what answers say
of themselves is the mark, a word on stderr is a zero, and a cell that lost its metadata is none.
"""

import secrets
from functools import cache
from typing import Any

import nbformat
from nbgrader.preprocessors import (  # type: ignore[import-untyped]
    AssignLatePenalties,
    CheckCellMetadata,
    ClearOutput,
    DeduplicateIds,
    IgnorePattern,
    LimitOutput,
    NbGraderPreprocessor,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)
from nbgrader.utils import is_grade  # type: ignore[import-untyped]
from traitlets import Unicode

from agentlab.errors import ConfigurationError
from agentlab.exercises.cells import Cell, answer_cell, code_cells
from agentlab.exercises.suites import find_folder, load, released_cells
from agentlab.grading.marking import mark
from agentlab.grading.sandbox import Sandbox, require_wall
from agentlab.language import gettext

Notebook = Any
Resources = Any


def configure(config: Any) -> None:
    """Have `nbgrader autograde` repair what editors lose, and run answers in the sandbox."""
    config.Autograde.sanitize_preprocessors = [
        RepairCells,
        ClearOutput,
        DeduplicateIds,
        OverwriteKernelspec,
        OverwriteCells,
        CheckCellMetadata,
    ]
    config.Autograde.autograde_preprocessors = [
        GradeInSandbox,
        IgnorePattern,
        LimitOutput,
        SaveAutoGrades,
        AssignLatePenalties,
        CheckCellMetadata,
    ]


def exercise_of(notebook: Notebook, resources: Resources) -> str:
    """The exercise that a notebook is for: by the name of the assignment, or by its own word."""
    assignment = str(resources["nbgrader"]["assignment"])
    try:
        return find_folder(assignment).name[:2]
    except ConfigurationError:
        return find_folder(str(notebook.metadata.get("agentlab", {}).get("exercise"))).name[:2]


class RepairCells(NbGraderPreprocessor):  # type: ignore[misc]
    """Gives back the metadata that an editor dropped, and the check cells that were deleted."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Repair a hand-in before anything else looks at it."""
        number = exercise_of(nb, resources)
        names = load(number).answers
        code = [cell for cell in nb.cells if cell.cell_type == "code"]
        handed_in = code_cells({"cells": code})
        given = {cell.grade_id: cell for cell in released_cells(number) if cell.grade_id}
        places = {i: self._place(cell, handed_in, names) for i, cell in given.items()}
        for place, cell in enumerate(code):
            stands_for = [grade_id for grade_id, found in places.items() if found == place]
            if stands_for:
                cell.metadata["nbgrader"] = _metadata(number, stands_for[0])
            elif cell.metadata.get("nbgrader", {}).get("grade_id") in given:
                del cell.metadata["nbgrader"]  # a copy: the last one counts
        for grade_id, found in places.items():
            if found is None:
                nb.cells.append(_anew(number, grade_id))
        return nb, resources

    def _place(self, released: Cell, handed_in: list[Cell], names: tuple[str, ...]) -> int | None:
        if not released.is_check:
            found = answer_cell(handed_in, released, names)
        else:
            source = released.source.strip()
            by_source = [cell for cell in handed_in if cell.source.strip() == source]
            by_id = [cell for cell in handed_in if cell.grade_id == released.grade_id]
            found = next(iter([*by_id[-1:], *by_source[-1:]]), None)
        return None if found is None else found.number - 1


def _metadata(number: str, grade_id: str) -> Any:
    return nbformat.from_dict(_released(number)[grade_id]["metadata"]["nbgrader"])  # type: ignore[no-untyped-call]


def _anew(number: str, grade_id: str) -> Any:
    return nbformat.from_dict(_released(number)[grade_id])  # type: ignore[no-untyped-call]


def _released(number: str) -> dict[str, Any]:
    """The cells of an exercise that nbgrader knows, by their ids."""
    path = find_folder(number) / "exercise.ipynb"
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    cells = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    return {cell.metadata.nbgrader.grade_id: cell for cell in cells}


class GradeInSandbox(NbGraderPreprocessor):  # type: ignore[misc]
    """Puts into each check cell what the sandbox says: a line of words, and the points."""

    seed = Unicode(help=gettext("Of the words and numbers in the cases; fresh ones if empty.")).tag(
        config=True
    )

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Grade a hand-in; where the sandbox breaks, nbgrader is told, and no mark is given."""
        number = exercise_of(nb, resources)
        content = nbformat.writes(nb).encode()  # type: ignore[no-untyped-call]
        seed = self.seed or secrets.token_hex(16)
        result = mark(content, number, seed, _sandbox())
        if result.state == "infra_error":
            raise ConfigurationError(
                "The sandbox broke, so there is no mark: {warnings}", warnings=result.warnings
            )
        verdicts = {f"{number}-{verdict.case}": verdict for verdict in result.cases}
        for cell in nb.cells:
            verdict = verdicts.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
            if is_grade(cell) and verdict:
                passed = gettext("passed: {criterion}", criterion=verdict.criterion)
                cell.execution_count = 1
                cell.outputs = [_printed(verdict.message or passed), _value(f"{verdict.points:g}")]
        return nb, resources


@cache
def _sandbox() -> Sandbox:
    """One for the whole command; it ends with the command's process."""
    return Sandbox(require_wall(trust_submissions=False))


def _printed(words: str) -> Any:
    return nbformat.v4.new_output("stream", name="stdout", text=f"{words}\n")  # type: ignore[no-untyped-call]


def _value(points: str) -> Any:
    data = {"text/plain": points}
    return nbformat.v4.new_output("execute_result", data=data, execution_count=1)  # type: ignore[no-untyped-call]
