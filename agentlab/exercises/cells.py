"""A learner's notebook: which of its cells to run, and running them as a notebook would.

Given cells are left out and check cells are not needed: what is asked comes from the exercise.
Nothing in a notebook can change it. Metadata is used where it is there and missed nowhere, since
editors drop it.
"""

import ast
import builtins
import re
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from agentlab.exercises.performing import in_words
from agentlab.language import gettext, ngettext

INSTALLS = re.compile(r"^([ \t]*)[%!][ \t]*(?:pip|conda|uv|mamba|python -m pip)\b.*$", re.MULTILINE)
HARMLESS = re.compile(r"^([ \t]*)%(?:matplotlib|load_ext|autoreload|config)\b.*$", re.MULTILINE)
COMMAND = re.compile(r"^(?P<command>[ \t]*(?:%{1,2}|!)[ \t]*\S+).*$", re.MULTILINE)
CHECK_CALL = re.compile(r"^[ \t]*(?:\w+ *= *)?(?:\w+\.)*check\(", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A code cell of a notebook."""

    number: int
    """Its place among the code cells, from 1 on."""
    source: str
    grade_id: str = ""
    """The id that nbgrader and this package know it by; empty where it has none."""
    tags: tuple[str, ...] = ()
    is_check: bool = False
    """Whether its metadata says that it is for grading."""

    @property
    def names(self) -> set[str]:
        """What it defines at its top level; nothing for a cell that cannot be parsed."""
        try:
            tree = ast.parse(self.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return set()
        return {name for node in tree.body for name in _defined(node)}


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id


def code_cells(notebook: dict[str, Any]) -> list[Cell]:
    """The code cells of a notebook, as its JSON holds them."""
    sources = [cell for cell in notebook.get("cells", ()) if cell.get("cell_type") == "code"]
    return [_cell(number, cell) for number, cell in enumerate(sources, 1)]


def _cell(number: int, cell: dict[str, Any]) -> Cell:
    source = cell.get("source") or ""
    metadata = cell.get("metadata") or {}
    grading = metadata.get("nbgrader") or {}
    return Cell(
        number,
        source if isinstance(source, str) else "".join(source),
        str(grading.get("grade_id") or ""),
        tuple(map(str, metadata.get("tags") or ())),
        bool(grading.get("grade")) and not grading.get("solution"),
    )


@dataclass(frozen=True)
class Selection:
    """The cells of a hand-in that are run, and what was strange about the others."""

    cells: tuple[Cell, ...]
    warnings: tuple[str, ...] = ()


def select(
    handed_in: Sequence[Cell], released: Sequence[Cell], answers: Sequence[str]
) -> Selection:
    """The cells that hold the learner's work, after those that the exercise sets up.

    Args:
        handed_in: the code cells of the hand-in.
        released: those of the exercise as it was given out.
        answers: the names that the learner was to define.
    """
    setup = [cell for cell in released if "setup" in cell.tags]
    given = {cell.source.strip() for cell in released if not _holds_answer(cell, answers)}
    own = [
        cell
        for cell in handed_in
        if cell.source.strip() and cell.source.strip() not in given and not _is_check(cell)
    ]
    return Selection((*setup, *own), tuple(_warnings(handed_in, released, own, answers)))


def answer_cell(cells: Sequence[Cell], released: Cell, answers: Sequence[str]) -> Cell | None:
    """The cell that stands for an answer cell of the exercise: by id, tag or what it defines."""
    wanted = released.names & set(answers)
    by_id = [cell for cell in cells if released.grade_id and cell.grade_id == released.grade_id]
    by_tag = [cell for cell in cells if "answer" in cell.tags and cell.names & wanted]
    by_name = [cell for cell in cells if cell.names & wanted]
    found = by_id or by_tag or by_name
    return found[-1] if found else None  # a cell that was copied: the last one counts


def _holds_answer(cell: Cell, answers: Sequence[str]) -> bool:
    return "answer" in cell.tags or bool(cell.names & set(answers))


def _is_check(cell: Cell) -> bool:
    return cell.is_check or bool(CHECK_CALL.search(cell.source) and not cell.names)


def _warnings(
    handed_in: Sequence[Cell],
    released: Sequence[Cell],
    own: Sequence[Cell],
    answers: Sequence[str],
) -> Iterator[str]:
    for name in answers:
        places = [str(cell.number) for cell in own if name in cell.names]
        if len(places) > 1:
            yield gettext(
                "{name} is defined in cells {others} and {last}; the last one counts.",
                name=name,
                others=", ".join(places[:-1]),
                last=places[-1],
            )
    checks = {cell.grade_id: cell for cell in released if cell.is_check}
    found = {cell.grade_id: cell for cell in handed_in if cell.grade_id in checks}
    for grade_id, cell in found.items():
        if cell.source.strip() != checks[grade_id].source.strip():
            yield gettext(
                "The check in cell {number} was changed; that changes nothing.", number=cell.number
            )
    sources = {cell.source.strip() for cell in handed_in}
    missing = [c for i, c in checks.items() if i not in found and c.source.strip() not in sources]
    if missing:
        yield ngettext(
            "{count} of the check cells are missing; that changes nothing.",
            "{count} of the check cells are missing; that changes nothing.",
            len(missing),
        )


# --- running


class CellTimeout(BaseException):
    """A cell took longer than it may."""


class Stopped(Exception):
    """Something that a notebook has and a grader has not."""


def run_cells(cells: Sequence[Cell], seconds: float, namespace: dict[str, Any]) -> list[str]:
    """Run cells one after the other, each as far as it comes, and say what went wrong.

    Args:
        cells: what to run.
        seconds: how long each may take.
        namespace: where their names go.

    Returns:
        A note for each cell that did not come to its end, and for lines that were left out.
    """
    notes: list[str] = []
    with _as_in_a_notebook():
        for cell in cells:
            notes += _run(cell, seconds, namespace)
    return notes


def _run(cell: Cell, seconds: float, namespace: dict[str, Any]) -> Iterator[str]:
    """Run one cell as far as it comes, with a note on each thing that went wrong."""
    number = cell.number
    source = HARMLESS.sub(r"\1pass", cell.source)
    if INSTALLS.search(source):
        source = INSTALLS.sub(r"\1pass", source)
        yield gettext("Cell {number}: install lines are ignored when grading.", number=number)
    try:
        _require_python(source)
        with _limited_to(seconds):
            exec(compile(source, f"cell {number}", "exec"), namespace)
    except CellTimeout:
        yield gettext(
            "Cell {number} was stopped after {seconds:g} seconds.", number=number, seconds=seconds
        )
    except Stopped as error:
        yield gettext("Cell {number}: {problem}", number=number, problem=error)
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        yield gettext("Cell {number}: {problem}", number=number, problem=in_words(error))


def _require_python(source: str) -> None:
    try:
        ast.parse(source)
    except SyntaxError:
        if command := COMMAND.search(source):
            raise Stopped(
                gettext(
                    "{command} is a command of notebooks that does not work here.",
                    command=command["command"].strip(),
                )
            ) from None
        raise


@contextmanager
def _as_in_a_notebook() -> Iterator[None]:
    """Without a keyboard: nobody is there to type an answer."""

    def no_input(prompt: object = "") -> str:
        raise Stopped(gettext("input() cannot be used here: nobody is there to type."))

    kept, builtins.input = builtins.input, no_input
    try:
        yield
    finally:
        builtins.input = kept


@contextmanager
def _limited_to(seconds: float) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise CellTimeout

    kept = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)  # again, for a cell that catches it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)
