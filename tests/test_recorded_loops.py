"""Loops that others wrote, recorded and stepped: a learner's, the SDK's, another framework's."""

import asyncio
import functools
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest
from anthropic import Anthropic, AsyncAnthropic, beta_tool
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from agentlab import Agent, Run, Stepper, ask, check_run, client, record
from agentlab.events import ToolReturned
from agentlab.practice import both, overloaded, say, use
from agentlab.practice.serve import served
from agentlab.recorder import Recorder
from agentlab.shop import shop

MODEL = "claude-haiku-4-5"
LESSON = Path(__file__).resolve().parent.parent / "notebooks" / "03_the_loop.ipynb"
QUESTION = "Where are SP-1024 and SP-1025?"
ANSWER = "One is in transit, the other is packed."
SCRIPT = [
    both(
        say("Let me look."),
        use("get_order_status", order_id="SP-1024"),
        use("get_order_status", order_id="SP-1025"),
    ),
    use("track_shipment", tracking_number="TRK-88213"),
    say(ANSWER),
]
FUNCTIONS: list[Callable[..., Any]] = [shop.get_order_status, shop.track_shipment]


def lesson_loop(connected: Anthropic) -> None:
    """The loop of lesson 03, as the cells of the lesson define it."""
    names: dict[str, Any] = {}
    for cell in nbformat.read(LESSON, as_version=4).cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, LESSON.name, "exec"), names)
        if "my_loop" in names:
            break
    history = names["my_loop"](connected, QUESTION)
    assert history[-1]["content"][0]["text"] == ANSWER


def tool_runner(connected: Anthropic) -> None:
    """The loop that the SDK brings along."""
    runner = connected.beta.messages.tool_runner(
        model=MODEL,
        max_tokens=500,
        messages=[{"role": "user", "content": QUESTION}],
        tools=[beta_tool(answering_in_json(function)) for function in FUNCTIONS],
        thread=False,  # by itself it first asks whether the server keeps the history
    )
    last = runner.until_done()
    assert last.content[0].text == ANSWER  # type: ignore[union-attr]


def answering_in_json(function: Callable[..., Any]) -> Callable[..., str]:
    """The SDK's runner wants text from its tools."""

    @functools.wraps(function)
    def answer(**arguments: Any) -> str:
        return json.dumps(function(**arguments))

    answer.__annotations__ = {**function.__annotations__, "return": str}
    return answer


async def pydantic_agent(connected: AsyncAnthropic) -> str:
    """The loop of another framework, with a client given to it."""
    provider = AnthropicProvider(anthropic_client=connected)
    agent = PydanticAgent(AnthropicModel(MODEL, provider=provider), tools=FUNCTIONS)
    return (await agent.run(QUESTION)).output


def expect_a_whole_run(recorder: "Recorder[Any]") -> None:
    """The run that our own loop tells for the same script, and one that a Stepper can show."""
    run, told = recorder.run, ask(Agent("desk", "", FUNCTIONS), QUESTION, client=client(SCRIPT))
    assert [event.kind for event in run.events] == [event.kind for event in told.events]
    assert values(run) == values(told)
    for called, returned in pairwise(run.events):
        if called.kind == "tool_called":
            assert isinstance(returned, ToolReturned)
            assert returned.outcome.call == called.call
    assert run.stopped is not None
    assert run.answer == ANSWER
    assert check_run(run) == []
    assert len(Stepper(recorder).payload["events"]) == len(run.events)


def values(run: Run) -> list[Any]:
    """What the tools returned, however a loop writes it down for the model."""
    return [json.loads(outcome.text) for outcome in run.outcomes]


@pytest.mark.parametrize("loop", [lesson_loop, tool_runner])
def test_a_loop_is_recorded_in_one_process_and_over_a_port(loop: Callable[[Any], None]) -> None:
    recorder = record(client(SCRIPT))
    loop(recorder.client)
    expect_a_whole_run(recorder)
    with (
        served(SCRIPT) as base_url,
        client(live=True, base_url=base_url, api_key="local") as connected,
    ):
        recorder = record(connected)
        loop(recorder.client)
    expect_a_whole_run(recorder)


def test_another_frameworks_loop_is_recorded_over_a_port() -> None:
    async def go(base_url: str) -> "Recorder[AsyncAnthropic]":
        async with AsyncAnthropic(base_url=base_url, api_key="local") as connected:
            recorder = record(connected)
            assert await pydantic_agent(recorder.client) == ANSWER
            return recorder

    with served(SCRIPT) as base_url:
        recorder = asyncio.run(go(base_url))
    expect_a_whole_run(recorder)
    assert {event.request["stream"] for event in recorder.run.replies} == {True}


def test_an_async_client_is_recorded_whatever_it_is_answered() -> None:
    request: dict[str, Any] = {
        "model": MODEL,
        "max_tokens": 500,
        "messages": [{"role": "user", "content": "go"}],
    }

    async def go(base_url: str) -> "Recorder[AsyncAnthropic]":
        async with AsyncAnthropic(base_url=base_url, api_key="local") as connected:
            recorder = record(connected)
            reply = await recorder.client.messages.create(**request)
            assert reply.content[0].text == "one"  # type: ignore[union-attr]
            async with recorder.client.messages.stream(**request) as stream:
                assert [text async for text in stream.text_stream] != []
            return recorder

    with served([overloaded(), say("one")]) as base_url:
        run = asyncio.run(go(base_url)).run
    twice = ["failed", "replied", "failed", "replied"]  # each request meets the fault anew
    assert [event.kind for event in run.events] == [*twice, "stopped"]
    assert [event.text for event in run.replies] == ["one", "one"]
