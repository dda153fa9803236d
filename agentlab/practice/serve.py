"""The practice API on a port of this computer: for curl, other SDKs and other programs."""

import asyncio
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from threading import Thread
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import Route

from agentlab.errors import ConfigurationError
from agentlab.language import gettext
from agentlab.practice.api import PracticeAPI
from agentlab.practice.script import Fault, Script
from agentlab.practice.wire import Request

METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]
"""All of them: what the API says to the wrong one is its own affair."""


def practice_app(
    script: Script | None = None, faults: Mapping[int, Sequence[Fault]] | None = None
) -> Starlette:
    """The practice API as an ASGI app, for any server.

    Args:
        script: replies and faults to give in order, or a function of the request; the embedded
            practice model chooses where there is none.
        faults: errors to meet before the reply at a position.
    """
    api = PracticeAPI(script, faults)

    async def respond(http: HttpRequest) -> Response:
        request = Request(
            http.method,
            http.url.path,
            dict(http.headers),
            await http.body(),
            dict(http.query_params),
        )
        answer = api.answer(request)  # here and not in a thread: one at a time, in order of arrival
        return Response(answer.content, answer.status, answer.headers)

    return Starlette(routes=[Route("/{path:path}", respond, methods=METHODS)])


def serve(
    host: str = "127.0.0.1",
    port: int = 8765,
    *,
    script: Script | None = None,
    allow_remote: bool = False,
) -> None:
    """Serve the practice API until Ctrl-C.

    Args:
        host: the address to listen on.
        port: the port to listen on; 0 takes a free one.
        script: replies and faults to give in order, or a function of the request.
        allow_remote: let `host` be an address that other computers can reach.

    Raises:
        ConfigurationError: for an address or a port that cannot be used, for one that is not
            allowed, and inside a running event loop, as in a notebook.
    """
    _refuse_running_loop()
    with _listening(host, port, allow_remote=allow_remote) as listener, suppress(KeyboardInterrupt):
        address = _address(listener)
        print(
            gettext(
                "practice API at {address}; point a client at it with "
                'Anthropic(base_url="{address}", api_key="practice"); Ctrl-C stops it',
                address=address,
            ),
            flush=True,
        )
        _server(practice_app(script)).run(sockets=[listener])


@contextmanager
def served(
    script: Script | None = None, faults: Mapping[int, Sequence[Fault]] | None = None
) -> Iterator[str]:
    """Serve the practice API in the background for as long as the block runs.

    Args:
        script: replies and faults to give in order, or a function of the request.
        faults: errors to meet before the reply at a position.

    Yields:
        Its address, which is the `base_url` of a client.
    """
    with _listening("127.0.0.1", 0, allow_remote=False) as listener:
        server = _server(practice_app(script, faults))
        thread = Thread(target=server.run, args=([listener],), name="practice API", daemon=True)
        thread.start()
        try:
            yield _address(listener)  # requests that come before it has started wait in the socket
        finally:
            server.should_exit = True
            thread.join()


def _server(app: Any) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(app, lifespan="off", ws="none", log_level="warning", access_log=False)
    )


@contextmanager
def _listening(host: str, port: int, *, allow_remote: bool) -> Iterator[socket.socket]:
    """A listening socket, bound before the server starts: its faults are ours to explain."""
    family, address = _resolved(host, port)
    if not (allow_remote or ip_address(address[0]).is_loopback):
        raise ConfigurationError(
            "{host!r} can be reached from other computers, and the practice API asks for "
            "no password. Listen on 127.0.0.1, or allow it with allow_remote=True "
            "(--allow-remote).",
            host=host,
        )
    try:
        listener = socket.create_server(address, family=family)
    except OSError as error:
        raise ConfigurationError(
            "Port {port} of {host} cannot be used: {strerror}. Stop what is using it, or "
            "take another port, such as {value} (--port); 0 takes any that is free.",
            port=port,
            host=host,
            strerror=error.strerror,
            value=port + 1 if 0 < port < 65535 else 8765,
        ) from error
    # Else an answer in two parts waits some forty milliseconds for the first to be acknowledged.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with listener:
        yield listener


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, tuple[str, int]]:
    """The address that a host name stands for: what is checked is what is bound."""
    if not 0 <= port <= 65535:
        raise ConfigurationError(
            "There is no port {port}. Ports go from 0 to 65535 (--port).", port=port
        )
    try:
        found = socket.getaddrinfo(host or "0.0.0.0", port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ConfigurationError(
            "The host {host!r} is not known here: {strerror}. Use 127.0.0.1 (--host).",
            host=host,
            strerror=error.strerror,
        ) from error
    family, *_, address = found[0]
    return family, (str(address[0]), port)


def _address(listener: socket.socket) -> str:
    host, port, *_ = listener.getsockname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _refuse_running_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise ConfigurationError(
        "serve() would stop this notebook or event loop until it ends. Use "
        "`with served() as base_url:`, which serves in the background, or run `agentlab serve`."
    )
