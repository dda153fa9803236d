"""Every exercise from both sides: right answers pass, others fail for the reason that is theirs."""

import re
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest

from agentlab.exercises.case import Nonce, Verdict
from agentlab.exercises.kernel import play
from agentlab.exercises.suites import folders, load
from agentlab.grading.marking import mark, seed_of
from agentlab.grading.sandbox import Sandbox, probe
from tests.exercise_answers import (
    NUMBERS,
    Answer,
    handed_in,
    notebook,
    setup,
    solutions,
    stub,
    wrong_answers,
)

SEED = "a seed of the tests"
every_exercise = pytest.mark.parametrize("number", NUMBERS)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


def in_kernel(number: str, source: str, seed: str = SEED) -> list[Verdict]:
    """The verdicts of the learner's own kernel."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(setup(number), "setup", "exec"), names)
    exec(compile(source, "answer", "exec"), names)
    cases = load(number, hidden=True).cases
    return [play(case, names, f"{seed}/{case.name}")[0] for case in cases]


# --- right and wrong answers


@pytest.mark.parametrize("answer", [*solutions(), *wrong_answers()], ids=str)
def test_an_answer_fails_its_cases_and_no_other_wherever_it_is_checked(
    answer: Answer, sandbox: Sandbox
) -> None:
    """A right one fails none. With the same seed, kernel and sandbox give the same verdicts."""
    content = handed_in(answer.number, answer.source)
    verdicts = in_kernel(answer.number, answer.source, seed_of(content, SEED))
    failed = {v.case: v.message for v in verdicts if not v.passed}
    assert set(failed) == set(answer.fails)
    for case, words in answer.fails.items():
        assert words in failed[case]
    assert list(mark(content, answer.number, SEED, sandbox).cases) == verdicts


@every_exercise
def test_the_untouched_answer_gets_nothing_on_any_case(number: str) -> None:
    verdicts = in_kernel(number, stub(number))
    assert [v.case for v in verdicts if v.points or v.passed] == []
    assert all(v.message for v in verdicts)


@every_exercise
def test_the_stub_gets_nothing_in_the_sandbox(number: str, sandbox: Sandbox) -> None:
    result = mark(handed_in(number, stub(number)), number, SEED, sandbox)
    assert result.points == 0
    assert not any(case.passed for case in result.cases)


def test_the_tests_run_behind_a_real_wall() -> None:
    assert probe() == "bwrap"


# --- what an exercise consists of


@every_exercise
def test_an_exercise_is_whole(number: str) -> None:
    exercise, folder = load(number), folders()[number]
    assert exercise.number == number
    assert len(list(folder.glob("sol*.py"))) >= 2
    assert len(list(folder.glob("wrong/*.py"))) >= 4
    assert len(exercise.hints) == 3
    names = [case.name for case in load(number, hidden=True).cases]
    assert len(names) == len(set(names))


@every_exercise
def test_no_two_plays_of_a_case_are_alike(number: str) -> None:
    """A constant answer cannot know what will be asked; a case without words to guess says so."""
    for case in load(number, hidden=True).cases:
        first, second = case.play(Nonce("one")), case.play(Nonce("two"))
        again = case.play(Nonce("one"))
        assert dict(first.secret) == dict(again.secret)
        if first.secret:
            assert dict(first.secret) != dict(second.secret), case.name


@every_exercise
def test_the_notebook_is_in_nbgraders_format(number: str) -> None:
    read = notebook(number)
    nbformat.validate(read)
    assert read["metadata"]["agentlab"] == {"exercise": number}
    cells = {
        cell["metadata"]["nbgrader"]["grade_id"]: cell
        for cell in read["cells"]
        if "nbgrader" in cell["metadata"]
    }
    checks = {name: cell for name, cell in cells.items() if cell["metadata"]["nbgrader"]["grade"]}
    exercise = load(number)
    assert set(checks) == {f"{number}-{case.name}" for case in exercise.cases}
    for case in exercise.cases:
        cell = checks[f"{number}-{case.name}"]
        assert "".join(cell["source"]) == f'check("{number}.{case.name}")'
        assert cell["metadata"]["nbgrader"]["points"] == case.points
        assert cell["metadata"]["nbgrader"]["locked"]
    for name, cell in cells.items():
        assert cell["metadata"]["nbgrader"]["schema_version"] == 3
        assert (name in checks) != cell["metadata"]["nbgrader"]["solution"]


@every_exercise
def test_the_notebook_is_plain_to_read(number: str) -> None:
    read = notebook(number)
    ids = [cell["id"] for cell in read["cells"]]
    assert len(ids) == len(set(ids))
    for cell in read["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            assert len(source.split()) <= 60, cell["id"]
            assert not re.search(r"\b(simply|just|obviously)\b", source, re.IGNORECASE)
        else:
            assert cell["outputs"] == []
            assert cell["execution_count"] is None


def test_there_are_thirteen_exercises_and_many_wrong_answers() -> None:
    assert [f"{number:02}" for number in range(1, 14)] == NUMBERS
    assert len(wrong_answers()) >= 52
