"""A chosen reply ends where the request says so."""

from typing import Any

from agentlab import Agent, ask, client

QUESTION = [{"role": "user", "content": "What is half of 8?"}]


def half(n: int) -> str:
    """Halve a number.

    Args:
        n: The number to halve.
    """
    return "It is " + " ".join(["four"] * 200)


def reply(**settings: Any) -> Any:
    agent = Agent("a", "", [half])
    request = {**agent.request(QUESTION), **settings}
    return client().messages.create(**request)


def test_a_call_that_does_not_fit_is_cut_off_and_not_run() -> None:
    assert reply(max_tokens=50).content[0].input == {"n": 8}
    cut = reply(max_tokens=1)
    assert (cut.stop_reason, cut.content[0].input) == ("max_tokens", {})
    run = ask(Agent("a", "", [half], max_tokens=1), "What is half of 8?", client=client())
    assert [outcome.status for outcome in run.outcomes] == ["not_run"]


def test_a_text_that_does_not_fit_is_cut_off() -> None:
    run = ask(Agent("a", "", [half], max_tokens=20), "What is half of 8?", client=client())
    assert run.stopped is not None
    assert run.stopped.reason == "max_tokens"
    assert len(run.answer) == 80
    whole = ask(Agent("a", "", [half]), "What is half of 8?", client=client())
    assert whole.stopped is not None
    assert whole.stopped.reason == "end_turn"
    assert whole.answer.startswith(run.answer)


def test_nothing_fits_into_no_tokens() -> None:
    empty = reply(max_tokens=0, tool_choice={"type": "none"})
    assert (empty.stop_reason, empty.content) == ("max_tokens", [])


def test_a_stop_sequence_ends_the_text_before_it() -> None:
    said = reply(tool_choice={"type": "none"}).content[0].text
    word = said.split()[2]
    ended = reply(tool_choice={"type": "none"}, stop_sequences=["never said", word])
    assert (ended.stop_reason, ended.stop_sequence) == ("stop_sequence", word)
    assert ended.content[0].text == said.partition(word)[0]
