"""A transcript in pieces that may be left out without making it unsendable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agentlab.events import Message


@dataclass(frozen=True)
class Unit:
    """Messages that belong together: a step with its results, what a user said, or a rule."""

    kind: Literal["said", "step", "rule"]
    messages: tuple[Message, ...]


def units_of(messages: Sequence[Message]) -> list[Unit]:
    """The transcript in units: a call is never in another one than its result.

    Args:
        messages: a transcript that can be sent.
    """
    units: list[Unit] = []
    for message in messages:
        kind = _kind(message)
        if kind == "step" and units and units[-1].kind == kind and not _over(units[-1], message):
            units[-1] = Unit(kind, (*units[-1].messages, message))
        else:
            units.append(Unit(kind, (message,)))
    return units


def _kind(message: Message) -> Literal["said", "step", "rule"]:
    if message["role"] == "system":
        return "rule"
    step = message["role"] == "assistant" or blocks_of(message, "tool_result")
    return "step" if step else "said"


def _over(unit: Unit, following: Message) -> bool:
    """Whether a step is over before `following`: a new reply after the results starts another."""
    last, coming = unit.messages[-1]["role"], following["role"]
    return bool(last == "user" and coming == "assistant")


def blocks_of(message: Message, kind: str) -> list[Mapping[str, Any]]:
    """The blocks of one type in a message."""
    content = message["content"]
    return [] if isinstance(content, str) else [b for b in content if b["type"] == kind]


def as_blocks(message: Message) -> list[Mapping[str, Any]]:
    """The content of a message as blocks, plain text included."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def as_lines(messages: Sequence[Message], longest: int) -> str:
    """The messages as text to be read: who said what, which tool was called, what came back.

    Args:
        messages: what is to be told.
        longest: characters of each text from which on it is cut.
    """
    names = {
        block["id"]: block["name"]
        for message in messages
        for block in blocks_of(message, "tool_use")
    }
    lines = []
    for message in messages:
        for block in as_blocks(message):
            line = _line(message["role"], block, names)
            lines.append(line if len(line) <= longest else f"{line[:longest]} …")
    return "\n".join(line for line in lines if line)


def _line(role: str, block: Mapping[str, Any], names: Mapping[str, str]) -> str:
    if block["type"] == "text":
        return f"{role}: {block['text']}"
    if block["type"] == "tool_use":
        given = ", ".join(f"{name}={value!r}" for name, value in block["input"].items())
        return f"{role} called {block['name']}({given})"
    if block["type"] == "tool_result":
        failed = " failed" if block.get("is_error") else ""
        return f"{names.get(block['tool_use_id'], 'a tool')}{failed}: {_text(block)}"
    return "" if "thinking" in block["type"] else f"{role}: ({block['type']})"


def _text(block: Mapping[str, Any]) -> str:
    content = block.get("content") or "(no output)"
    if isinstance(content, str):
        return content
    return " ".join(each.get("text", f"({each['type']})") for each in content)
