"""Files that were damaged: read, or refused in words, and never a traceback of our own."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab import Run, check_run
from agentlab.errors import RecordingError
from agentlab.exercises.cells import Cell, select
from agentlab.grading.reading import Unreadable, cells_of, exercise_named_in, read_notebook
from tests.exercise_answers import notebook
from tests.stepper_runs import shop_run

from .test_requests import JSON, places_in


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "run.jsonl"
    shop_run().save(path)
    return path


@given(data=st.data())
def test_a_damaged_run_is_read_or_refused(data: st.DataObject, saved: Path) -> None:
    content = bytearray(saved.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(content) - 1))
        kind = data.draw(st.sampled_from(["flip", "cut", "drop"]))
        if kind == "flip":
            content[at] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del content[at:]
        else:
            del content[at : at + data.draw(st.integers(1, 50))]
        if not content:
            break
    read_or_refused(saved.with_name("damaged.jsonl"), bytes(content))


@given(data=st.data())
def test_a_run_with_odd_values_is_read_or_refused(data: st.DataObject, saved: Path) -> None:
    lines = [json.loads(line) for line in saved.read_text("utf-8").splitlines()]
    line = data.draw(st.sampled_from(lines))
    *way, last = data.draw(st.sampled_from(places_in(line)[1:]))
    holder: Any = line
    for key in way:
        holder = holder[key]
    holder[last] = data.draw(JSON)
    text = "\n".join(json.dumps(each) for each in lines)
    read_or_refused(saved.with_name("odd.jsonl"), text.encode())


def read_or_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    try:
        run = Run.load(path)
    except RecordingError as error:
        assert str(path) in str(error)
    else:
        assert isinstance(run.events, list)


def test_what_was_not_damaged_is_read(saved: Path) -> None:
    assert check_run(Run.load(saved)) == []


WHOLE = notebook("05")


@given(data=st.data())
def test_an_odd_notebook_is_read_or_refused(data: st.DataObject) -> None:
    read = json.loads(json.dumps(WHOLE))
    for _ in range(data.draw(st.integers(1, 4))):
        *way, last = data.draw(st.sampled_from(places_in(WHOLE)[1:]))
        holder: Any = read
        try:
            for key in way:
                holder = holder[key]
            holder[last] = data.draw(JSON)
        except (KeyError, IndexError, TypeError):
            continue
    try:
        found = read_notebook(json.dumps(read).encode())
        exercise_named_in(found)
        cells = cells_of(found)
    except Unreadable as error:
        assert str(error).startswith("The file ")
        return
    chosen = select(cells, [Cell(1, "x = 1", "05-x", ("setup",))], ("run_agent",))
    assert all(isinstance(cell.source, str) for cell in chosen.cells)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_notebook_or_refused(content: bytes) -> None:
    try:
        cells_of(read_notebook(content))
    except Unreadable as error:
        assert str(error).startswith("The file ")
