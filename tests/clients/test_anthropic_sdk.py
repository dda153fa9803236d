"""The Python SDK where test_practice_serve leaves off: async, streams, and the runner's ends."""

import asyncio
from typing import Any

import anthropic
import pytest
from anthropic import Anthropic, AsyncAnthropic, beta_async_tool, beta_tool

from agentlab.practice import break_off, cut_off, overloaded, refuse, say

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

REQUEST: dict[str, Any] = {
    "model": MODEL,
    "max_tokens": 500,
    "messages": [{"role": "user", "content": QUESTION}],
    "thread": False,
}


def last_message(seen: Watched, **settings: Any) -> Any:
    """What the tool runner ends with."""
    with Anthropic(base_url=seen.base_url, api_key="practice") as client:
        tools = [beta_tool(order_status)]
        runner = client.beta.messages.tool_runner(**REQUEST, tools=tools, **settings)
        return runner.until_done()


def test_the_runner_with_the_practice_model() -> None:
    with watched() as seen:
        assert last_message(seen).content[0].text == f"{RESULT}."
    expect_the_conversation(seen)


def test_the_runner_awaited_and_streamed() -> None:
    async def order_status_later(order_id: str) -> str:
        """Look up where an order is."""
        return order_status(order_id)

    async def texts(seen: Watched) -> list[str]:
        async with AsyncAnthropic(base_url=seen.base_url, api_key="practice") as client:
            looked_up = beta_async_tool(order_status_later, name="order_status")
            runner = client.beta.messages.tool_runner(**REQUEST, tools=[looked_up], stream=True)
            return [
                event.text
                async for stream in runner
                async for event in stream
                if event.type == "text"
            ]

    with watched(SCRIPT) as seen:
        pieces = asyncio.run(texts(seen))
    assert "".join(pieces) == ANSWER
    assert len(pieces) > 1
    expect_the_conversation(seen)


def test_a_thread_is_asked_for_once_and_then_given_up() -> None:
    settings = {name: value for name, value in REQUEST.items() if name != "thread"}
    with (
        watched(SCRIPT) as seen,
        Anthropic(base_url=seen.base_url, api_key="practice") as client,
    ):
        tools = [beta_tool(order_status)]
        last = client.beta.messages.tool_runner(**settings, tools=tools).until_done()
    assert last.content[0].text == ANSWER
    assert seen.statuses == [400, 200, 200]
    assert [body.get("thread") for body in seen.bodies] == [{"type": "create"}, None, None]
    assert seen.exchanges[0].error.startswith("Threads are not supported here")


def test_a_refused_request_is_sent_once() -> None:
    with watched(SCRIPT) as seen, pytest.raises(anthropic.BadRequestError, match="effort"):
        last_message(seen, output_config={"effort": "low"}, max_iterations=1)
    assert seen.statuses == [400]


def test_an_overload_is_tried_again_and_a_lasting_one_is_an_error() -> None:
    with watched([overloaded(), *SCRIPT]) as seen:
        assert last_message(seen).content[0].text == ANSWER
    assert seen.statuses == [529, 200, 200]
    with watched([overloaded()] * 3) as seen, pytest.raises(anthropic.OverloadedError):
        last_message(seen)
    assert seen.statuses == [529, 529, 529]


def test_a_refusal_ends_the_runner_with_a_message_without_content() -> None:
    with watched([refuse()]) as seen:
        last = last_message(seen)
    assert (last.content, last.stop_reason) == ([], "refusal")


def test_a_call_that_was_cut_off_is_not_run() -> None:
    with watched([cut_off(SCRIPT[0])]) as seen:
        assert last_message(seen).stop_reason == "max_tokens"
    assert seen.statuses == [200]


def test_a_stream_that_breaks_is_an_error_of_no_status_of_its_own() -> None:
    with (
        watched([break_off(say(ANSWER))]) as seen,
        Anthropic(base_url=seen.base_url, api_key="practice") as client,
        pytest.raises(anthropic.APIStatusError) as raised,
        client.messages.stream(
            model=MODEL, max_tokens=500, messages=[{"role": "user", "content": QUESTION}]
        ) as stream,
    ):
        stream.until_done()
    assert not isinstance(raised.value, anthropic.OverloadedError)
    assert (raised.value.status_code, raised.value.type) == (200, "overloaded_error")
