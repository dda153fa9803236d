"""HTTP as the practice API sees it: requests, answers, and errors that are answers."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LARGEST_BODY = 32 * 1024 * 1024
"""Bytes."""
AS_JSON = json.JSONEncoder(ensure_ascii=False)
"""Made once: json.dumps makes one for each call, which takes longer than to write a reply."""
HALF_CHARACTER = re.compile(r"\\(?:\\|u[dD][89abAB]..\\u[dD][c-fC-F]|(?P<half>u[dD][89a-fA-F]))")
"""Escapes in JSON: a backslash, a character of two halves, and the half that stands alone."""
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
        """How often the SDK has sent this request before; other clients do not say."""
        count = self.headers.get("x-stainless-retry-count", "0")
        return int(count) if count.isdecimal() else 0

    @property
    def origin(self) -> str:
        """Where the client reaches this API, for addresses that it is to follow."""
        return f"http://{self.headers.get('host', 'practice.invalid')}"


@dataclass(frozen=True)
class Answer:
    """An HTTP response."""

    status: int
    headers: dict[str, str]
    content: bytes


class Refused(Exception):
    """A request that is answered with an error.

    Args:
        status: the HTTP status.
        type: the error's type, such as `invalid_request_error`.
        message: what is wrong.
        headers: headers besides the usual ones.
        details: more about the error, where the API gives more.
        body: what to send in place of the API's error object.
        number: the number of the reply that was asked for, where the request got that far.
    """

    def __init__(
        self,
        status: int,
        type: str,
        message: str,
        headers: Mapping[str, str] = NO_HEADERS,
        *,
        details: Mapping[str, Any] | None = None,
        body: str | None = None,
        number: int = 0,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.body = body
        error = {"type": type, "message": message, **({"details": details} if details else {})}
        self.error = {"type": "error", "error": error, "request_id": numbered("req", number)}


def not_found() -> Refused:
    """The error for what does not exist."""
    return Refused(404, "not_found_error", "The requested resource could not be found.")


def read_body(request: Request, most: int = LARGEST_BODY) -> dict[str, Any]:
    """The JSON object of a request.

    Args:
        request: the request.
        most: the bytes that it may have.

    Raises:
        Refused: for a body that is too large or is not a JSON object in UTF-8.
    """
    if len(request.content) > most:
        raise Refused(413, "request_too_large", "Request exceeds the maximum size")
    try:
        return _json_object(request.content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        text = f"The request body is not valid JSON: {error}"
        raise Refused(400, "invalid_request_error", text) from error


def _json_object(text: str) -> dict[str, Any]:
    """The object that `text` stands for, more strictly than Python reads it."""

    def refuse_constant(name: str) -> None:
        raise ValueError(f"{name} is no JSON number")

    body = json.loads(text, parse_constant=refuse_constant)
    if not isinstance(body, dict):
        raise ValueError(f"expected an object, found {type(body).__name__}")
    for escape in HALF_CHARACTER.finditer(text):
        if escape["half"]:
            raise json.JSONDecodeError("no low surrogate in string", text, escape.start())
    return body


def as_json(value: Mapping[str, Any]) -> Answer:
    """A JSON answer; its request id has the number of what it tells of."""
    _, is_ours, number = str(value.get("id", "")).rpartition("_practice_")
    request_id = f"req_practice_{number if is_ours else '00'}"
    headers = {"content-type": "application/json", "request-id": request_id}
    return Answer(200, headers, AS_JSON.encode(value).encode("utf-8"))


def as_error(refusal: Refused) -> Answer:
    """The answer to a refused request."""
    text = AS_JSON.encode(refusal.error) if refusal.body is None else refusal.body
    headers = {
        "content-type": "application/json",
        "request-id": str(refusal.error["request_id"]),
        **refusal.headers,
    }
    return Answer(refusal.status, headers, text.encode("utf-8"))


def one_page(items: Sequence[Mapping[str, Any]], query: Mapping[str, str]) -> dict[str, Any]:
    """The part of a list that `limit`, `before_id` and `after_id` ask for.

    Raises:
        Refused: for a limit that is no number from 1 to 1000.
    """
    limit = query.get("limit", "20")
    if not limit.isdecimal() or not 1 <= int(limit) <= 1000:
        text = "limit: Input should be an integer from 1 to 1000"
        raise Refused(400, "invalid_request_error", text)
    ids = [item["id"] for item in items]
    if query.get("before_id") in ids:
        end = ids.index(query["before_id"])
        start = max(0, end - int(limit))
        more = start > 0
    else:
        start = ids.index(query["after_id"]) + 1 if query.get("after_id") in ids else 0
        end = start + int(limit)
        more = end < len(items)
    page = items[start:end]
    first, last = (page[0]["id"], page[-1]["id"]) if page else (None, None)
    return {"data": page, "has_more": more, "first_id": first, "last_id": last}


def numbered(kind: str, number: int) -> str:
    """An id of the practice API, such as `msg_practice_01`."""
    return f"{kind}_practice_{number:02d}"
