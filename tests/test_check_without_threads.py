"""Checking where Python cannot start a thread, as in a browser: cases are played in this one."""

import sys

import pytest

from agentlab.exercises import kernel
from agentlab.exercises.kernel import play
from agentlab.exercises.suites import load
from tests.exercise_answers import Answer, solutions, wrong_answers

ENDLESS = "def run_agent(client, tools, question, max_steps=10):\n    while True:\n        pass\n"
STUBBORN = (
    "def run_agent(client, tools, question, max_steps=10):\n"
    "    while True:\n"
    "        try:\n"
    "            client.messages.create(model='claude-opus-4-8', max_tokens=9, messages=[])\n"
    "        except Exception:\n"
    "            pass\n"
)


@pytest.fixture(autouse=True)
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "THREADS", False)


def names_of(source: str) -> dict[str, object]:
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(source, "answer", "exec"), names)
    return names


@pytest.mark.parametrize("answer", [a for a in solutions() if a.number == "05"], ids=str)
def test_a_right_answer_gets_everything(answer: Answer) -> None:
    for case in load("05").cases:
        verdict, _ = play(case, names_of(answer.source), "seed", seconds=60)
        assert verdict.passed, verdict.message


@pytest.mark.parametrize("answer", [a for a in wrong_answers() if a.number == "05"], ids=str)
def test_a_wrong_answer_fails_its_own_cases(answer: Answer) -> None:
    names = names_of(answer.source)
    played = [play(case, names, "seed", seconds=60)[0] for case in load("05").cases]
    assert {verdict.case for verdict in played if not verdict.passed} == set(answer.fails)


def test_an_answer_without_an_end_is_ended() -> None:
    verdict, _ = play(load("05").cases[0], names_of(ENDLESS), "seed", seconds=0.2)
    assert "it took longer than it may" in verdict.message
    assert sys.gettrace() is None


def test_an_answer_that_goes_on_asking_is_ended() -> None:
    verdict, evidence = play(load("05").cases[0], names_of(STUBBORN), "seed", seconds=60)
    assert not verdict.passed
    assert evidence.ending == "runaway"
