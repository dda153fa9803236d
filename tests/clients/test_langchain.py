"""LangChain: its chat model alone, and its agent, which is LangGraph's loop."""

import asyncio
from typing import Any

import anthropic
import pytest
from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.exceptions import ModelError
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from pydantic import BaseModel

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

ASKED: Any = {"messages": [("user", QUESTION)]}


class Order(BaseModel):
    """An order."""

    number: str
    books: int


def chat(seen: Watched, **settings: Any) -> ChatAnthropic:
    return ChatAnthropic(
        **{"model": MODEL, "base_url": seen.base_url, "api_key": "practice", **settings}
    )


def agent(seen: Watched, **settings: Any) -> Any:
    return create_agent(chat(seen, **settings), [order_status])


# --- a tool conversation


def test_a_loop_around_the_chat_model() -> None:
    offered = tool(order_status)
    with watched(SCRIPT) as seen:
        model = chat(seen).bind_tools([offered])
        history: list[Any] = [HumanMessage(QUESTION)]
        history.append(model.invoke(history))
        history += [offered.invoke(call) for call in history[-1].tool_calls]
        assert model.invoke(history).content == ANSWER
    expect_the_conversation(seen)


def test_the_agent() -> None:
    with watched(SCRIPT) as seen:
        assert agent(seen).invoke(ASKED)["messages"][-1].content == ANSWER
    expect_the_conversation(seen)


def test_the_agent_awaited_and_streamed() -> None:
    async def parts(seen: Watched) -> list[str]:
        stream = agent(seen).astream(ASKED, stream_mode="messages")
        return [part.text async for part, _ in stream if part.type == "AIMessageChunk"]

    with watched(SCRIPT) as seen:
        texts = asyncio.run(parts(seen))
    assert "".join(texts) == ANSWER
    assert len([text for text in texts if text]) > 1
    assert [body["stream"] for body in seen.bodies] == [True, True]
    expect_the_conversation(seen)


def test_the_practice_model_calls_the_tool_and_reads_its_result() -> None:
    with watched() as seen:
        assert agent(seen).invoke(ASKED)["messages"][-1].content == f"{RESULT}."
    expect_the_conversation(seen)


def test_two_calls_are_answered_in_one_message() -> None:
    asked = both(use("order_status", order_id="A-17"), use("order_status", order_id="B-2"))
    with watched([asked, say(ANSWER)]) as seen:
        agent(seen).invoke(ASKED)
    assert [block["type"] for block in seen.transcript[-1]["content"]] == ["tool_result"] * 2


def test_thinking_comes_back_with_its_signature() -> None:
    thinking = {"type": "enabled", "budget_tokens": 1024}
    with watched([both(think("It asks."), SCRIPT[0]), SCRIPT[1]]) as seen:
        agent(seen, thinking=thinking, max_tokens=3000).invoke(ASKED)
    expect_the_conversation(seen)
    sent_back = seen.transcript[1]["content"][0]
    assert (sent_back["type"], sent_back["thinking"]) == ("thinking", "It asks.")


def test_structured_output_is_asked_for_by_a_forced_tool_or_a_schema() -> None:
    order = Order(number="A-17", books=2)
    with watched([use("Order", order.model_dump())]) as seen:
        assert chat(seen).with_structured_output(Order).invoke("Which?") == order
    assert seen.bodies[0]["tool_choice"] == {"type": "tool", "name": "Order"}
    with watched([say(order.model_dump_json())]) as seen:
        by_schema = chat(seen).with_structured_output(Order, method="json_schema")
        assert by_schema.invoke("Which?") == order
    assert seen.bodies[0]["output_config"]["format"]["type"] == "json_schema"


# --- what it sends


def test_it_speaks_the_newest_version_and_leaves_a_body_as_it_is_documented() -> None:
    with watched(SCRIPT) as seen:
        agent(seen).invoke(ASKED)
    first = seen.exchanges[0]
    assert first.path == "/v1/messages"
    assert first.headers["anthropic-version"] == "2026-10-21"
    assert first.headers["authorization"] == "Bearer practice"
    assert sorted(first.body) == ["max_tokens", "messages", "model", "tools"]


@pytest.mark.parametrize("setting", [{"temperature": 0}, {"top_p": 0.9}, {"top_k": 40}])
def test_a_setting_of_sampling_is_passed_on_and_refused(setting: dict[str, Any]) -> None:
    (name,) = setting
    with (
        watched([say("Hello.")]) as seen,
        pytest.raises(anthropic.BadRequestError, match=f"{name}: Extra inputs are not permitted"),
    ):
        chat(seen, **setting).invoke("Hello")
    assert setting.items() <= seen.bodies[0].items()


def test_with_the_version_of_2023_sampling_may_be_set() -> None:
    older = {"anthropic-version": "2023-06-01"}
    with watched([say("Hello.")]) as seen:
        assert chat(seen, temperature=0, default_headers=older).invoke("Hi").content == "Hello."
    assert seen.bodies[0]["temperature"] == 0


def test_a_forced_tool_is_passed_on_to_a_model_that_has_none() -> None:
    with watched(SCRIPT) as seen, pytest.raises(anthropic.BadRequestError, match="tool_choice"):
        chat(seen, model="claude-sonnet-5-5").bind_tools([order_status], tool_choice="any").invoke(
            "Hi"
        )
    assert seen.exchanges[0].error == (
        'tool_choice: type "tool" and "any" are not supported for this model.'
    )


# --- how it reports what goes wrong


def test_a_refused_request_is_an_error_of_both_libraries() -> None:
    with watched(SCRIPT) as seen, pytest.raises(ModelError) as raised:
        chat(seen, max_tokens=10**6).invoke("Hello")
    assert isinstance(raised.value, anthropic.BadRequestError)
    assert raised.value.status_code == 400
    assert seen.statuses == [400]


def test_an_overload_is_tried_again_by_the_sdk_below() -> None:
    with watched([overloaded(), *SCRIPT]) as seen:
        assert agent(seen).invoke(ASKED)["messages"][-1].content == ANSWER
    assert seen.statuses == [529, 200, 200]


def test_an_overload_that_stays_is_an_error() -> None:
    with watched([overloaded()] * 3) as seen, pytest.raises(anthropic.OverloadedError) as raised:
        chat(seen).invoke("Hello")
    assert isinstance(raised.value, ModelError)
    assert seen.statuses == [529, 529, 529]


def test_a_stream_that_breaks_is_an_error_of_the_sdk_alone() -> None:
    with watched([break_off(say("Hello."))]) as seen, pytest.raises(anthropic.APIError) as raised:
        list(chat(seen).stream("Hello"))
    assert not isinstance(raised.value, ModelError)
    assert "Overloaded" in str(raised.value)


def test_a_refusal_ends_the_run_in_silence_and_is_not_sent_again() -> None:
    with watched([refuse(), say("Hello.")]) as seen:
        talking = agent(seen)
        messages = talking.invoke(ASKED)["messages"]
        assert messages[-1].content == []
        assert messages[-1].response_metadata["stop_reason"] == "refusal"
        details = messages[-1].response_metadata["stop_details"]
        assert details["explanation"] == "This request was declined."
        talking.invoke({"messages": [*messages, ("user", "And now?")]})
    assert [message["role"] for message in seen.transcript] == ["user", "user"]


def test_an_answer_that_was_cut_off_is_an_answer() -> None:
    with watched([cut_off(say(ANSWER))]) as seen:
        last = agent(seen).invoke(ASKED)["messages"][-1]
    assert ANSWER.startswith(last.content)
    assert last.response_metadata["stop_reason"] == "max_tokens"


def test_a_call_that_was_cut_off_is_run_all_the_same() -> None:
    with watched([cut_off(SCRIPT[0]), say("I see.")]) as seen:
        assert agent(seen).invoke(ASKED)["messages"][-1].content == "I see."
    (result,) = blocks(seen.transcript[-1])
    assert result["is_error"] is True
    assert "order_id: Field required" in result["content"]
