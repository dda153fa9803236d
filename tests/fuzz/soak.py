"""A minute of two hundred streams at once against `agentlab serve`: `make fuzz` runs it."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import httpx2
import psutil
import pytest

from tests.practising import ADD, HAIKU, assistant, call, user

STREAMS = 200
WARM_UP_SECONDS, SECONDS = 15, 60
TOLERATED = 1 / 200
"""Of the bytes streamed: half of what a server holds that keeps one stream of each hundred."""
SERVER = """
import gc, sys, threading, tracemalloc
from agentlab.cli import app

def tell():
    for _ in sys.stdin:
        gc.collect()
        print(tracemalloc.get_traced_memory()[0], flush=True)

threading.Thread(target=tell, daemon=True).start()
app(["serve", "--port", "0"])
"""
"""The command, with a window: it tells how many bytes its objects hold. What the process holds has
room in it, left from loading the model, in which a small leak would not show."""
HEADERS = {"x-api-key": "practice", "anthropic-version": "2023-06-01"}


@dataclass(frozen=True)
class Serving:
    """`agentlab serve` as a process of its own."""

    address: str
    process: subprocess.Popen[str]

    def held(self) -> dict[str, int]:
        """The bytes that its objects hold, and those that the process does."""
        assert self.process.stdin
        assert self.process.stdout
        print(file=self.process.stdin, flush=True)
        objects = int(self.process.stdout.readline())
        return {"objects": objects, "process": psutil.Process(self.process.pid).memory_info().rss}


@pytest.fixture
def serving() -> Iterator[Serving]:
    command = [sys.executable, "-X", "tracemalloc", "-c", SERVER]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout
            found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert found
            yield Serving(found.group(), process)
            assert process.poll() is None
        finally:
            process.terminate()


def found_out(number: int) -> str:
    """What a tool has found for one of the clients, which the model then says."""
    return ", ".join([f"parcel {number} left the warehouse on Monday"] * 16)


def request_of(number: int) -> bytes:
    messages = [
        user("Where is my parcel?"),
        assistant(call("toolu_1")),
        user({"type": "tool_result", "tool_use_id": "toolu_1", "content": found_out(number)}),
    ]
    body = {"model": HAIKU, "max_tokens": 200, "tools": [ADD], "messages": messages}
    return json.dumps({**body, "stream": True}).encode()


def text_of(stream: str) -> str:
    """The text of a stream that has come to its end."""
    events = [json.loads(line[6:]) for line in stream.split("\n") if line.startswith("data: ")]
    assert events[-1]["type"] == "message_stop"
    deltas = (event["delta"] for event in events if event["type"] == "content_block_delta")
    return "".join(delta.get("text", "") for delta in deltas)


def test_a_minute_of_two_hundred_streams_loses_nothing_and_keeps_nothing(serving: Serving) -> None:
    limits = httpx2.Limits(max_connections=STREAMS)
    with (
        httpx2.Client(limits=limits, timeout=120) as client,
        ThreadPoolExecutor(STREAMS) as pool,
    ):

        def bytes_streamed(number: int, until: float) -> int:
            streamed, body = 0, request_of(number)
            while time.monotonic() < until:
                url = f"{serving.address}/v1/messages"
                stream = client.post(url, content=body, headers=HEADERS)
                assert text_of(stream.text) == f"{found_out(number)}."
                streamed += len(stream.content)
            return streamed

        def stream_for(seconds: float) -> int:
            until = time.monotonic() + seconds
            return sum(pool.map(bytes_streamed, range(STREAMS), [until] * STREAMS))

        stream_for(WARM_UP_SECONDS)
        before = serving.held()
        streamed = stream_for(SECONDS)
    grown = {name: held - before[name] for name, held in serving.held().items()}
    print(f"{streamed:,} bytes streamed; bytes held beyond those after the warm-up: {grown}")
    assert max(grown.values()) < TOLERATED * streamed
