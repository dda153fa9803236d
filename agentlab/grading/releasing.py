"""An exercise as learners get it, with a proof that nothing of the answers is in it."""

import ast
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentlab.errors import ConfigurationError
from agentlab.exercises.suites import HIDDEN, NOTEBOOK, find_folder, load
from agentlab.language import gettext

STUB = re.compile(r"^([ \t]*)(raise NotImplementedError\(.*\))$", re.MULTILINE)
SHORTEST_TELLTALE = 30
"""Characters from which on a line of a solution is not one that anybody would write."""


def release(name: str, out: Path, *, for_nbgrader: bool = False) -> Path:
    """Write the notebook of an exercise for learners.

    Args:
        name: the exercise's number or folder.
        out: the folder to write into; the exercise gets a folder of its own there.
        for_nbgrader: write nbgrader's source, with its marks around what is to be written.

    Returns:
        The notebook.

    Raises:
        ConfigurationError: where something of a solution or of a hidden case is in it, or where
            the file is there already and is another one.
    """
    folder = find_folder(name)
    notebook = folder / NOTEBOOK
    if leaks := list(leaks_in(notebook.read_text("utf-8"), folder)):
        raise ConfigurationError(
            "{name} gives away: {leaks}. Take it out.", name=folder.name, leaks="; ".join(leaks)
        )
    target = out / folder.name / NOTEBOOK
    text = _for_nbgrader(notebook) if for_nbgrader else notebook.read_text("utf-8")
    if target.exists() and target.read_text("utf-8") != text:
        raise ConfigurationError(
            "{target!r} is there, with work in it. Name another folder.", target=str(target)
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "utf-8")
    shutil.copymode(notebook, target)
    return target


def leaks_in(text: str, folder: Path) -> Iterator[str]:
    """What a notebook's text has in common with the answers of its exercise.

    Args:
        text: the notebook.
        folder: the exercise.
    """
    said = _sources(json.loads(text))
    for path in sorted(folder.glob("sol*.py")):
        for line in path.read_text("utf-8").splitlines():
            telling = len(line.strip()) >= SHORTEST_TELLTALE
            if telling and line.strip() in said and not _is_given(line):
                yield gettext("a line of {file}, {line!r}", file=path.name, line=line.strip())
    shown = {case.name for case in load(folder.name).cases}
    hidden = [case for case in load(folder.name, hidden=True).cases if case.name not in shown]
    for case in hidden:
        if f'{case.name}")' in said or case.criterion in said:
            yield gettext("the hidden case {name}", name=case.name)
    criteria = {case.criterion for case in hidden}
    for text in _texts_in(folder / HIDDEN):
        if text in said and text not in criteria:
            yield gettext("a line of {file}, {line!r}", file=HIDDEN, line=text)


def _texts_in(path: Path) -> Iterator[str]:
    """What a file says to people, in English as notebooks are, whoever reads it now."""
    tree = ast.parse(path.read_text("utf-8") if path.is_file() else "")
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name("gettext"), args=[ast.Constant(str(text))]):
                yield text


def _is_given(line: str) -> bool:
    """Whether a line is one that the learner may get: an import, a head, half a call."""
    starts = ("def ", "async def ", "class ", "import ", "from ")
    return line.startswith(starts) or line.endswith("(")  # half a call says little


def _sources(notebook: dict[str, Any]) -> str:
    """All that is given but the answer cells: their stubs are proven to be worth nothing."""
    cells = [c for c in notebook["cells"] if "answer" not in c["metadata"].get("tags", ())]
    return "\n".join("".join(cell["source"]) for cell in cells)


def _for_nbgrader(path: Path) -> str:
    """The notebook with nbgrader's marks, so that its stub takes the place of ours alone."""
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        if "answer" in cell["metadata"].get("tags", ()):
            source = STUB.sub(
                r"\1### BEGIN SOLUTION\n\1\2\n\1### END SOLUTION", "".join(cell["source"])
            )
            if "### BEGIN SOLUTION" not in source:
                source = f"### BEGIN SOLUTION\n{source}\n### END SOLUTION"
            cell["source"] = source.splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
