"""LiteLLM, which sends by itself and not through the SDK: as a completion and as a loop of one."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from agentlab.practice import both, break_off, cut_off, overloaded, refuse, say, think

from .conversation import (
    ANSWER,
    MODEL,
    QUESTION,
    RESULT,
    SCRIPT,
    expect_the_conversation,
    order_status,
)
from .watching import Watched, watched

ASKED = [{"role": "user", "content": QUESTION}]
TOOL = {
    "type": "function",
    "function": {
        "name": "order_status",
        "description": "Look up where an order is. Use it when a customer asks about an order.",
        "parameters": {
            "type": "object",
            "properties": {"order_id": {"type": "string"}},
            "required": ["order_id"],
        },
    },
}


@pytest.fixture(scope="module")
def litellm() -> Iterator[Any]:
    """The package, loaded in the process that tests it alone: that takes seconds."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it fetches a price list
        import litellm

        environment.setattr(litellm, "suppress_debug_info", True)
        yield litellm


def settings(seen: Watched) -> dict[str, Any]:
    return {
        "model": f"anthropic/{MODEL}",
        "api_base": seen.base_url,
        "api_key": "practice",
        "tools": [TOOL],
    }


def finished(litellm: Any, seen: Watched, **more: Any) -> Any:
    """The last message of a conversation in which every call is run."""
    history: list[Any] = [*ASKED]
    while True:
        reply = litellm.completion(messages=history, **settings(seen), **more)
        message = reply.choices[0].message
        history.append(message)
        if not message.tool_calls:
            return message
        history += [
            {
                "role": "tool",
                "tool_call_id": call.id,
                "content": order_status(**json.loads(call.function.arguments)),
            }
            for call in message.tool_calls
        ]


# --- a tool conversation


def test_a_loop_around_completions(litellm: Any) -> None:
    with watched(SCRIPT) as seen:
        assert finished(litellm, seen).content == ANSWER
    expect_the_conversation(seen)


def test_the_practice_model_calls_the_tool_and_reads_its_result(litellm: Any) -> None:
    with watched() as seen:
        assert finished(litellm, seen).content == f"{RESULT}."
    expect_the_conversation(seen)


def test_a_streamed_completion_arrives_in_pieces(litellm: Any) -> None:
    with watched([say(ANSWER)]) as seen:
        stream = litellm.completion(messages=ASKED, stream=True, **settings(seen))
        pieces = [part.choices[0].delta.content or "" for part in stream]
    assert "".join(pieces) == ANSWER
    assert len([piece for piece in pieces if piece]) > 1
    assert seen.bodies[0]["stream"] is True


def test_thinking_comes_back_with_its_signature(litellm: Any) -> None:
    thinking = {"type": "enabled", "budget_tokens": 1024}
    with watched([both(think("It asks."), SCRIPT[0]), SCRIPT[1]]) as seen:
        finished(litellm, seen, thinking=thinking, max_tokens=3000)
    expect_the_conversation(seen)
    sent_back = seen.transcript[1]["content"][0]
    assert (sent_back["type"], sent_back["thinking"]) == ("thinking", "It asks.")


# --- what it sends


def test_it_speaks_the_version_of_2023_so_sampling_may_be_set(litellm: Any) -> None:
    with watched(SCRIPT) as seen:
        assert finished(litellm, seen, temperature=0).content == ANSWER
    assert [exchange.headers["anthropic-version"] for exchange in seen.exchanges] == [
        "2023-06-01",
        "2023-06-01",
    ]
    assert seen.bodies[0]["temperature"] == 0


# --- how it reports what goes wrong


def test_a_refused_request_is_an_error(litellm: Any) -> None:
    with watched(SCRIPT) as seen, pytest.raises(litellm.BadRequestError, match="max_tokens"):
        finished(litellm, seen, max_tokens=10**6)
    assert seen.statuses == [400]


def test_an_overload_is_an_error_at_once(litellm: Any) -> None:
    with watched([overloaded()]) as seen, pytest.raises(litellm.InternalServerError):
        finished(litellm, seen)
    assert seen.statuses == [529]


def test_a_refusal_is_told_by_the_finish_reason(litellm: Any) -> None:
    with watched([refuse()]) as seen:
        reply = litellm.completion(messages=ASKED, **settings(seen))
    assert reply.choices[0].finish_reason == "content_filter"


def test_a_call_that_was_cut_off_comes_as_a_whole_one(litellm: Any) -> None:
    with watched([cut_off(SCRIPT[0])]) as seen:
        (choice,) = litellm.completion(messages=ASKED, **settings(seen)).choices
    (call,) = choice.message.tool_calls
    assert (call.function.name, choice.finish_reason) == ("order_status", "length")


def test_a_stream_that_breaks_is_an_error(litellm: Any) -> None:
    with watched([break_off(say(ANSWER))]) as seen:
        stream = litellm.completion(messages=ASKED, stream=True, **settings(seen))
        with pytest.raises(litellm.ServiceUnavailableError, match="Overloaded"):
            list(stream)
