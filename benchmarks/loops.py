"""The loops that are compared: each has the same conversation with the practice API.

Those that take an HTTP client talk to it in the same process. The others bring their own way of
sending and get it on a port, where the bare loop and agentlab's are measured once more.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from anthropic import (
    Anthropic,
    AsyncAnthropic,
    DefaultAsyncHttpxClient,
    DefaultHttpxClient,
    beta_tool,
)

from agentlab import Agent, ask
from agentlab.practice import Reply, practice, say, use
from agentlab.practice.serve import served

MODEL = "claude-haiku-4-5"
QUESTION = "Look everywhere."
ANSWER = "done"
SAID = say(ANSWER)
QUIET = {
    "LANGSMITH_TRACING": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # or it fetches a list of prices when it starts
}


@dataclass(frozen=True)
class Api:
    """Where a loop finds the practice API."""

    base_url: str
    client: Anthropic
    """The SDK's client of it, for those that take one: a program makes it once."""
    transport: Any = None
    """What answers in this process; the network does where there is none."""


def script(steps: int, last: Reply) -> list[Any]:
    """So many replies: a call each, and what ends the run."""
    return [*(use("look", place=number) for number in range(steps - 1)), last]


@contextmanager
def in_process(steps: int) -> Iterator[Api]:
    """The practice API as a transport."""
    address, transport = "http://practice.invalid", practice(script(steps, SAID))
    http_client = DefaultHttpxClient(transport=transport)
    client = Anthropic(base_url=address, api_key="practice", http_client=http_client)
    yield Api(address, client, transport)


@contextmanager
def on_a_port(steps: int, last: Reply = SAID) -> Iterator[Api]:
    """The practice API on a port of this computer."""
    with (
        served(script(steps, last)) as address,
        Anthropic(base_url=address, api_key="practice") as client,
    ):
        yield Api(address, client)


@dataclass(frozen=True)
class Loop:
    """A loop, and how it reaches the practice API."""

    name: str
    talk: Callable[[Api, int], str]
    """Has the conversation of so many steps, and gives the answer."""
    opened: Callable[[int], AbstractContextManager[Api]] = in_process


def look(place: int) -> str:
    """Look at a place.

    Args:
        place: which one.
    """
    return f"nothing at {place}"


def bare(api: Api, steps: int) -> str:
    """The fewest lines that do it: the floor."""
    definitions: Any = [beta_tool(look).to_dict()]
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    while True:
        reply = api.client.messages.create(
            model=MODEL, max_tokens=500, messages=messages, tools=definitions
        )
        messages.append({"role": "assistant", "content": [b.to_dict() for b in reply.content]})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply.content[0].text  # type: ignore[union-attr]
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": look(**call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})


def ours(api: Api, steps: int) -> str:
    """`agentlab.ask`."""
    agent = Agent("looker", "", [look], MODEL)
    return ask(agent, QUESTION, client=api.client, max_steps=steps + 1).answer


def tool_runner(api: Api, steps: int) -> str:
    """The SDK's own runner, in this thread as the others are."""
    runner = api.client.beta.messages.tool_runner(
        model=MODEL,
        max_tokens=500,
        tools=[beta_tool(look)],
        messages=[{"role": "user", "content": QUESTION}],
        max_iterations=steps + 1,
        thread=False,
    )
    return runner.until_done().content[0].text  # type: ignore[union-attr]


def pydantic_ai(api: Api, steps: int) -> str:
    """pydantic-ai on the same SDK, with its asynchronous client."""
    from pydantic_ai import Agent as TheirAgent
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider
    from pydantic_ai.usage import UsageLimits

    http_client = DefaultAsyncHttpxClient(transport=api.transport)
    client = AsyncAnthropic(base_url=api.base_url, api_key="practice", http_client=http_client)
    model = AnthropicModel(MODEL, provider=AnthropicProvider(anthropic_client=client))
    agent = TheirAgent(model, tools=[look])
    limits = UsageLimits(request_limit=None)
    return asyncio.run(agent.run(QUESTION, usage_limits=limits)).output


def langchain(api: Api, steps: int) -> str:
    """LangChain's agent, which is LangGraph's loop, on the same SDK."""
    os.environ.update(QUIET)
    from langchain.agents import create_agent
    from langchain_anthropic import ChatAnthropic

    model = ChatAnthropic(model=MODEL, base_url=api.base_url, api_key="practice", max_tokens=500)
    agent = create_agent(model, [look])
    asked: Any = {"messages": [("user", QUESTION)]}
    state = agent.invoke(asked, {"recursion_limit": 2 * steps + 2})
    return str(state["messages"][-1].content)


def smolagents(api: Api, steps: int) -> str:
    """smolagents, which reaches Claude through LiteLLM and not through the SDK."""
    os.environ.update(QUIET)
    from smolagents import LiteLLMModel, LogLevel, ToolCallingAgent, tool

    model = LiteLLMModel(
        f"anthropic/{MODEL}", api_base=api.base_url, api_key="practice", max_tokens=500
    )
    agent = ToolCallingAgent([tool(look)], model, max_steps=steps + 1, verbosity_level=LogLevel.OFF)
    return str(agent.run(QUESTION))


IN_PROCESS = (
    Loop("bare SDK loop", bare),
    Loop("agentlab", ours),
    Loop("tool_runner", tool_runner),
    Loop("pydantic-ai", pydantic_ai),
)
ON_A_PORT = (
    Loop("bare SDK loop", bare, on_a_port),
    Loop("agentlab", ours, on_a_port),
    Loop("LangChain", langchain, on_a_port),
    Loop("smolagents", smolagents, partial(on_a_port, last=use("final_answer", answer=ANSWER))),
)
PACKAGES = (
    "anthropic",
    "pydantic-ai-slim",
    "langchain",
    "langgraph",
    "langchain-anthropic",
    "smolagents",
    "litellm",
)
LEFT_OUT = (
    "Left out: claudette 0.3.15, the newest. With anthropic 2.14.0 each of its requests ends in "
    "`TypeError: Messages.create() got an unexpected keyword argument 'temperature'`."
)
