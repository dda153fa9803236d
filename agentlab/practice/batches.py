"""Message batches: the one thing that the practice API keeps between requests."""

import json
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from agentlab.practice.fields import shape_problem
from agentlab.practice.shapes import Batch
from agentlab.practice.wire import (
    Answer,
    Refused,
    Request,
    as_json,
    not_found,
    numbered,
    one_page,
    read_body,
)

LARGEST_BATCH = 256 * 1024 * 1024
"""Bytes."""
CREATED = "2026-06-15T12:00:00Z"
"""The practice API has no clock: every batch is made, and done, at this time."""
EXPIRES = "2026-06-16T12:00:00Z"


class Batches:
    """The batches of one practice API; each is worked off as soon as it is made.

    Args:
        reply: answers one request's body with a message, and the turn it was made of.
    """

    def __init__(self, reply: Callable[[dict[str, Any]], tuple[dict[str, Any], Any]]) -> None:
        self._reply = reply
        self._numbers = count(1)
        self._batches: dict[str, dict[str, Any]] = {}
        self._results: dict[str, list[dict[str, Any]]] = {}

    def answer(self, method: str, path: list[str], request: Request) -> Answer:
        """Answer a request below `/v1/messages/batches`."""
        match method, path:
            case "POST", []:
                return as_json(self._create(request))
            case "GET", []:
                newest_first = list(reversed(self._batches.values()))
                return as_json(one_page(newest_first, request.query))
            case _, [batch_id, *_] if batch_id not in self._batches:
                raise not_found()
            case ("GET", [batch_id]) | ("POST", [batch_id, "cancel"]):
                return as_json(self._batches[batch_id])  # too late to cancel: it has ended
            case "GET", [batch_id, "results"]:
                lines = (json.dumps(r, ensure_ascii=False) for r in self._results[batch_id])
                headers = {"content-type": "application/x-jsonl", "request-id": numbered("req", 0)}
                return Answer(200, headers, ("\n".join(lines) + "\n").encode())
            case "DELETE", [batch_id]:
                del self._batches[batch_id], self._results[batch_id]
                return as_json({"id": batch_id, "type": "message_batch_deleted"})
        raise Refused(405, "invalid_request_error", "Method Not Allowed")

    def _create(self, request: Request) -> dict[str, Any]:
        results = [self._result(each) for each in _checked(read_body(request, LARGEST_BATCH))]
        failed = sum(result["result"]["type"] == "errored" for result in results)
        batch_id = numbered("msgbatch", next(self._numbers))
        self._results[batch_id] = results
        self._batches[batch_id] = {
            "id": batch_id,
            "type": "message_batch",
            "processing_status": "ended",
            "request_counts": {
                "processing": 0,
                "succeeded": len(results) - failed,
                "errored": failed,
                "canceled": 0,
                "expired": 0,
            },
            "created_at": CREATED,
            "ended_at": CREATED,
            "expires_at": EXPIRES,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"{request.origin}/v1/messages/batches/{batch_id}/results",
        }
        return self._batches[batch_id]

    def _result(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        try:
            message, _ = self._reply(asked["params"])
            result = {"type": "succeeded", "message": message}
        except Refused as refusal:
            result = {"type": "errored", "error": refusal.error}
        return {"custom_id": asked["custom_id"], "result": result}


def _checked(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The requests of a new batch, each with its own id and something to ask."""
    if problem := shape_problem(body, Batch):
        raise Refused(400, "invalid_request_error", problem)
    asked: list[dict[str, Any]] = body["requests"]
    ids = [each["custom_id"] for each in asked]
    if len(set(ids)) != len(ids):
        text = "requests: custom_id must be unique within a batch"
        raise Refused(400, "invalid_request_error", text)
    return asked
