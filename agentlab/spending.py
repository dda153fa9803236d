"""The spending cap of live clients: no request leaves that could pass it."""

import json
from dataclasses import dataclass
from typing import Any

from agentlab.errors import SpendingCapReached
from agentlab.models import estimate_cost

CHARACTERS_PER_TOKEN = 3
"""Few on purpose: the estimate before a request should rather be too high."""


@dataclass
class Meter:
    """What live requests have cost in this process, and how much they may cost."""

    cap: float
    """Dollars."""
    spent: float = 0.0
    """Dollars, estimated from the reported tokens at list prices."""

    def watch(self, request: Any, call_next: Any) -> Any:
        """Client middleware: refuse a request that could pass the cap, and count what it cost.

        Raises:
            SpendingCapReached: before the request is sent.
        """
        if request.method != "post" or not request.url.endswith("/v1/messages"):
            return call_next(request)
        self.require_room_for(request.json)
        response = call_next(request)
        if response.status_code == 200:
            self.spent += cost_of(request.json, response)
        return response

    def require_room_for(self, body: dict[str, Any]) -> None:
        """Refuse a request whose highest possible cost does not fit under the cap."""
        most = most_it_could_cost(body)
        if self.spent + most > self.cap:
            raise SpendingCapReached(
                "This request could cost {dollars}; {dollars_2} of the {dollars_3} allowed "
                "in this session is spent. Nothing was sent. Lower max_tokens, shorten the "
                "history, or raise the cap with client(cap=...).",
                dollars=dollars(most),
                dollars_2=dollars(self.spent),
                dollars_3=dollars(self.cap),
            )


def cost_of(body: dict[str, Any], response: Any) -> float:
    """Cost in dollars of an answered request.

    A stream tells its usage bit by bit, to whom it is read by; it counts as the most it could cost.
    """
    whole = response.http_response.headers.get("content-type", "").startswith("application/json")
    if body.get("stream") or not whole:
        return most_it_could_cost(body)
    return estimate_cost(body["model"], response.json().get("usage", {})) or 0.0


def most_it_could_cost(body: dict[str, Any]) -> float:
    """Highest cost of a request in dollars, if the model writes all of `max_tokens`."""
    characters = len(json.dumps(body, default=str))
    usage = {
        "input_tokens": characters // CHARACTERS_PER_TOKEN,
        "output_tokens": body.get("max_tokens", 0),
    }
    return estimate_cost(body["model"], usage) or 0.0


def dollars(amount: float) -> str:
    """An amount in words; of what is less than a cent, four digits."""
    return f"${amount:.2f}" if amount >= 0.01 or not amount else f"${amount:.4f}"


SESSION = Meter(cap=0.50)
"""Shared by all live clients of this process."""
