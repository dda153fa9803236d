"""The shop's tools over MCP: a real server in a process of its own, and the SDK's own helpers."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from anthropic.lib.tools.mcp import async_mcp_tool
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from agentlab.errors import ConfigurationError
from agentlab.mcp_server import server_of
from agentlab.shop import shop
from agentlab.tools import tool
from tests.practising import HAIKU, practising_async, user

SERVER = StdioServerParameters(command=sys.executable, args=["-m", "agentlab.mcp_server"])


def with_session(use: Callable[[ClientSession], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with stdio_client(SERVER) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return await use(session)

    return asyncio.run(run())


def test_the_server_offers_what_reads_with_the_schemas_of_its_functions() -> None:
    async def listed(session: ClientSession) -> Any:
        return (await session.list_tools()).tools

    found = with_session(listed)
    reading = [each for each in shop.tools if not each.destructive]
    assert [each.name for each in found] == [each.name for each in reading]
    for theirs, ours in zip(found, reading, strict=True):
        assert theirs.description == ours.description
        assert set(theirs.input_schema["properties"]) == set(ours.input_schema["properties"])
        assert theirs.input_schema.get("required") == ours.input_schema.get("required")


def test_an_agent_on_the_sdks_tool_runner_uses_them() -> None:
    async def answered(session: ClientSession) -> str:
        tools = [async_mcp_tool(each, session) for each in (await session.list_tools()).tools]
        runner = practising_async(None).beta.messages.tool_runner(
            model=HAIKU,
            max_tokens=500,
            messages=[user("Where is my order SP-1024?")],
            tools=tools,
        )
        return str((await runner.until_done()).content[0].text)

    assert "the status is shipped" in with_session(answered)


def test_an_error_of_a_tool_arrives_as_one() -> None:
    async def called(session: ClientSession) -> Any:
        return await session.call_tool("get_order_status", {"order_id": "SP-0000"})

    result = with_session(called)
    assert result.is_error
    assert "There is no order SP-0000" in result.content[0].text


def test_what_needs_a_yes_is_not_served() -> None:
    with pytest.raises(ConfigurationError, match="refund_order needs a person's yes"):
        server_of(shop.tools, "shop")


def test_any_tool_can_be_served() -> None:
    @tool
    def double(number: int) -> int:
        """Double a number.

        Args:
            number: what to double.
        """
        return 2 * number

    assert server_of([double], "numbers").name == "numbers"
