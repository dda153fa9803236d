"""The conversation that every client is to finish: a question, one call of a tool, an answer."""

from typing import Any

from agentlab.practice import say, use

from .watching import Watched

MODEL = "claude-haiku-4-5"
QUESTION = "Where is my order A-17?"
RESULT = "A-17 left the warehouse on Monday"
ANSWER = "It is on its way since Monday."
SCRIPT = [use("order_status", order_id="A-17"), say(ANSWER)]


def order_status(order_id: str) -> str:
    """Look up where an order is. Use it when a customer asks about an order.

    Args:
        order_id: the order's number, such as A-17.
    """
    return f"{order_id} left the warehouse on Monday"


def blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The content of a message as blocks, which text alone stands for as well."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def expect_the_conversation(seen: Watched) -> None:
    """Two requests, both answered; the second one hands back what the tool said."""
    assert seen.statuses == [200, 200]
    question, call, result = (blocks(message) for message in seen.transcript)
    assert [block["text"] for block in question] == [QUESTION]
    (asked,) = (block for block in call if block["type"] == "tool_use")
    assert (asked["name"], asked["input"]) == ("order_status", {"order_id": "A-17"})
    (answered,) = result
    assert answered["tool_use_id"] == asked["id"]
    assert [block["text"] for block in blocks(answered)] == [RESULT]
