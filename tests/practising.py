"""Clients of the practice API, as the tests of it use them."""

from collections.abc import Mapping, Sequence
from typing import Any

from anthropic import Anthropic, AsyncAnthropic, DefaultAsyncHttpxClient, DefaultHttpxClient

from agentlab.practice import Fault, Script, practice, say

HAIKU = "claude-haiku-4-5"
TWO_NUMBERS = {
    "type": "object",
    "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
    "required": ["a", "b"],
}
ADD = {"name": "add", "description": "Add two numbers.", "input_schema": TWO_NUMBERS}
MULTIPLY = {**ADD, "name": "multiply", "description": "Multiply two numbers."}


def practising(
    script: Script | None = None,
    faults: Mapping[int, Sequence[Fault]] | None = None,
    **settings: Any,
) -> Anthropic:
    http_client = DefaultHttpxClient(transport=practice(script, faults))
    return Anthropic(**{**SETTINGS, **settings}, http_client=http_client)


def practising_async(script: Script | None) -> AsyncAnthropic:
    http_client = DefaultAsyncHttpxClient(transport=practice(script))
    return AsyncAnthropic(**SETTINGS, http_client=http_client)


SETTINGS = {"api_key": "practice", "base_url": "http://practice.invalid"}
OK = [say("ok")]


def user(*content: Any) -> dict[str, Any]:
    """A user message of one text, or of blocks."""
    return _message("user", content)


def assistant(*content: Any) -> dict[str, Any]:
    """An assistant message of one text, or of blocks."""
    return _message("assistant", content)


def _message(role: str, content: tuple[Any, ...]) -> dict[str, Any]:
    whole = content[0] if content and isinstance(content[0], str) else list(content)
    return {"role": role, "content": whole}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str = "toolu_1", **changes: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "add", "input": {"a": 1, "b": 2}, **changes}


def result(call_id: str = "toolu_1", content: Any = "3", **changes: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **changes}


def ask(client: Anthropic, *messages: dict[str, Any], **settings: Any) -> Any:
    """Send messages with the usual model, limit and no tools, or as `settings` say."""
    usual: dict[str, Any] = {"model": HAIKU, "max_tokens": 1000}
    return client.messages.create(messages=list(messages), **{**usual, **settings})
