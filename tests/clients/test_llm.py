"""llm with llm-anthropic, in an environment with an SDK from before 1.0."""

import pytest

from agentlab.practice import both, think

from .apart import python_with, run
from .conversation import ANSWER, MODEL, QUESTION, RESULT, SCRIPT, expect_the_conversation
from .test_page import ADDRESS, LLM_SNIPPET
from .watching import Watched, watched

CODE = f"""
import llm

def order_status(order_id: str) -> str:
    "Look up where an order is. Use it when a customer asks about an order."
    return f"{{order_id}} left the warehouse on Monday"

model = llm.get_model("{MODEL.replace("4-5", "4.5")}")
settings = dict(tools=[order_status], key="practice", options=OPTIONS)
print(model.chain({QUESTION!r}, **settings).text())
"""


@pytest.fixture
def python(pytestconfig: pytest.Config) -> str:
    return python_with("llm", pytestconfig.cache.mkdir("llm"))


@pytest.fixture(autouse=True)
def no_settings_of_ones_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path_factory.mktemp("llm")))


def test_the_snippet_of_the_page_prints_what_stands_below_it(python: str) -> None:
    _, code, printed = LLM_SNIPPET
    with watched() as seen:
        assert run([python, "-W", "error", "-c", code.replace(ADDRESS, seen.base_url)]) == printed
    expect_the_conversation(seen)


def answer(python: str, seen: Watched, **options: object) -> str:
    """What a chain of replies and calls ends with."""
    code = CODE.replace("OPTIONS", repr(options))
    return run([python, "-c", code], ANTHROPIC_BASE_URL=seen.base_url).strip()


def test_a_chain_with_the_practice_model(python: str) -> None:
    with watched() as seen:
        assert answer(python, seen) == f"{RESULT}."
    expect_the_conversation(seen)


def test_it_streams_and_sets_the_temperature_of_an_older_version(python: str) -> None:
    with watched(SCRIPT) as seen:
        assert answer(python, seen) == ANSWER
    expect_the_conversation(seen)
    assert [body["stream"] for body in seen.bodies] == [True, True]
    assert [body["temperature"] for body in seen.bodies] == [1.0, 1.0]
    assert {each.headers["anthropic-version"] for each in seen.exchanges} == {"2023-06-01"}


def test_thinking_comes_back_with_its_signature(python: str) -> None:
    with watched([both(think("It asks."), SCRIPT[0]), SCRIPT[1]]) as seen:
        assert answer(python, seen, thinking=True) == ANSWER
    expect_the_conversation(seen)
    sent_back = seen.transcript[1]["content"][0]
    assert (sent_back["type"], sent_back["thinking"]) == ("thinking", "It asks.")
