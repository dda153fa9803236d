"""Message batches: the one thing that the practice API keeps between requests."""

import json
from collections.abc import Callable
from typing import Any

from agentlab.practice.wire import Answer, Refused, Request, as_json, read_body

WHEN = "2026-06-15T12:00:00Z"
"""Practice batches have no clock; every time is this one."""


class Batches:
    """Batches of one practice API; each is worked off as soon as it is made."""

    def __init__(self, reply: Callable[[dict[str, Any]], tuple[dict[str, Any], Any]]) -> None:
        self._reply = reply
        self._batches: dict[str, dict[str, Any]] = {}
        self._results: dict[str, list[dict[str, Any]]] = {}

    def answer(self, method: str, path: list[str], request: Request) -> Answer:
        """Answer a request below `/v1/messages/batches`."""
        match method, path:
            case "POST", []:
                return as_json(self._create(request))
            case "GET", []:
                made = list(reversed(self._batches.values()))
                ends = {"first_id": made[0]["id"], "last_id": made[-1]["id"]} if made else {}
                empty = {"first_id": None, "last_id": None}
                return as_json({"data": made, "has_more": False, **(ends or empty)})
            case _, [batch_id, *_] if batch_id not in self._batches:
                text = "The requested resource could not be found."
                raise Refused(404, "not_found_error", text)
            case "GET", [batch_id]:
                return as_json(self._batches[batch_id])
            case "GET", [batch_id, "results"]:
                lines = (json.dumps(r, ensure_ascii=False) for r in self._results[batch_id])
                headers = {"content-type": "application/x-jsonl", "request-id": "req_practice_00"}
                return Answer(200, headers, ("\n".join(lines) + "\n").encode())
            case "POST", [batch_id, "cancel"]:
                return as_json(self._batches[batch_id])
            case "DELETE", [batch_id]:
                del self._batches[batch_id], self._results[batch_id]
                return as_json({"id": batch_id, "type": "message_batch_deleted"})
        raise Refused(405, "invalid_request_error", "Method Not Allowed")

    def _create(self, request: Request) -> dict[str, Any]:
        asked = read_body(request).get("requests")
        if not isinstance(asked, list) or not asked:
            raise Refused(400, "invalid_request_error", "requests: Field required")
        names = [each.get("custom_id") for each in asked]
        if len(set(names)) != len(names):
            text = "requests: custom_id must be unique within a batch"
            raise Refused(400, "invalid_request_error", text)
        batch_id = f"msgbatch_practice_{len(self._batches) + 1:02d}"
        results = [self._result(each) for each in asked]
        self._results[batch_id] = results
        failed = sum(result["result"]["type"] == "errored" for result in results)
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
            "created_at": WHEN,
            "ended_at": WHEN,
            "expires_at": "2026-06-16T12:00:00Z",
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"http://practice.invalid/v1/messages/batches/{batch_id}/results",
        }
        return self._batches[batch_id]

    def _result(self, asked: dict[str, Any]) -> dict[str, Any]:
        try:
            message, _ = self._reply(asked.get("params") or {})
            result: dict[str, Any] = {"type": "succeeded", "message": message}
        except Refused as refusal:
            error = {"type": "error", "error": refusal.error, "request_id": "req_practice_00"}
            result = {"type": "errored", "error": error}
        return {"custom_id": asked.get("custom_id"), "result": result}
