"""Clients that still speak the version of 2023: what two of them sent, and what is refused."""

import json
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from agentlab.practice import say, use
from agentlab.practice.serve import served

SENT = Path(__file__).parent / "sent"
"""Requests of litellm 1.110.2 and llm 0.36, as they were received, one a line."""
SCRIPT = [use("order_status", order_id="A-17"), say("It left on Monday.")]
REQUEST: dict[str, Any] = {
    "model": "claude-haiku-4-5",
    "max_tokens": 3000,
    "messages": [{"role": "user", "content": "hello"}],
}
THINKING = {"type": "enabled", "budget_tokens": 1024}
ADAPTIVE = {"type": "adaptive"}
HEADERS = {
    "x-api-key": "practice",
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
}


def post(base_url: str, body: dict[str, Any]) -> tuple[int, str]:
    address = urlsplit(base_url)
    assert address.hostname
    connection = HTTPConnection(address.hostname, address.port)
    connection.request("POST", "/v1/messages", json.dumps(body), HEADERS)
    response = connection.getresponse()
    answer = response.read().decode()
    connection.close()
    return response.status, answer


def refusal(**changes: Any) -> str | None:
    """Why a request of this version is refused, or nothing where it is answered."""
    with served([say("Hello.")]) as base_url:
        status, answer = post(base_url, {**REQUEST, **changes})
    return None if status == 200 else str(json.loads(answer)["error"]["message"])


@pytest.mark.parametrize("name", ["litellm", "litellm_thinking", "llm", "llm_thinking"])
def test_a_conversation_as_it_was_sent_is_answered_to_its_end(name: str) -> None:
    bodies = [json.loads(line) for line in (SENT / f"{name}.jsonl").read_text().splitlines()]
    with served(SCRIPT) as base_url:
        answers = [post(base_url, body) for body in bodies]
    assert [status for status, _ in answers] == [200, 200]
    assert "order_status" in answers[0][1]
    assert '"end_turn"' in answers[1][1]


def test_sampling_may_be_set_for_models_that_have_it() -> None:
    for setting in ({"temperature": 0.5}, {"top_p": 0.5}, {"top_k": 40}):
        assert refusal(**setting) is None


@pytest.mark.parametrize("model", ["claude-opus-4-7", "claude-sonnet-5", "claude-opus-5-5"])
def test_models_without_sampling_take_none_but_the_default(model: str) -> None:
    for name, value in {"temperature": 0, "top_p": 0.5, "top_k": 40}.items():
        assert refusal(model=model, **{name: value}) == f"`{name}` is deprecated for this model."
    assert refusal(model=model, temperature=1) is None
    assert refusal(model=model, top_p=1) is None


@pytest.mark.parametrize(
    ("model", "thinking"), [("claude-haiku-4-5", THINKING), ("claude-opus-4-6", ADAPTIVE)]
)
def test_thinking_takes_no_other_sampling(model: str, thinking: dict[str, Any]) -> None:
    settings: dict[str, Any] = {"model": model, "thinking": thinking}
    told = {
        ("temperature", 0.2): "`temperature` may only be set to 1 when thinking is enabled",
        ("top_p", 0.5): "`top_p` must be greater than or equal to 0.95 or unset when thinking",
        ("top_k", 40): "`top_k` must be unset when thinking is enabled",
    }
    for (name, value), expected in told.items():
        assert str(refusal(**settings, **{name: value})).startswith(expected)
    assert refusal(**settings, temperature=1) is None
    assert refusal(**settings, top_p=0.97) is None


def test_thinking_that_is_off_leaves_sampling_alone() -> None:
    assert refusal(thinking={"type": "disabled"}, temperature=0.2) is None
