"""A web server on this computer that answers for the sites of the practice web.

Its pages have names such as `http://rag.example/chunking` and no others: which port it has taken
is between it and the fetcher, whose resolver and guard it provides.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Event, Thread
from urllib.parse import urlsplit

from agentlab.research.addresses import Address, WebError


@dataclass(frozen=True)
class Answer:
    """What the server sends for one address."""

    pieces: Iterable[bytes] = ()
    """The body, in the pieces in which it is sent."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pause: float = 0.0
    """Seconds to wait before each piece, after the headers."""


NOT_THERE = Answer([b"<title>Not found</title><p>There is no such page.</p>"], 404)


class Site:
    """The server, which runs from `__init__` to `close`."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        """Start answering on a free port of 127.0.0.1.

        Args:
            answers: by URL, without query and fragment; all other pages of these hosts are 404.
        """
        self._hosts = {urlsplit(url).hostname for url in answers}
        self._server = _Server(answers)
        self._thread = Thread(
            target=self._server.serve_forever, args=(0.02,), name="practice web", daemon=True
        )
        self._thread.start()

    @property
    def address(self) -> Address:
        """Where it listens."""
        host, port = self._server.server_address[:2]
        return str(host), port

    def close(self) -> None:
        """Stop, also in the middle of an answer."""
        self._server.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def resolve(self, host: str, port: int) -> list[Address]:
        """Where a host of the practice web is served.

        Raises:
            WebError: for a host that it has not, and for a port that is not that of http.
        """
        if host not in self._hosts:
            raise WebError(
                f"There is no site {host!r} in the practice web. Use an address that a search "
                "returned."
            )
        if port != 80:
            raise WebError(f"{host!r} does not answer on port {port}. Begin with 'http://{host}/'.")
        return [self.address]

    def permit(self, address: Address) -> None:
        """Let pass this server, and nothing else on this computer or any other.

        Raises:
            WebError: for every other address.
        """
        if address != self.address:
            raise WebError(f"{address[0]!r} is outside the practice web. Use a search's addresses.")


class _Server(ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers = answers
        self.closing = Event()
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        url = f"http://{self.headers['Host']}{urlsplit(self.path).path}"
        answer = self.server.answers.get(url, NOT_THERE)
        with suppress(ConnectionError):  # a reader that has had enough hangs up
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            for piece in answer.pieces:
                if answer.pause and self.server.closing.wait(answer.pause):
                    return
                self.wfile.write(piece)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what is fetched is told by the fetcher."""
