"""The stored lessons keep the house rules, and a new run of them gives what is stored.

That their outputs are still true is checked cell by cell by nbval in the same test run.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from notebooks import MAY_FAIL, WIDGET, Refused, as_text, check, main, normalise, read, regenerate

PROJECT = Path(__file__).resolve().parent.parent
LESSONS = sorted((PROJECT / "notebooks").glob("*.ipynb"))

ONE_PAGE = "cheatsheet"
"""Not a lesson but a page to look things up."""

ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
ABSOLUTE_PATH = re.compile(
    r"(?<![\w./:<])(?:/(?:home|root|Users|usr|opt|tmp|var|private|mnt|work)/|[A-Z]:\\)"
)
LINK = re.compile(r"\]\(([^)\s]+)")
FENCED_CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
BELITTLING = re.compile(r"\b(?:simply|just|obviously)\b", re.IGNORECASE)


def lesson_name(path: Path) -> str:
    return path.stem


each_lesson = pytest.mark.parametrize("path", LESSONS, ids=lesson_name)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose(notebook: NotebookNode) -> list[str]:
    """Text of each Markdown cell without its code, tables and headings."""
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    return [
        "\n".join(
            line
            for line in FENCED_CODE.sub("", text).splitlines()
            if not line.lstrip().startswith(("#", "|"))
        )
        for text in texts
    ]


def shown(notebook: NotebookNode) -> str:
    """Everything readable in the stored outputs."""
    texts = []
    for output in (output for cell in code_cells(notebook) for output in cell.outputs):
        texts += [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", [])]
        data = output.get("data", {})
        texts += [str(data[kind]) for kind in data if kind.startswith("text/") or "json" in kind]
    return "\n".join(texts)


# --- the lessons in notebooks/ ---


@each_lesson
def test_a_lesson_is_valid_and_normalised(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert check(path) == "normalised"


@each_lesson
def test_a_lesson_was_run_from_top_to_bottom(path: Path) -> None:
    cells = code_cells(read(path))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))


@each_lesson
def test_a_lesson_stores_nothing_of_one_run_or_one_machine(path: Path) -> None:
    assert WIDGET not in path.read_text(encoding="utf-8")
    text = shown(read(path))
    assert ADDRESS.findall(text) == []
    assert ABSOLUTE_PATH.findall(text) == []


@each_lesson
def test_a_lesson_prints_on_one_stream(path: Path) -> None:
    """What goes to the error stream beside it comes before or after, by the luck of a run."""
    outputs = [output for cell in code_cells(read(path)) for output in cell.outputs]
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []


@each_lesson
def test_a_lesson_is_made_of_short_cells(path: Path) -> None:
    notebook = read(path)
    fewest = 12 if path.stem == ONE_PAGE else 35
    assert fewest <= len(notebook.cells) <= (20 if path.stem == ONE_PAGE else 60)
    long_code = [cell.source for cell in code_cells(notebook) if cell.source.count("\n") >= 12]
    assert long_code == []
    long_prose = {text: len(text.split()) for text in prose(notebook) if len(text.split()) > 60}
    assert long_prose == {}


@each_lesson
def test_a_lesson_belittles_nobody(path: Path) -> None:
    assert [found for text in prose(read(path)) for found in BELITTLING.findall(text)] == []


@each_lesson
def test_a_lesson_points_only_at_what_is_in_the_project(path: Path) -> None:
    notebook = read(path)
    for cell in notebook.cells:
        assert ABSOLUTE_PATH.findall(cell.source) == []
    links = [link for text in prose(notebook) for link in LINK.findall(text)]
    for link in (link for link in links if "://" not in link and not link.startswith("#")):
        target = (path.parent / link.partition("#")[0]).resolve()
        assert target.is_relative_to(PROJECT), link
        assert target.exists(), link


def test_running_a_lesson_again_gives_the_same_bytes() -> None:
    """One stands for all: of the others, nbval compares every output."""
    assert main(["--verify", str(LESSONS[0])]) == 0


# --- the rules themselves, on notebooks that break them ---


def written(path: Path, *cells: NotebookNode, **metadata: object) -> Path:
    notebook = new_notebook(cells=list(cells), metadata=metadata)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def test_normalising_removes_what_another_run_would_change(tmp_path: Path) -> None:
    slider = new_output("execute_result", {WIDGET: {"model_id": "f00"}, "text/plain": "a slider"})
    only_a_widget = new_output("display_data", {WIDGET: {"model_id": "f01"}})
    parts = [new_output("stream", text="one "), new_output("stream", text="two")]
    path = written(
        tmp_path / "a.ipynb",
        new_code_cell(
            "show()",
            execution_count=1,
            metadata={"execution": {"iopub.status.busy": "now"}, "scrolled": True, "tags": ["x"]},
            outputs=[slider, only_a_widget, *parts],
        ),
        widgets={"application/vnd.jupyter.widget-state+json": {}},
        language_info={"name": "python", "version": "3.11.7"},
        kernelspec={"name": "my-own", "display_name": "Mine"},
    )
    notebook = normalise(read(path))
    (cell,) = notebook.cells
    assert cell.metadata == {"tags": ["x"]}
    assert [output.output_type for output in cell.outputs] == ["execute_result", "stream"]
    assert cell.outputs[0].data == {"text/plain": "a slider"}
    assert cell.outputs[1].text == "one two"
    assert sorted(notebook.metadata) == ["kernelspec", "language_info"]
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.language_info == {"name": "python"}


def test_normalising_twice_changes_nothing_more(tmp_path: Path) -> None:
    path = written(tmp_path / "a.ipynb", new_markdown_cell("# Əla"), new_code_cell("1"))
    once = as_text(normalise(read(path)))
    path.write_text(once, encoding="utf-8")
    assert as_text(normalise(read(path))) == once
    assert once.endswith("}\n")
    assert "Əla" in once


def test_ids_are_kept_and_missing_or_double_ones_replaced_the_same_way_each_time(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "a.ipynb", *(new_markdown_cell(str(number)) for number in range(4)))
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell, name in zip(notebook["cells"], ["mine", "mine", "cell-04", None], strict=True):
        cell["id"] = name
    del notebook["cells"][3]["id"]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    first, again = normalise(read(path)), normalise(read(path))
    ids = [cell.id for cell in first.cells]
    assert ids == [cell.id for cell in again.cells]
    assert (ids[0], ids[2]) == ("mine", "cell-04")
    assert len(set(ids)) == 4


def test_a_stored_error_loses_the_frames_that_name_files(tmp_path: Path) -> None:
    error = new_output("error", ename="ValueError", evalue="no", traceback=["File /home/me/x.py"])
    cell = new_code_cell("fail()", outputs=[error], metadata={"tags": [MAY_FAIL]})
    notebook = normalise(read(written(tmp_path / "a.ipynb", cell)))
    assert notebook.cells[0].outputs[0].traceback == ["ValueError: no"]


def test_an_unplanned_error_is_refused_with_the_cell_that_raised_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(
        tmp_path / "a.ipynb",
        new_markdown_cell("# Title"),
        new_code_cell("1 / 0", metadata={"tags": [MAY_FAIL]}),
        new_code_cell("int('many')\n2"),
    )
    before = path.read_text(encoding="utf-8")
    assert main([str(path)]) == 1
    complaint = capsys.readouterr().err
    assert "cell 3 (\"int('many')\") failed with ValueError" in complaint
    assert f"tag it {MAY_FAIL!r}" in complaint
    assert path.read_text(encoding="utf-8") == before


def test_a_regenerated_lesson_knows_no_key_and_is_stable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    monkeypatch.setenv("AGENTLAB_LIVE", "1")
    source = (
        "import os\n[name for name in os.environ if name.startswith(('ANTHROPIC', 'AGENTLAB'))]"
    )
    path = written(tmp_path / "a.ipynb", new_code_cell(source))
    assert regenerate(path) == "written"
    assert read(path).cells[0].outputs[0].data == {"text/plain": "[]"}
    assert main(["--check", str(path)]) == main(["--verify", str(path)]) == 0


def test_what_depends_on_the_order_of_a_set_is_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "a.ipynb", new_code_cell("print(*set('abcdefghijklmnop'))"))
    assert main([str(path)]) == 0
    assert main(["--verify", str(path)]) == 1
    assert "gives other outputs than the stored ones" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "is not JSON"),
        ('{"nbformat": 3, "worksheets": []}', "has nbformat 3"),
        (
            '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}',
            "run `make notebooks",
        ),
    ],
)
def test_a_file_that_cannot_be_a_lesson_is_refused(
    tmp_path: Path, content: str, complaint: str
) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(Refused, match=complaint):
        check(path)


def test_nbval_compares_outputs_with_the_settings_of_this_project(tmp_path: Path) -> None:
    picture = "from IPython.display import Image\nImage(data=b'drawn', format='png')"
    cells = [new_code_cell(source) for source in ("6 * 7", picture, "print('twice')")]
    path = written(tmp_path / "a.ipynb", *cells)
    assert main([str(path)]) == 0
    changed = path.read_text(encoding="utf-8").replace('"42"', '"43"').replace("ZHJhd24", "ZHJhd25")
    path.write_text(changed, encoding="utf-8")
    shutil.copy(PROJECT / "conftest.py", tmp_path)
    settings = ["-c", str(PROJECT / "pyproject.toml"), "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *settings, str(path)]
    answer = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=PROJECT)
    assert answer.returncode == 1
    assert "2 failed, 1 passed" in answer.stdout, answer.stdout
