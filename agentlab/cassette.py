"""Record a live session to a file and replay it without a key or a network."""

import json
from pathlib import Path
from typing import Any

import httpx2

from agentlab.errors import RecordingError

KEPT_HEADERS = ("content-type", "request-id")
"""Of an answer. Nothing of a request's headers is kept, so no key can be."""

FORMAT_VERSION = 1


class RecordingTransport(httpx2.BaseTransport):
    """Passes requests on and writes each answer to a cassette, one JSON line each."""

    def __init__(self, path: str | Path, inner: httpx2.BaseTransport) -> None:
        self._path = Path(path)
        self._inner = inner
        header = {"agentlab_cassette": FORMAT_VERSION}
        self._path.write_text(json.dumps(header) + "\n", encoding="utf-8")

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send, and keep what came back."""
        response = self._inner.handle_request(request)
        body = response.read()
        headers = {
            name: response.headers[name] for name in KEPT_HEADERS if name in response.headers
        }
        line = {
            "request": _key(request),
            "status": response.status_code,
            "headers": headers,
            "body": body.decode("utf-8", errors="replace"),
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
        return httpx2.Response(response.status_code, headers=headers, content=body)

    def close(self) -> None:
        """Close the connection beneath."""
        self._inner.close()


class ReplayTransport(httpx2.BaseTransport):
    """Answers each request as the cassette did; equal requests in the order they were recorded."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._answers: dict[str, list[dict[str, Any]]] = {}
        for line in _read(self._path):
            self._answers.setdefault(line["request"], []).append(line)
        self._given: dict[str, int] = {}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer from the cassette.

        A request that was never recorded is answered with an error that says so and is not
        tried again; raised here, an exception would reach the caller as a connection error.
        """
        key = _key(request)
        answers = self._answers.get(key, [])
        given = self._given.get(key, 0)
        if not answers:
            text = (
                f"The cassette {self._path.name!r} holds no answer to this request: the messages, "
                "tools or settings differ from what was recorded. Record it again."
            )
            error = {"type": "error", "error": {"type": "api_error", "message": text}}
            return httpx2.Response(500, headers={"x-should-retry": "false"}, json=error)
        self._given[key] = given + 1
        line = answers[min(given, len(answers) - 1)]
        return httpx2.Response(
            line["status"], headers=line["headers"], content=line["body"].encode()
        )


def _key(request: httpx2.Request) -> str:
    body = request.read()
    sent = json.dumps(json.loads(body), sort_keys=True, ensure_ascii=False) if body else ""
    return f"{request.method} {request.url.path} {sent}"


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        header, *lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        version = header["agentlab_cassette"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordingError(
            "{path!r} is not a cassette: {error}. Record one with client(record_to=...).",
            path=str(path),
            error=error,
        ) from error
    if version != FORMAT_VERSION:
        raise RecordingError(
            "{path!r} is a cassette of version {version!r}; this agentlab reads "
            "{known}. Record it again.",
            path=str(path),
            version=version,
            known=FORMAT_VERSION,
        )
    return lines
