"""Connections: to addresses that were looked at, and with an end in time.

A name is resolved once for each connection, every address that comes out is looked at, and the
connection goes to one of those. A name that leads elsewhere when it is asked again (DNS rebinding)
gains nothing, because it is not asked again.
"""

import ssl
import time
from collections.abc import Iterable
from concurrent.futures import Future
from threading import Thread
from typing import Any

import httpcore2

from agentlab.research.addresses import Address, Permit, Resolve, WebError


class Deadline:
    """A moment after which nothing is waited for."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds that are left.

        Raises:
            httpcore2.ReadTimeout: where none are.
        """
        if (seconds := self._end - time.monotonic()) <= 0:
            raise httpcore2.ReadTimeout
        return seconds


class CheckedConnections(httpcore2.NetworkBackend):
    """Opens connections to addresses that were looked at, and to no others.

    Certificates are still compared with the host's name: only the number is ours.
    """

    def __init__(self, resolve: Resolve, permit: Permit, deadline: Deadline) -> None:
        self.resolve = resolve
        self.permit = permit
        self.deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """A connection to one of the host's addresses, after all of them were permitted."""
        addresses = self._addresses(host, port)
        for address in addresses:
            try:
                self.permit(address)
            except WebError as error:
                raise WebError(f"The name {host!r} leads to a closed address: {error}") from error
        failure = httpcore2.ConnectError(f"{host!r} has no address")
        for untried, (number, its_port) in zip(
            range(len(addresses), 0, -1), addresses, strict=True
        ):
            share = self.deadline.left() / untried  # one that is silent leaves time for the next
            try:
                stream = httpcore2.SyncBackend().connect_tcp(number, its_port, share)
            except httpcore2.ConnectError as error:
                failure = error
            except httpcore2.ConnectTimeout:
                continue
            else:
                return TimedStream(stream, self.deadline)
        self.deadline.left()
        raise failure

    def _addresses(self, host: str, port: int) -> list[Address]:
        """What `resolve` gives; it may block for longer than there is, so it has its own thread."""
        answer: Future[list[Address]] = Future()

        def ask() -> None:
            try:
                answer.set_result(list(self.resolve(host, port)))
            except BaseException as error:
                answer.set_exception(error)

        Thread(target=ask, name=f"resolve {host}", daemon=True).start()
        try:
            return answer.result(self.deadline.left())
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout from error


class TimedStream(httpcore2.NetworkStream):
    """A connection each of whose steps ends with the deadline, however few bytes drip in."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self.stream = stream
        self.deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes."""
        return self.stream.read(max_bytes, self.deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes."""
        self.stream.write(buffer, self.deadline.left())

    def close(self) -> None:
        """End the connection."""
        self.stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        """The same connection, encrypted."""
        secured = self.stream.start_tls(ssl_context, server_hostname, self.deadline.left())
        return TimedStream(secured, self.deadline)

    def get_extra_info(self, info: str) -> Any:
        """What the connection knows of itself."""
        return self.stream.get_extra_info(info)
