"""The answers that every exercise brings along: right ones, wrong ones, and none."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentlab.exercises.cells import code_cells
from agentlab.exercises.suites import NOTEBOOK, folders

NUMBERS = sorted(folders())


@dataclass(frozen=True)
class Answer:
    """An answer and what has to come of it."""

    number: str
    path: Path

    def __str__(self) -> str:
        return f"{self.number}-{self.path.stem}"

    @property
    def source(self) -> str:
        return self.path.read_text("utf-8")

    @property
    def fails(self) -> dict[str, str]:
        """The cases that it must fail, each with words of the message; from its header."""
        named = re.findall(r"^fails: (\w+): (.+)$", self.source, re.MULTILINE)
        return dict(named)


def solutions() -> list[Answer]:
    return [Answer(n, p) for n, folder in folders().items() for p in sorted(folder.glob("sol*.py"))]


def wrong_answers() -> list[Answer]:
    return [
        Answer(n, p) for n, folder in folders().items() for p in sorted(folder.glob("wrong/*.py"))
    ]


def notebook(number: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folders()[number] / NOTEBOOK).read_text("utf-8"))
    return read


def stub(number: str) -> str:
    """The untouched answer cells of an exercise, after what it sets up."""
    cells = [cell for cell in code_cells(notebook(number)) if {"setup", "answer"} & set(cell.tags)]
    return "\n\n".join(cell.source for cell in cells)


def setup(number: str) -> str:
    cells = [cell for cell in code_cells(notebook(number)) if "setup" in cell.tags]
    return "\n\n".join(cell.source for cell in cells)


def handed_in(number: str, source: str) -> bytes:
    """The notebook of an exercise with `source` in its first answer cell, and the others empty."""
    filled = notebook(number)
    answers = [cell for cell in filled["cells"] if "answer" in cell["metadata"].get("tags", ())]
    for cell in answers:
        cell["source"] = ""
    answers[0]["source"] = source
    return json.dumps(filled).encode()
