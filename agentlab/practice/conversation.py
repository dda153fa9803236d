"""What a request to the Messages API says, as the practice model reads it."""

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agentlab.practice.choosing import Card


@dataclass(frozen=True)
class Call:
    """A call of a tool."""

    name: str
    input: dict[str, Any]

    @cached_property
    def key(self) -> str:
        """The same for two calls exactly if they ask for the same thing."""
        return json.dumps([self.name, self.input], sort_keys=True, ensure_ascii=False, default=str)


@dataclass(frozen=True)
class Step:
    """A call that was made, and what came back."""

    call: Call
    result: str
    is_error: bool = False

    @cached_property
    def data(self) -> Any:
        """The result as JSON says it, or its text where it is not JSON."""
        try:
            return json.loads(self.result)
        except (ValueError, RecursionError):
            return _literal(self.result)


def _literal(text: str) -> Any:
    """The dict or list that `str()` made this text of, as many a tool does; else the text."""
    if not text.startswith(("{", "[")):
        return text
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


@dataclass(frozen=True)
class Conversation:
    """The question to answer now, and what has been done for it."""

    question: str = ""
    steps: tuple[Step, ...] = ()
    """The calls made since the question, each with its result."""
    earlier: tuple[Step, ...] = ()
    """The calls made for questions before."""
    cards: tuple[Card, ...] = ()
    instructions: str = ""
    """The system prompt."""
    choice: str = "auto"
    """The type of `tool_choice`."""
    forced_name: str = ""
    """The tool that `tool_choice` names."""
    parallel: bool = True
    """Whether one reply may hold several calls."""

    @cached_property
    def made(self) -> frozenset[str]:
        """The keys of the calls made since the question."""
        return frozenset(step.call.key for step in self.steps)

    def card(self, name: str) -> Card | None:
        """The tool of that name, if the request has it."""
        return next((card for card in self.cards if card.name == name), None)


def read(body: Mapping[str, Any]) -> Conversation:
    """The conversation that a Messages API request holds."""
    messages = [_normal(message) for message in body.get("messages") or ()]
    asked = _latest_question(messages)
    choice = body.get("tool_choice") or {}
    tools = [tool for tool in body.get("tools") or () if "input_schema" in tool]
    return Conversation(
        question=_question(messages, asked),
        steps=_steps(messages[asked:]),
        earlier=_steps(messages[:asked]),
        cards=tuple(Card.read(tool) for tool in tools),
        instructions=_text(body.get("system") or ""),
        choice=str(choice.get("type", "auto")),
        forced_name=str(choice.get("name", "")),
        parallel=not choice.get("disable_parallel_tool_use", False),
    )


@dataclass(frozen=True)
class _Message:
    role: str
    text: str
    calls: tuple[dict[str, Any], ...] = ()
    results: tuple[dict[str, Any], ...] = field(default=())


def _normal(message: Mapping[str, Any]) -> _Message:
    content = message.get("content") or ""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    return _Message(
        role=str(message.get("role", "user")),
        text=_text([block for block in blocks if block.get("type") == "text"]),
        calls=tuple(block for block in blocks if block.get("type") == "tool_use"),
        results=tuple(block for block in blocks if block.get("type") == "tool_result"),
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = []
    for block in content or ():
        if block.get("type") == "text":
            parts.append(str(block.get("text", "")))
        elif block.get("type") in ("image", "document"):
            parts.append(f"({block['type']})")
    return "\n".join(part for part in parts if part)


def _latest_question(messages: Sequence[_Message]) -> int:
    """The place of the last message in which the user says something of their own.

    Text beside tool results is no new question: it comes with the answer to the call before.
    """
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message.role == "user" and message.text.strip() and not message.results:
            return place
    return 0


def _question(messages: Sequence[_Message], asked: int) -> str:
    """The user's words; with the words before, where these answer a question of the assistant."""
    if not messages:
        return ""
    question = messages[asked].text.strip()
    if asked >= 2:
        reply, before = messages[asked - 1], messages[asked - 2]
        asked_back = reply.role == "assistant" and reply.text.rstrip().endswith("?")
        if asked_back and not reply.calls and before.text and len(question.split()) <= 12:
            return f"{before.text.strip()} {question}"
    return question


def _steps(messages: Sequence[_Message]) -> tuple[Step, ...]:
    results = {
        str(block.get("tool_use_id")): block for message in messages for block in message.results
    }
    steps = []
    for message in messages:
        for block in message.calls:
            result = results.get(str(block.get("id")))
            if result is not None:
                call = Call(str(block.get("name")), dict(block.get("input") or {}))
                told = _text(result.get("content") or "")
                steps.append(Step(call, told, bool(result.get("is_error"))))
    return tuple(steps)
