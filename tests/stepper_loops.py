"""Loops and agents for the tests of a live Stepper."""

import contextlib
import time
from typing import Any

from practising import HAIKU
from stepper_runs import TOOL

from agentlab import Agent, client, tool
from agentlab.practice import both, say, use

SCRIPT = [use("get_order_status", order_id="A-17"), say("It was shipped.")]
RAN: list[str] = []
"""What the tools of this module were asked to do, in order."""


def get_order_status(order_id: str) -> str:
    """Look up where an order is."""
    RAN.append(f"status {order_id}")
    return "lost" if order_id == "B-2" else "shipped"


@tool(destructive=True)
def cancel(order_id: str) -> str:
    """Cancel an order."""
    RAN.append(f"cancel {order_id}")
    return "cancelled"


DESK = Agent("desk", "You answer.", [get_order_status, cancel])


def api() -> Any:
    """A client whose model looks an order up and answers."""
    return client(SCRIPT)


def cancelling() -> Any:
    """A client whose model looks an order up, cancels it and answers."""
    asks = both(use("get_order_status", order_id="A-17"), use("cancel", order_id="A-17"))
    return client([asks, say("Done.")])


def my_loop(question: str, client: Any) -> str:
    """A learner's loop: it asks, runs, hands back, and prints as it goes."""
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        reply = client.messages.create(model=HAIKU, max_tokens=500, tools=[TOOL], messages=messages)
        messages.append({"role": "assistant", "content": reply.to_dict()["content"]})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return str(reply.content[0].text)
        print(f"{len(calls)} call")
        results = [
            {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": get_order_status(**call.input),
            }
            for call in calls
        ]
        messages.append({"role": "user", "content": results})


def failing_loop(question: str, client: Any) -> None:
    """A loop with a mistake after its first reply."""
    client.messages.create(
        model=HAIKU, max_tokens=500, messages=[{"role": "user", "content": question}]
    )
    raise KeyError("order_id")


def silent_loop(question: str, client: Any) -> str:
    """A loop that never calls its client."""
    print("I know it myself.")
    return "42"


def endless_loop(question: str, client: Any) -> None:
    """A loop that does not end and does not come to its client."""
    while True:
        time.sleep(0.01)


def stubborn_loop(question: str, client: Any) -> None:
    """A loop that catches everything and begins again."""
    while True:
        try:
            my_loop(question, client)
        except BaseException:
            continue


def more_stubborn_loop(question: str, client: Any) -> None:
    """A loop that catches everything in two places."""
    while True:
        with contextlib.suppress(BaseException):
            stubborn_loop(question, client)
        try:  # noqa: SIM105
            stubborn_loop(question, client)
        except:  # noqa: E722
            pass
