"""Fetching: one page by HTTP, from a checked address, within limits of time, size and redirects."""

import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus

import httpcore2
import httpx2

from agentlab.research.addresses import (
    WEB_PORTS,
    Permit,
    Resolve,
    WebError,
    checked_url,
    port_of,
    require_public,
    resolve,
    shortened,
)
from agentlab.research.connections import CheckedConnections, Deadline

AGENT_NAME = "agentlab"
"""How we introduce ourselves to a site, and the name that its robots.txt may speak of."""

HEADERS = {
    "User-Agent": f"{AGENT_NAME} (a research agent for teaching)",
    "Accept": "text/html, text/plain;q=0.9, */*;q=0.1",
    "Accept-Encoding": "identity",  # what is sent small and unpacks large never comes
    "Connection": "close",
}

REDIRECTS = {301, 302, 303, 307, 308}

ADVICE = {
    401: "It is not open to everybody. Use another source.",
    403: "The site does not give it to us. Use another source.",
    404: "The page is not there. Use another source.",
    410: "The page is gone. Use another source.",
    429: "The site is asked too often. Use another source.",
}


class StatusError(WebError):
    """The server answered, and not with a page."""

    def __init__(self, url: str, status: int) -> None:
        phrase = HTTPStatus(status).phrase if status in list(HTTPStatus) else "unknown status"
        advice = ADVICE.get(status, "Try once more, or use another source.")
        super().__init__(f"{shortened(url)!r} answers {status} {phrase}. {advice}")
        self.status = status


@dataclass(frozen=True)
class Limits:
    """What one fetch may take."""

    seconds: float = 15.0
    """From the first look at the name to the last byte, redirects included."""
    size: int = 2_000_000
    """Bytes of a page."""
    redirects: int = 5
    ports: frozenset[int] = WEB_PORTS


@dataclass(frozen=True)
class Download:
    """What a server sent."""

    url: str
    """The address that answered, after redirects."""
    content_type: str
    """The header as it was sent; empty where there was none."""
    body: bytes


def go_ahead(url: httpx2.URL) -> None:
    """Objects to no page."""


class Fetcher:
    """Fetches pages, and refuses what no agent should be led to."""

    def __init__(
        self,
        resolve: Resolve = resolve,
        permit: Permit = require_public,
        limits: Limits | None = None,
        before: Callable[[httpx2.URL], None] = go_ahead,
    ) -> None:
        """A fetcher for the public web, unless told otherwise.

        Args:
            resolve: gives the addresses of a host.
            permit: looks at each of them; one that is refused closes the host.
            limits: time, size, redirects and ports.
            before: is asked about each URL, redirects too, and raises `WebError` to refuse it.
        """
        self.resolve = resolve
        self.permit = permit
        self.limits = limits or Limits()
        self.before = before

    def fetch(self, url: str) -> Download:
        """What is at `url`, or where its redirects lead.

        Raises:
            StatusError: where the server answers with an error.
            WebError: for an address that is refused, a limit that is reached, or a failed network.
        """
        deadline = Deadline(self.limits.seconds)
        here = checked_url(url, self.limits.ports)
        for _ in range(self.limits.redirects + 1):
            self.before(here)
            answer = self._ask(here, deadline)
            if isinstance(answer, Download):
                return answer
            here = self._next(here, answer)
        raise WebError(
            f"{shortened(url)!r} was redirected more than {self.limits.redirects} times. "
            "Use another source."
        )

    def _next(self, here: httpx2.URL, location: str) -> httpx2.URL:
        """Where a redirect leads, looked at like any other address."""
        try:
            return checked_url(str(here.join(location)), self.limits.ports)
        except (WebError, httpx2.InvalidURL, ValueError) as error:
            raise WebError(
                f"{shortened(str(here))!r} leads on, and not to a page: {error}"
            ) from error

    def _ask(self, url: httpx2.URL, deadline: Deadline) -> Download | str:
        """What one request brings: a page, or where the server says that it is."""
        shown = shortened(str(url))
        backend = CheckedConnections(self.resolve, self.permit, deadline)
        tls = self._tls if url.scheme == "https" else None
        headers = {"Host": url.netloc.decode("ascii"), **HEADERS}
        try:
            with (
                httpcore2.ConnectionPool(ssl_context=tls, network_backend=backend) as pool,
                pool.stream("GET", _target(url), headers=list(_encoded(headers))) as response,
            ):
                return self._read(url, response)
        except httpcore2.TimeoutException as error:
            raise WebError(
                f"{shown!r} took longer than {self.limits.seconds:g} seconds. Use another source."
            ) from error
        except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
            raise WebError(
                f"{shown!r} cannot be reached: {error or type(error).__name__}. Check the address, "
                "or use another source."
            ) from error

    def _read(self, url: httpx2.URL, response: httpcore2.Response) -> Download | str:
        headers = httpx2.Headers(response.headers)
        if response.status in REDIRECTS and headers.get("location"):
            return headers["location"]
        if not 200 <= response.status < 300:
            raise StatusError(str(url), response.status)
        if (packed := headers.get("content-encoding", "identity")) != "identity":
            raise WebError(
                f"{shortened(str(url))!r} comes packed as {packed!r}, which is not read. "
                "Use another source."
            )
        announced = headers.get("content-length", "")
        body = bytearray()
        if announced.isdecimal() and int(announced) > self.limits.size:
            raise self._too_large(url)
        for piece in response.iter_stream():
            body += piece
            if len(body) > self.limits.size:
                raise self._too_large(url)
        return Download(str(url), headers.get("content-type", ""), bytes(body))

    def _too_large(self, url: httpx2.URL) -> WebError:
        return WebError(
            f"{shortened(str(url))!r} is larger than {self.limits.size / 1_000_000:g} MB, and was "
            "not read. Use another source."
        )

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpx2.create_ssl_context(trust_env=False)


def _target(url: httpx2.URL) -> httpcore2.URL:
    return httpcore2.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=port_of(url), target=url.raw_path
    )


def _encoded(headers: dict[str, str]) -> Iterable[tuple[bytes, bytes]]:
    return ((name.encode("ascii"), value.encode("ascii")) for name, value in headers.items())
