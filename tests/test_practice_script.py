"""What can be written in a script, and which turn a request meets."""

import json
from typing import Any, get_args

import anthropic
import httpx2
import pytest
from anthropic.types import RefusalStopDetails
from anthropic.types.stop_reason import StopReason
from hypothesis import given
from hypothesis import strategies as st
from practising import ADD, HAIKU, MULTIPLY, ask, assistant, practising, result, user

from agentlab.errors import ConfigurationError
from agentlab.practice import (
    Fault,
    both,
    break_off,
    cut_off,
    garbled,
    overloaded,
    pause,
    practice,
    rate_limited,
    refuse,
    say,
    server_error,
    think,
    use,
)

ASKED = user("What is 1 + 2?")


def test_say() -> None:
    reply = ask(practising([say("It is 3.")]), ASKED)
    assert (reply.content[0].text, reply.stop_reason) == ("It is 3.", "end_turn")


def test_an_empty_reply() -> None:
    reply = ask(practising([say("")]), ASKED)
    assert (reply.content, reply.stop_reason) == ([], "end_turn")


@pytest.mark.parametrize("stop_reason", [*get_args(StopReason), "something_new"])
def test_every_stop_reason_can_be_written(stop_reason: str) -> None:
    assert ask(practising([say("Hm", stop_reason=stop_reason)]), ASKED).stop_reason == stop_reason


def test_a_stop_sequence() -> None:
    script = [say("Hm", stop_reason="stop_sequence", stop_sequence="END")]
    assert ask(practising(script), ASKED).stop_sequence == "END"


def test_use() -> None:
    reply = ask(practising([use("add", a=1, b=2)]), ASKED, tools=[ADD])
    (call,) = reply.content
    assert (call.type, call.name, call.input) == ("tool_use", "add", {"a": 1, "b": 2})
    assert reply.stop_reason == "tool_use"


def test_use_with_names_that_clash() -> None:
    reply = ask(practising([use("find", {"name": "x", "id": 3}, id="mine")]), ASKED)
    (call,) = reply.content
    assert (call.id, call.input) == ("mine", {"name": "x", "id": 3})


def test_both() -> None:
    script = [both(say("I add."), use("add", a=1, b=2), use("multiply", a=1, b=2))]
    reply = ask(practising(script), ASKED, tools=[ADD, MULTIPLY])
    assert [block.type for block in reply.content] == ["text", "tool_use", "tool_use"]
    assert reply.stop_reason == "tool_use"
    assert ask(practising([both(use("add"), say("Well?"))]), ASKED).stop_reason == "tool_use"
    assert ask(practising([both(say("a"), say("b"))]), ASKED).stop_reason == "end_turn"


def test_cut_off() -> None:
    script = [both(say("I add."), cut_off(use("add", a=1, b=2)))]
    reply = ask(practising(script), ASKED, tools=[ADD])
    assert reply.stop_reason == "max_tokens"
    assert reply.content[1].input == {"a": 1}
    assert ask(practising([cut_off(say("It is 3."))]), ASKED).content[0].text == "It i"
    assert ask(practising([cut_off(say(""))]), ASKED).content == []


def test_refuse() -> None:
    reply = ask(practising([refuse("No.", category="cyber")]), ASKED)
    assert (reply.content, reply.stop_reason) == ([], "refusal")
    assert reply.stop_details == RefusalStopDetails(
        type="refusal", category="cyber", explanation="No."
    )


def test_think_and_pause() -> None:
    reply = ask(practising([both(think("Hm."), pause())]), ASKED)
    assert [block.type for block in reply.content] == ["thinking", "server_tool_use"]
    assert reply.stop_reason == "pause_turn"
    assert reply.content[1].id == "srvtoolu_practice_01"


# --- faults


def retries(*script: Any, **settings: Any) -> int:
    client = practising(list(script), **settings)
    raw = client.messages.with_raw_response.create(model=HAIKU, max_tokens=10, messages=[ASKED])
    return raw.retries_taken


def test_each_attempt_meets_the_next_fault() -> None:
    assert retries(say("ok")) == 0
    assert retries(overloaded(), say("ok")) == 1
    assert retries(overloaded(), rate_limited(), say("ok")) == 2
    assert retries(*[server_error()] * 4, say("ok"), max_retries=4) == 4


@pytest.mark.parametrize(
    ("fault", "error", "status"),
    [
        (overloaded(), anthropic.OverloadedError, 529),
        (rate_limited(), anthropic.RateLimitError, 429),
        (server_error(), anthropic.InternalServerError, 500),
        (garbled(502), anthropic.InternalServerError, 502),
        (Fault(403, "permission_error", "Not yours."), anthropic.PermissionDeniedError, 403),
    ],
)
def test_too_many_faults(fault: Fault, error: type[anthropic.APIStatusError], status: int) -> None:
    with pytest.raises(error) as caught:
        ask(practising([*[fault] * 3, say("ok")]), ASKED)
    assert caught.value.status_code == status


def test_faults_without_a_reply_after_them() -> None:
    with pytest.raises(anthropic.OverloadedError):
        ask(practising([overloaded()]), ASKED)


def test_a_rate_limit_says_how_long_to_wait() -> None:
    with pytest.raises(anthropic.RateLimitError) as caught:
        ask(practising([rate_limited(seconds=20), say("ok")], max_retries=0), ASKED)
    assert caught.value.response.headers["retry-after"] == "20"


def test_faults_belong_to_the_reply_after_them() -> None:
    script = [say("one"), overloaded(), say("two")]
    client = practising(script, max_retries=0)
    assert ask(client, ASKED).content[0].text == "one"
    with pytest.raises(anthropic.OverloadedError):
        ask(client, ASKED, assistant("one"), ASKED)


def test_faults_by_position() -> None:
    client = practising(lambda body: say("ok"), {1: [overloaded(), overloaded()]})
    create = client.messages.with_raw_response.create
    settings: dict[str, Any] = {"model": HAIKU, "max_tokens": 10}
    assert create(messages=[ASKED], **settings).retries_taken == 0
    history = [ASKED, assistant("ok"), ASKED]
    assert create(messages=history, **settings).retries_taken == 2


def test_garbled_is_no_reply() -> None:
    with pytest.raises(json.JSONDecodeError):
        ask(practising([garbled(), say("ok")]), ASKED)


def test_a_broken_stream_is_whole_when_it_is_no_stream() -> None:
    assert ask(practising([break_off(say("ok"))]), ASKED).content[0].text == "ok"


# --- positions


def test_the_history_says_which_reply_is_due() -> None:
    client = practising([use("add"), say("It is 3."), say("You are welcome.")])
    history: list[Any] = [ASKED]
    for expected in ("tool_use", "text", "text"):
        reply = ask(client, *history, tools=[ADD])
        assert reply.content[0].type == expected
        assert ask(client, *history, tools=[ADD]) == reply  # a cell that is run again
        call = expected == "tool_use"
        history += [assistant(*reply.content), user(result("toolu_practice_01") if call else "Hm?")]


def test_a_reply_that_was_not_kept_counts() -> None:
    client = practising([refuse(), say(""), say("At last.")])
    assert ask(client, ASKED).stop_reason == "refusal"
    assert ask(client, ASKED, user("Please.")).content == []
    assert ask(client, ASKED, user("Please."), user("Go on.")).content[0].text == "At last."


def test_results_in_several_messages_count_once() -> None:
    client = practising([both(use("add"), use("add")), say("Done.")])
    first = ask(client, ASKED, tools=[ADD])
    results = [user(result(block.id)) for block in first.content]
    reply = ask(client, ASKED, assistant(*first.content), *results, tools=[ADD])
    assert reply.content[0].text == "Done."


@given(st.lists(st.booleans(), max_size=8))
def test_a_kept_and_an_unkept_reply_are_both_passed(kept: list[bool]) -> None:
    script = [say(str(at)) if keep else say("") for at, keep in enumerate(kept)]
    history = [ASKED]
    for at, keep in enumerate(kept):
        history += [assistant(str(at)), ASKED] if keep else [ASKED]
    client = practising([*script, say("the end")])
    assert ask(client, *history).content[0].text == "the end"


def test_words_added_to_a_question_are_no_reply() -> None:
    client = practising([say("It is 3."), say("You are welcome.")])
    assert ask(client, ASKED, user("Be brief.")).content[0].text == "It is 3."


def test_a_script_that_runs_out_says_so_and_is_not_tried_again() -> None:
    sent: list[httpx2.Request] = []
    client = practising([say("one")])
    client = client.with_middleware(lambda request, go_on: sent.append(request) or go_on(request))
    with pytest.raises(anthropic.InternalServerError) as caught:
        ask(client, ASKED, assistant("one"), ASKED)
    assert "it holds 1 replies, and number 2 was asked for" in str(caught.value)
    assert caught.value.response.headers["x-should-retry"] == "false"
    assert len(sent) == 1


@pytest.mark.parametrize("script", [None, [both(think("Hm."), use("add", a=1, b=2))]])
@pytest.mark.parametrize("stream", [False, True])
def test_the_same_request_gets_the_same_bytes(script: Any, stream: bool) -> None:
    def answer() -> str:
        client = practising(script).messages.with_streaming_response
        settings: Any = {"tools": [ADD], "stream": stream, "model": HAIKU, "max_tokens": 1000}
        with client.create(messages=[user("What is 1 + 2?")], **settings) as response:
            return f"{response.headers}\n{response.text()}"

    assert answer() == answer()


def test_a_function_gets_the_request() -> None:
    client = practising(lambda body: say(f"{body['messages'][-1]['content']} Yes."))
    assert ask(client, ASKED).content[0].text == "What is 1 + 2? Yes."


def test_a_function_may_return_a_fault() -> None:
    with pytest.raises(anthropic.OverloadedError):
        ask(practising(lambda body: overloaded()), ASKED)


def test_a_function_that_returns_no_reply() -> None:
    with pytest.raises(anthropic.InternalServerError, match="returned 'ok'; return a reply"):
        ask(practising(lambda body: "ok"), ASKED)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("script", [say("ok"), "ok", ["ok"], [say("ok"), None], 3])
def test_what_is_no_script(script: Any) -> None:
    with pytest.raises(ConfigurationError, match="A script is a list of replies and faults"):
        practice(script)
