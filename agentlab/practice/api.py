"""The practice API: the Messages API's checks and shapes, answered by a script or a small model.

A request is answered from itself alone, so the same request always gets the same answer; only
message batches are kept. Token counts are an estimate of about four characters a token, and are
no more than that: the real tokenizer is not public.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentlab.errors import ConfigurationError
from agentlab.models import MODELS, Model, find_model
from agentlab.practice.batches import Batches
from agentlab.practice.demands import demand_problem
from agentlab.practice.fields import Countable, Creatable, field_problem
from agentlab.practice.script import Fault, Reply, Script, position, replies_in, turn_for
from agentlab.practice.stream import encode_events, stream_events
from agentlab.practice.wire import (
    NO_RETRY,
    Answer,
    Refused,
    Request,
    as_error,
    as_json,
    identified,
    read_body,
)

CHARACTERS_PER_TOKEN = 4
BAD_KEYS = ("", "bad-key")
ID_STARTS = {"tool_use": "toolu", "server_tool_use": "srvtoolu"}
PRACTICE_ID = re.compile(r'"id": "(?:srv)?toolu_practice_(\d+)"')


class PracticeAPI:
    """Answers requests to the Messages API.

    Args:
        script: turns to give; the embedded model chooses where there is none.
        faults: errors to meet before the reply at a position.
    """

    def __init__(
        self, script: Script | None = None, faults: Mapping[int, Sequence[Fault]] | None = None
    ) -> None:
        self._script = script
        self._faults = faults or {}
        self._batches = Batches(self.reply)

    def answer(self, request: Request) -> Answer:
        """Answer a request; a fault of our own is an answer too, never a broken connection."""
        try:
            return self._route(request)
        except Refused as refusal:
            return as_error(refusal)
        except Exception as error:
            text = f"practice API failed: {type(error).__name__}: {error}"
            return as_error(Refused(500, "api_error", text, NO_RETRY))

    def _route(self, request: Request) -> Answer:
        _require_key(request)
        match request.method, request.path.rstrip("/").split("/")[1:]:
            case "POST", ["v1", "messages"]:
                return self._messages(request)
            case "POST", ["v1", "messages", "count_tokens"]:
                body = _checked(read_body(request), Countable)
                return as_json({"input_tokens": estimate_tokens(body)})
            case "GET", ["v1", "models"]:
                return as_json(_models(request.query))
            case "GET", ["v1", "models", model_id]:
                return as_json(_model(_known_model(model_id)))
            case method, ["v1", "messages", "batches", *rest]:
                return self._batches.answer(method, rest, request)
            case _, ["v1", "messages"] | ["v1", "messages", "count_tokens"] | ["v1", "models"]:
                raise Refused(405, "invalid_request_error", "Method Not Allowed")
        raise Refused(404, "not_found_error", "The requested resource could not be found.")

    def _messages(self, request: Request) -> Answer:
        body = read_body(request)
        message, turn = self.reply(body, request.attempt)
        if not body.get("stream"):
            return as_json(message)
        events = stream_events(message, broken=turn.broken_stream)
        headers = {"content-type": "text/event-stream; charset=utf-8"}
        return Answer(200, identified(headers, message["id"]), encode_events(events))

    def reply(self, body: dict[str, Any], attempt: int = 0) -> tuple[dict[str, Any], Reply]:
        """The message that answers a request, and the turn it was made of.

        Raises:
            Refused: for a request that the API would refuse, and where a fault is due.
        """
        checked = _checked(body, Creatable)
        turn = self._turn(checked, attempt)
        if isinstance(turn, Fault):
            raise Refused(turn.status, turn.type, turn.message, turn.headers, body=turn.body)
        return _message(checked, turn), turn

    def _turn(self, body: dict[str, Any], attempt: int) -> Reply | Fault:
        if self._script is None:
            from agentlab.practice.brain import choose

            return turn_for(body, attempt, choose, self._faults) or choose(body)
        turn = turn_for(body, attempt, self._script, self._faults)
        if turn is None:
            held, asked = replies_in(self._script), position(body["messages"]) + 1
            text = (
                f"the practice script has run out: it holds {held} replies, and number {asked} "
                "was asked for. Add a reply to the script, or end the run sooner."
            )
            raise Refused(500, "api_error", text, NO_RETRY)
        return turn


def estimate_tokens(body: Mapping[str, Any]) -> int:
    """Estimated input tokens: about four characters each, and the prompt that tools bring along.

    The size of that prompt by model is from Anthropic's tool-use overview (August 2026).
    """
    read = [body.get("system") or "", body.get("tools") or [], body["messages"]]
    text = "".join(json.dumps(part, ensure_ascii=False) for part in read if part)
    forced = (body.get("tool_choice") or {}).get("type") in ("any", "tool")
    prompt = _known_model(body["model"]).tool_prompt[forced] if body.get("tools") else 0
    return len(text) // CHARACTERS_PER_TOKEN + prompt


def _checked(body: dict[str, Any], shape: type[Countable]) -> dict[str, Any]:
    """The body, once the API has nothing against it."""
    if body.get("thread") is not None:
        text = "Threads are not supported here; send the whole history in `messages`."
        details = {"error_code": "thread_unsupported_request"}
        raise Refused(400, "invalid_request_error", text, details=details)
    if problem := field_problem(body, shape):
        raise Refused(400, "invalid_request_error", problem)
    model = _known_model(body["model"])
    if problem := demand_problem(body, model, estimate_tokens(body)):
        raise Refused(400, "invalid_request_error", problem)
    return body


def _known_model(model_id: str) -> Model:
    try:
        return find_model(model_id)
    except ConfigurationError as error:
        text = f"model: {model_id}. {error}"
        raise Refused(404, "not_found_error", text) from error


def _require_key(request: Request) -> None:
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    key = request.headers.get("x-api-key")
    if key is None and not bearer:
        raise Refused(401, "authentication_error", "x-api-key header is required")
    if key in BAD_KEYS:
        raise Refused(401, "authentication_error", "invalid x-api-key")
    if key is None and bearer in BAD_KEYS:
        raise Refused(401, "authentication_error", "Invalid bearer token")


def _message(body: Mapping[str, Any], turn: Reply) -> dict[str, Any]:
    at = position(body["messages"]) + 1
    content = _with_ids(turn.content, body["messages"])
    written = sum(len(json.dumps(block, ensure_ascii=False)) for block in content)
    return {
        "id": f"msg_practice_{at:02d}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": turn.stop_reason,
        "stop_sequence": turn.stop_sequence,
        "stop_details": turn.stop_details,
        "usage": {
            "input_tokens": estimate_tokens(body),
            "output_tokens": max(1, written // CHARACTERS_PER_TOKEN),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }


def _with_ids(
    content: Sequence[Mapping[str, Any]], messages: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The blocks with ids counted on from those of the conversation, never random."""
    number = max((int(n) for n in PRACTICE_ID.findall(json.dumps(messages))), default=0)
    made = []
    for block in content:
        if block["type"] in ID_STARTS and "id" not in block:
            number += 1
            start = ID_STARTS[block["type"]]
            made.append({"type": block["type"], "id": f"{start}_practice_{number:02d}", **block})
        else:
            made.append(dict(block))
    return made


def _models(query: Mapping[str, str]) -> dict[str, Any]:
    """One page of the models that are in service, as `before_id`, `after_id` and `limit` say."""
    served = [model for model in MODELS.values() if model.lifecycle != "retired"]
    ids = [model.id for model in served]
    limit = int(query.get("limit", "20"))
    if query.get("before_id") in ids:
        end = ids.index(query["before_id"])
        page = served[max(0, end - limit) : end]
        more = end > limit
    else:
        start = ids.index(query["after_id"]) + 1 if query.get("after_id") in ids else 0
        page = served[start : start + limit]
        more = start + limit < len(served)
    return {
        "data": [_model(model) for model in page],
        "has_more": more,
        "first_id": page[0].id if page else None,
        "last_id": page[-1].id if page else None,
    }


def _model(model: Model) -> dict[str, Any]:
    return {
        "type": "model",
        "id": model.id,
        "display_name": model.id.replace("-", " ").title(),
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": model.lifecycle,
        "max_input_tokens": model.max_input_tokens,
        "max_tokens": model.max_output_tokens,
    }
