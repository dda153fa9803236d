"""Written replies and faults: what the practice API answers when a script is given."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    return Reply(({"type": "thinking", "thinking": text, "signature": "practice-signature"},))


def both(*replies: Reply) -> Reply:
    """One reply with the content of several, in order."""
    content = tuple(block for reply in replies for block in reply.content)
    calls = any(block["type"] == "tool_use" for block in content)
    return replace(
        replies[-1], content=content, stop_reason="tool_use" if calls else replies[-1].stop_reason
    )


def cut_off(reply: Reply) -> Reply:
    """The reply as it would be at the end of its tokens: its last call has lost some input."""
    *whole, last = reply.content
    if last["type"] == "tool_use":
        last = {**last, "input": dict(list(last["input"].items())[:-1])}
    elif last["type"] == "text":
        last = {**last, "text": last["text"][: max(1, len(last["text"]) // 2)]}
    return replace(reply, content=(*whole, last), stop_reason="max_tokens")


def pause() -> Reply:
    """A reply that pauses in the middle of a server tool's work."""
    block = {"type": "server_tool_use", "name": "web_search", "input": {"query": "practice"}}
    return Reply((block,), "pause_turn")


def refuse(explanation: str = "This request was declined.", category: str | None = None) -> Reply:
    """A refusal; it comes with status 200, as the API's own do."""
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
    return Fault(429, "rate_limit_error", text, {"retry-after-ms": str(round(seconds * 1000))})


def server_error() -> Fault:
    """Something failed inside the API (500)."""
    return Fault(500, "api_error", "Internal server error", NO_WAIT)


def garbled() -> Fault:
    """A gateway's page instead of an answer (502); it is not JSON."""
    return Fault(502, "api_error", "", NO_WAIT, body="<html>502 Bad Gateway</html>")


def turn_for(
    body: Mapping[str, Any],
    attempt: int,
    script: Script,
    faults: Mapping[int, Sequence[Fault]],
) -> Turn | None:
    """The turn that a request meets; `None` when the script has run out.

    Nothing is remembered between requests, so a cell can be run again: where a request stands in
    the script follows from the messages in it, and which fault it meets from the SDK's count of
    attempts.
    """
    at = position(body["messages"])
    before = list(faults.get(at, ()))
    if callable(script):
        return before[attempt] if attempt < len(before) else script(dict(body))
    index = 0
    for turn in script:
        if isinstance(turn, Fault):
            if index == at:
                before.append(turn)
        elif index == at:
            return before[attempt] if attempt < len(before) else turn
        else:
            index += 1
    return before[min(attempt, len(before) - 1)] if before else None


def position(messages: Sequence[Mapping[str, Any]]) -> int:
    """How many replies the conversation has had.

    One for each assistant message, and one for each question that directly follows a user
    message: the reply between them was empty or refused, and so was not kept.
    """
    count = 0
    previous = None
    for message in messages:
        role = message["role"]
        unkept = role == previous == "user" and not _holds_result(message)
        count += role == "assistant" or unkept
        previous = role
    return count


def replies_in(script: Script) -> int:
    """How many replies a sequence holds, faults left out."""
    return 0 if callable(script) else sum(isinstance(turn, Reply) for turn in script)


def _holds_result(message: Mapping[str, Any]) -> bool:
    content = message["content"]
    return not isinstance(content, str) and any(b.get("type") == "tool_result" for b in content)
