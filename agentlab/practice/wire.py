"""HTTP as the practice API sees it: requests, answers, and errors that are answers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LARGEST_BODY = 32 * 1024 * 1024
"""Bytes."""
NO_HEADERS: Mapping[str, str] = {}
NO_RETRY = {"x-should-retry": "false"}


@dataclass(frozen=True)
class Request:
    """An HTTP request, as both the transport and the server hand it over."""

    method: str
    path: str
    headers: Mapping[str, str]
    """With lower-case names."""
    content: bytes
    query: Mapping[str, str]

    @property
    def attempt(self) -> int:
        """How often the SDK has sent this request before."""
        return int(self.headers.get("x-stainless-retry-count", "0"))


@dataclass(frozen=True)
class Answer:
    """An HTTP response."""

    status: int
    headers: dict[str, str]
    content: bytes


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(
        self,
        status: int,
        type: str,
        message: str,
        headers: Mapping[str, str] = NO_HEADERS,
        details: Mapping[str, Any] | None = None,
        body: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.body = body
        self.error: dict[str, Any] = {"type": type, "message": message}
        if details:
            self.error["details"] = details


def read_body(request: Request) -> dict[str, Any]:
    """The JSON object of a request."""
    if len(request.content) > LARGEST_BODY:
        raise Refused(413, "request_too_large", "Request exceeds the maximum size")
    try:
        body = json.loads(request.content)
        if not isinstance(body, dict):
            raise TypeError(f"expected an object, found {type(body).__name__}")
        json.dumps(body, ensure_ascii=False).encode("utf-8")
    except (ValueError, TypeError) as error:
        text = f"The request body is not valid JSON: {error}"
        raise Refused(400, "invalid_request_error", text) from error
    return body


def as_json(value: Mapping[str, Any]) -> Answer:
    """A JSON answer."""
    content = json.dumps(value, ensure_ascii=False).encode("utf-8")
    headers = {"content-type": "application/json"}
    return Answer(200, identified(headers, str(value.get("id", ""))), content)


def identified(headers: Mapping[str, str], about: str) -> dict[str, str]:
    """The headers with a request id that follows from what is answered."""
    number = about.rpartition("_")[2] or "00"
    return {**headers, "request-id": f"req_practice_{number}"}


def as_error(refusal: Refused) -> Answer:
    """The answer to a refused request."""
    body = {"type": "error", "error": refusal.error, "request_id": "req_practice_00"}
    content = refusal.body if refusal.body is not None else json.dumps(body, ensure_ascii=False)
    kind = "text/html" if refusal.body is not None else "application/json"
    headers = identified({"content-type": kind, **refusal.headers}, "")
    return Answer(refusal.status, headers, content.encode("utf-8"))
