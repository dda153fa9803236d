"""Clients that behave badly on a real port: nobody else notices, and nothing is lost."""

import json
import resource
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.practice import say
from agentlab.practice.serve import served
from tests.practising import HAIKU, user

BODY = json.dumps({"model": HAIKU, "max_tokens": 50, "messages": [user("hello")]}).encode()
HEAD = (
    b"POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: practice\r\n"
    b"anthropic-version: 2023-06-01\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\n%s\r\n"
)
WORDS = "A few words. " * 20
STREAMS = 200


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(lambda body: say(WORDS)) as url:
        yield url


def connected(address: str) -> socket.socket:
    parts = urlsplit(address)
    assert parts.hostname
    assert parts.port
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def request(close: bool = True) -> bytes:
    return HEAD % (len(BODY), b"connection: close\r\n" if close else b"") + BODY


def received(connection: socket.socket) -> bytes:
    parts = []
    while part := connection.recv(65_536):
        parts.append(part)
    return b"".join(parts)


def require_service(address: str) -> None:
    response = httpx2.post(
        f"{address}/v1/messages",
        content=BODY,
        headers={"x-api-key": "practice", "anthropic-version": "2023-06-01"},
        timeout=20,
    )
    assert response.json()["content"][0]["text"] == WORDS


@given(cuts=st.lists(st.integers(1, len(HEAD) + len(BODY)), max_size=6))
def test_a_request_in_pieces_is_answered(cuts: list[int], address: str) -> None:
    whole, begun = request(), 0
    with connected(address) as connection:
        for cut in [*sorted(set(cuts)), len(whole)]:
            connection.sendall(whole[begun:cut])
            begun = max(begun, cut)
        assert b" 200 OK" in received(connection).split(b"\r\n")[0]


@given(end=st.integers(0, len(HEAD) + len(BODY)))
def test_a_client_that_goes_away_harms_nobody(end: int, address: str) -> None:
    with connected(address) as connection:
        connection.sendall(request()[:end])
    require_service(address)


@given(noise=st.binary(max_size=400))
def test_what_is_no_request_is_refused(noise: bytes, address: str) -> None:
    with connected(address) as connection:
        connection.sendall(noise)
        connection.shutdown(socket.SHUT_WR)
        answer = received(connection)
    assert not answer or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 2"))
    require_service(address)


def test_requests_one_behind_the_other_are_answered_in_order(address: str) -> None:
    with connected(address) as connection:
        connection.sendall(request(close=False) * 9 + request())
        assert received(connection).count(b"HTTP/1.1 200 OK") == 10


def test_a_body_that_is_too_large_is_refused(address: str) -> None:
    body = b'{"model": "' + b"x" * 40_000_000 + b'"}'
    response = httpx2.post(
        f"{address}/v1/messages",
        content=body,
        headers={"x-api-key": "practice", "anthropic-version": "2023-06-01"},
        timeout=60,
    )
    assert response.status_code == 413
    require_service(address)


def test_two_hundred_streams_at_once_lose_nothing(address: str) -> None:
    streamed = json.dumps({**json.loads(BODY), "stream": True}).encode()
    headers = {"x-api-key": "practice", "anthropic-version": "2023-06-01"}
    together = threading.Barrier(STREAMS)
    limits = httpx2.Limits(max_connections=STREAMS)

    with httpx2.Client(limits=limits, timeout=120) as client:

        def stream(_: int) -> str:
            together.wait(60)
            text = client.post(f"{address}/v1/messages", content=streamed, headers=headers).text
            events = [
                json.loads(line[6:]) for line in text.split("\n") if line.startswith("data: ")
            ]
            assert events[-1]["type"] == "message_stop"
            deltas = [
                e["delta"].get("text", "") for e in events if e["type"] == "content_block_delta"
            ]
            return "".join(deltas)

        before = 0
        for round_number in range(3):
            with ThreadPoolExecutor(STREAMS) as pool:
                assert set(pool.map(stream, range(STREAMS))) == {WORDS}
            used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            if round_number == 0:
                before = used
        assert used - before < 60_000, "kilobytes more than after the first round"
