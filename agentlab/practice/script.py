"""Written replies and faults: what the practice API answers when a script is given."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

Block = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What the model says in one turn, before ids and token counts are put to it."""

    content: tuple[Block, ...]
    stop_reason: str | None = "end_turn"
    stop_sequence: str | None = None
    stop_details: dict[str, Any] | None = None
    broken_stream: bool = False
    """Whether a streamed reply ends with an error in its middle."""


@dataclass(frozen=True)
class Fault:
    """An answer that is not a reply."""

    status: int
    type: str
    message: str
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    """Sent as it is, in place of the API's error object."""


Turn = Reply | Fault
Script = Sequence[Turn] | Callable[[dict[str, Any]], Turn]
"""Turns to give in order, or a function of the request that returns the next one."""

NO_WAIT = {"retry-after-ms": "1"}
"""The SDK retries a practice fault at once instead of after half a second."""
PRACTICE_SIGNATURE = "practice-signature-"


def say(text: str, *, stop_reason: str = "end_turn", stop_sequence: str | None = None) -> Reply:
    """A text reply; an empty text makes an empty reply."""
    content = ({"type": "text", "text": text},) if text else ()
    return Reply(content, stop_reason, stop_sequence)


def use(
    name: str, arguments: Mapping[str, Any] | None = None, /, *, id: str | None = None, **more: Any
) -> Reply:
    """A reply that asks for one tool.

    Args:
        name: the tool's name; it need not exist.
        arguments: the input as a dict, where keywords would not do.
        id: the tool_use id; counted by the API where none is given.
        more: the input as keywords.
    """
    block: Block = {"type": "tool_use", "name": name, "input": {**(arguments or {}), **more}}
    return Reply((block if id is None else {**block, "id": id},), "tool_use")


def think(text: str = "") -> Reply:
    """A thinking block, to be joined with what follows it; the API often leaves its text empty."""
    return Reply(({"type": "thinking", "thinking": text, "signature": sign(text)},))


def sign(thinking: str) -> str:
    """The signature of a thinking block, by which a change of its text is found out."""
    return PRACTICE_SIGNATURE + sha256(thinking.encode()).hexdigest()[:16]


def both(*replies: Reply) -> Reply:
    """One reply with the content of several, in order.

    It ends as the last of them does; where that is an ordinary end and there is a call, it is
    waiting for the call.
    """
    content = tuple(block for reply in replies for block in reply.content)
    last = replies[-1]
    waits = last.stop_reason == "end_turn" and any(b["type"] == "tool_use" for b in content)
    return replace(last, content=content, stop_reason="tool_use" if waits else last.stop_reason)


def cut_off(reply: Reply) -> Reply:
    """The reply as it would be at the end of its tokens: its last block has lost its end."""
    if not reply.content:
        return replace(reply, stop_reason="max_tokens")
    *whole, last = reply.content
    if last["type"] == "tool_use":
        last = {**last, "input": dict(list(last["input"].items())[:-1])}
    elif last["type"] == "text":
        last = {**last, "text": last["text"][: max(1, len(last["text"]) // 2)]}
    return replace(reply, content=(*whole, last), stop_reason="max_tokens")


def break_off(reply: Reply) -> Reply:
    """The reply, but a stream of it ends with an error in its middle; a plain one is whole.

    The SDK does not retry this, as the reply has begun, and raises a bare `APIStatusError`.
    """
    return replace(reply, broken_stream=True)


def pause() -> Reply:
    """A reply that pauses in the middle of a server tool's work."""
    block = {"type": "server_tool_use", "name": "web_search", "input": {"query": "practice"}}
    return Reply((block,), "pause_turn")


def refuse(explanation: str = "This request was declined.", category: str | None = None) -> Reply:
    """A refusal; it comes with status 200, as the API's own do.

    Args:
        explanation: why, in words for people.
        category: one of `cyber`, `bio`, `frontier_llm`, `reasoning_extraction` and
            `general_harms`, where the refusal has one.
    """
    details = {"type": "refusal", "category": category, "explanation": explanation}
    return Reply((), "refusal", stop_details=details)


def overloaded() -> Fault:
    """The API is overloaded (529)."""
    return Fault(529, "overloaded_error", "Overloaded", NO_WAIT)


def rate_limited(seconds: float = 0.001) -> Fault:
    """Too many requests (429); the SDK waits for `seconds` before it tries again."""
    text = (
        "This request would exceed your organization's rate limit of 30,000 input tokens per "
        "minute (practice). For details, refer to: https://docs.claude.com/en/api/rate-limits."
    )
    return Fault(429, "rate_limit_error", text, {"retry-after": f"{seconds:g}"})


def server_error() -> Fault:
    """Something failed inside the API (500)."""
    return Fault(500, "api_error", "Internal server error", NO_WAIT)


def garbled(status: int = 200) -> Fault:
    """A gateway's page in place of an answer.

    With status 200 the SDK takes it for a reply, cannot read it, and does not try again; with
    another, such as 502, it is an error like any other.
    """
    return Fault(status, "api_error", "", NO_WAIT, body="<html>The gateway is confused.</html>")
