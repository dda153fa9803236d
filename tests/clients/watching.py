"""The practice API behind a window: what a client sends, and how it is answered."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from agentlab.practice import Script
from agentlab.practice.serve import served

BETWEEN_TWO_HOPS = ("connection", "date", "host", "server", "transfer-encoding")
"""Headers that belong to one connection and are not passed on."""


@dataclass(frozen=True)
class Exchange:
    """One request of a client, and the status and body that it got."""

    path: str
    headers: dict[str, str]
    """With lower-case names."""
    content: bytes
    status: int
    answer: bytes

    @property
    def body(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.content)
        return read

    @property
    def error(self) -> str:
        """What the API says is wrong."""
        message: str = json.loads(self.answer)["error"]["message"]
        return message


@dataclass
class Watched:
    """An address for a client, and what has passed there."""

    base_url: str
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [exchange.body for exchange in self.exchanges]

    @property
    def statuses(self) -> list[int]:
        return [exchange.status for exchange in self.exchanges]

    @property
    def transcript(self) -> list[dict[str, Any]]:
        """The messages of the last request."""
        messages: list[dict[str, Any]] = self.bodies[-1]["messages"]
        return messages


@contextmanager
def watched(script: Script | None = None) -> Iterator[Watched]:
    """The practice API on a port, and every request that it gets there."""
    with served(script) as practice_url, WatchedServer(practice_url) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.watched
        finally:
            server.shutdown()
            thread.join()


class WatchedServer(ThreadingHTTPServer):
    """Stands before the practice API."""

    daemon_threads = True

    def __init__(self, practice_url: str) -> None:
        super().__init__(("127.0.0.1", 0), Window)
        self.practice = urlsplit(practice_url)
        self.watched = Watched(f"http://127.0.0.1:{self.server_port}")


class Window(BaseHTTPRequestHandler):
    """Passes a request on as it is, and the answer back; closes each connection after it."""

    server: WatchedServer
    disable_nagle_algorithm = True  # or an answer waits for the client to confirm its headers

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"]))
        status, headers, answer = self.passed_on(content)
        sent = {name.lower(): value for name, value in self.headers.items()}
        exchange = Exchange(self.path, sent, content, status, answer)
        self.server.watched.exchanges.append(exchange)
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in BETWEEN_TWO_HOPS:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def passed_on(self, content: bytes) -> tuple[int, HTTPMessage, bytes]:
        practice = self.server.practice
        connection = HTTPConnection(str(practice.hostname), practice.port)
        headers = {n: v for n, v in self.headers.items() if n.lower() not in BETWEEN_TWO_HOPS}
        connection.request("POST", self.path, content, headers)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        return response.status, response.headers, answer

    def log_message(self, format: str, *values: Any) -> None:
        """Say nothing."""
