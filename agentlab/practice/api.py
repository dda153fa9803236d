"""The practice API: the Messages API's checks and shapes, answered by a script or a small model.

A request is answered from itself alone, so the same request always gets the same answer; only
message batches are kept.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from agentlab.errors import ConfigurationError
from agentlab.models import Model, find_model, similar_ids
from agentlab.practice.batches import Batches
from agentlab.practice.catalogue import list_models, model_info
from agentlab.practice.demands import demand_problem
from agentlab.practice.fields import field_problem
from agentlab.practice.limits import within_limits
from agentlab.practice.messages import estimate_tokens, make_message, reply_number
from agentlab.practice.script import Fault, Reply, Script, both, think
from agentlab.practice.shapes import Countable, Creatable, CreatableBefore2026
from agentlab.practice.stream import encode_events, stream_events
from agentlab.practice.turns import checked_script, position, replies_in, turn_for
from agentlab.practice.wire import (
    NO_RETRY,
    Answer,
    Refused,
    Request,
    as_error,
    as_json,
    not_found,
    numbered,
    read_body,
)

VERSION_OF_2026 = "2026-10-21"
"""The version that took away the settings of sampling; the one before it is still served."""
BAD_KEYS = ("", "bad-key")
"""Keys that are refused; every other one is accepted."""


class PracticeAPI:
    """Answers requests to the Messages API.

    Args:
        script: turns to give; the embedded model chooses where there is none.
        faults: errors to meet before the reply at a position.

    Raises:
        ConfigurationError: for a script that is none.
    """

    def __init__(
        self, script: Script | None = None, faults: Mapping[int, Sequence[Fault]] | None = None
    ) -> None:
        self._script = checked_script(script)
        self._faults = faults or {}
        self._batches = Batches(self.reply)

    def answer(self, request: Request) -> Answer:
        """Answer a request; a bug of our own is an answer too, never a broken connection."""
        try:
            return self._route(request)
        except Refused as refusal:
            return as_error(refusal)
        except Exception as error:
            text = f"practice API failed: {type(error).__name__}: {error}"
            return as_error(Refused(500, "api_error", text, NO_RETRY))

    def _route(self, request: Request) -> Answer:
        _require_headers(request)
        match request.method, request.path.rstrip("/").split("/")[1:]:
            case "POST", ["v1", "messages"]:
                return self._messages(request)
            case "POST", ["v1", "messages", "count_tokens"]:
                input_tokens = _length_of_checked(read_body(request), Countable)
                return as_json({"input_tokens": input_tokens})
            case "GET", ["v1", "models"]:
                return as_json(list_models(request.query))
            case "GET", ["v1", "models", model_id]:
                return as_json(model_info(model_id))
            case method, ["v1", "messages", "batches", *rest]:
                return self._batches.answer(method, rest, request)
            case _, ["v1", "messages"] | ["v1", "messages", "count_tokens"] | ["v1", "models", *_]:
                raise Refused(405, "invalid_request_error", "Method Not Allowed")
        raise not_found()

    def _messages(self, request: Request) -> Answer:
        body = read_body(request)
        before_2026 = request.headers["anthropic-version"] < VERSION_OF_2026
        shape = CreatableBefore2026 if before_2026 else Creatable
        message, turn = self.reply(body, request.attempt, shape)
        if not body.get("stream"):
            return as_json(message)
        events = stream_events(message, broken=turn.broken_stream)
        headers = {
            "content-type": "text/event-stream; charset=utf-8",
            "request-id": numbered("req", reply_number(body["messages"])),
        }
        return Answer(200, headers, encode_events(events))

    def reply(
        self, body: dict[str, Any], attempt: int = 0, shape: type[Creatable] = Creatable
    ) -> tuple[dict[str, Any], Reply]:
        """The message that answers a request, and the turn it was made of.

        Args:
            body: the request.
            attempt: how often it has been sent before.
            shape: the fields that it may have.

        Raises:
            Refused: for a request that the API would refuse, and where a fault is due.
        """
        input_tokens = _length_of_checked(body, shape)
        turn = self._turn(body, attempt)
        if isinstance(turn, Fault):
            number = reply_number(body["messages"])
            raise Refused(
                turn.status, turn.type, turn.message, turn.headers, body=turn.body, number=number
            )
        return make_message(body, turn, input_tokens), turn

    def _turn(self, body: dict[str, Any], attempt: int) -> Reply | Fault:
        if self._script is None:
            from agentlab.practice.brain import choose  # loads the embedded model

            turn = turn_for(
                body, attempt, lambda asked: within_limits(choose(asked), asked), self._faults
            )
        else:
            turn = turn_for(body, attempt, self._script, self._faults)
        if turn is None:
            held = replies_in(self._script or ())
            asked = position(body["messages"], self._script) + 1
            text = (
                f"the practice script has run out: it holds {held} replies, and number {asked} "
                "was asked for. Add a reply to the script, or end the run sooner."
            )
            raise Refused(500, "api_error", text, NO_RETRY)
        if isinstance(turn, Reply) and self._thinks(body, turn):
            return both(think(), turn)
        return turn

    def _thinks(self, body: Mapping[str, Any], turn: Reply) -> bool:
        """Whether thinking is to be put before a reply.

        With a thinking budget the API sends it always, and refuses calls that come back without
        it. Adaptive thinking may be left out, so a script is left as it is written.
        """
        if not turn.content or turn.content[0]["type"] in ("thinking", "redacted_thinking"):
            return False
        kind = (body.get("thinking") or {}).get("type")
        on = kind == "adaptive" or (kind is None and find_model(body["model"]).thinks_by_default)
        return kind == "enabled" or (on and self._script is None)


def _length_of_checked(body: dict[str, Any], shape: type[Countable]) -> int:
    """The estimated tokens of a request, once the API has nothing against it."""
    if body.get("thread") is not None:
        text = "Threads are not supported here; send the whole history in `messages`."
        details = {"error_code": "thread_unsupported_request"}
        raise Refused(400, "invalid_request_error", text, details=details)
    if problem := field_problem(body, shape):
        raise Refused(400, "invalid_request_error", problem)
    model = _model_in_service(body["model"])
    input_tokens = estimate_tokens(body)
    if problem := demand_problem(body, model, input_tokens):
        raise Refused(400, "invalid_request_error", problem)
    return input_tokens


def _model_in_service(model_id: str) -> Model:
    try:
        return find_model(model_id)
    except ConfigurationError as error:
        text = f"model: {model_id} was not found. Did you mean {similar_ids(model_id)[0]}?"
        raise Refused(404, "not_found_error", text) from error


def _require_headers(request: Request) -> None:
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    key = request.headers.get("x-api-key")
    if key is None and not bearer:
        raise Refused(401, "authentication_error", "x-api-key header is required")
    if key in BAD_KEYS:
        raise Refused(401, "authentication_error", "invalid x-api-key")
    if key is None and bearer in BAD_KEYS:
        raise Refused(401, "authentication_error", "Invalid bearer token")
    if "anthropic-version" not in request.headers:
        raise Refused(400, "invalid_request_error", "anthropic-version: header is required")
