"""pydantic-ai over a port; that its loop can be recorded is shown in test_recorded_loops."""

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelHTTPError,
    ModelOverloadedError,
    ModelRequestRejectedError,
)
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from agentlab.practice import both, break_off, cut_off, overloaded, refuse, say, think, use

from .conversation import (
    ANSWER,
    MODEL,
    QUESTION,
    RESULT,
    SCRIPT,
    blocks,
    expect_the_conversation,
    order_status,
)
from .watching import Watched, watched


class Order(BaseModel):
    """An order."""

    number: str


def ask(seen: Watched, model: str = MODEL, **settings: Any) -> Any:
    provider = AnthropicProvider(base_url=seen.base_url, api_key="practice")
    agent: Agent[None, Any] = Agent(
        AnthropicModel(model, provider=provider), tools=[order_status], **settings
    )
    return asyncio.run(agent.run(QUESTION))  # `run_sync` leaves an event loop open


# --- a tool conversation


def test_the_agent() -> None:
    with watched(SCRIPT) as seen:
        assert ask(seen).output == ANSWER
    expect_the_conversation(seen)
    assert {exchange.headers["anthropic-version"] for exchange in seen.exchanges} == {"2026-10-21"}


def test_the_practice_model_calls_the_tool_and_reads_its_result() -> None:
    with watched() as seen:
        assert ask(seen).output == f"{RESULT}."
    expect_the_conversation(seen)


def test_thinking_comes_back_with_its_signature() -> None:
    thinking = {"type": "enabled", "budget_tokens": 1024}
    with watched([both(think("It asks."), SCRIPT[0]), SCRIPT[1]]) as seen:
        ask(seen, model_settings={"anthropic_thinking": thinking, "max_tokens": 3000})
    expect_the_conversation(seen)
    sent_back = seen.transcript[1]["content"][0]
    assert (sent_back["type"], sent_back["thinking"]) == ("thinking", "It asks.")


def test_structured_output_is_forced_where_the_model_can_be_forced() -> None:
    with watched([use("final_result", number="A-17")]) as seen:
        assert ask(seen, output_type=Order).output == Order(number="A-17")
    assert seen.bodies[0]["tool_choice"] == {"type": "any"}
    with watched([say('{"number": "A-17"}')]) as seen:
        assert ask(seen, "claude-sonnet-5-5", output_type=Order).output == Order(number="A-17")
    assert seen.bodies[0]["tool_choice"] == {"type": "auto"}
    assert seen.bodies[0]["output_config"]["format"]["type"] == "json_schema"


def test_an_empty_reply_is_not_sent_back_and_asked_for_again() -> None:
    with watched(lambda body: say("" if len(body["messages"]) < 2 else ANSWER)) as seen:
        assert ask(seen).output == ANSWER
    assert [message["role"] for message in seen.transcript] == ["user", "user"]


# --- how it reports what goes wrong


def test_a_setting_of_sampling_is_passed_on_and_refused() -> None:
    with watched(SCRIPT) as seen, pytest.raises(ModelRequestRejectedError) as raised:
        ask(seen, model_settings={"temperature": 0})
    assert "status_code: 400" in str(raised.value)
    assert seen.exchanges[0].error == "temperature: Extra inputs are not permitted"


def test_an_overload_is_tried_again_by_the_sdk_below() -> None:
    with watched([overloaded(), *SCRIPT]) as seen:
        assert ask(seen).output == ANSWER
    assert seen.statuses == [529, 200, 200]


def test_an_overload_that_stays_is_an_error() -> None:
    with watched([overloaded()] * 3) as seen, pytest.raises(ModelOverloadedError):
        ask(seen)
    assert seen.statuses == [529, 529, 529]


def test_a_stream_that_breaks_is_an_overload_too() -> None:
    with watched([break_off(say(ANSWER))]) as seen, pytest.raises(ModelHTTPError) as raised:
        ask(seen)
    assert raised.value.status_code == 529
    assert seen.statuses == [200]


def test_a_refusal_is_an_error_that_says_why() -> None:
    with (
        watched([refuse("Not this.")]) as seen,
        pytest.raises(ContentFilterError, match="Refusal: 'Not this"),
    ):
        ask(seen)
    assert seen.statuses == [200]


def test_an_answer_that_was_cut_off_is_an_answer() -> None:
    with watched([cut_off(say(ANSWER))]) as seen:
        answered = ask(seen)
    assert ANSWER.startswith(answered.output)
    assert answered.all_messages()[-1].finish_reason == "length"


def test_a_call_that_was_cut_off_is_answered_with_an_error() -> None:
    with watched([cut_off(SCRIPT[0]), say("I see.")]) as seen:
        assert ask(seen).output == "I see."
    (result,) = blocks(seen.transcript[-1])
    assert result["is_error"] is True
    assert "Invalid JSON" in result["content"][0]["text"]
