"""One switch: practice by default, live only when told, capped, recorded and replayed."""

import sys
from pathlib import Path
from typing import Any

import anthropic
import pytest

from agentlab import Agent, ask, client, clients, record, spending
from agentlab.errors import (
    AgentlabError,
    ConfigurationError,
    RecordingError,
    SpendingCapReached,
)
from agentlab.models import MODEL
from agentlab.practice import overloaded, say, use
from agentlab.practice.serve import served


@pytest.fixture(autouse=True)
def fresh_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that has announced nothing and spent nothing."""
    monkeypatch.setattr(clients, "_announced", set())
    monkeypatch.setattr(spending.SESSION, "spent", 0.0)
    monkeypatch.setattr(spending.SESSION, "cap", 0.50)


def half(n: int) -> float:
    """Halve."""
    return n / 2


AGENT = Agent("a", "", [half], max_tokens=200)
SCRIPT = [use("half", n=4), say("done")]


def test_practice_says_once_what_is_answering(capsys: pytest.CaptureFixture[str]) -> None:
    client()
    client()
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    assert "practice model" in printed
    assert "not Claude" in printed


def test_a_written_script_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(client([say("x")]), anthropic.Anthropic)
    assert capsys.readouterr().out == ""


def test_a_key_in_the_environment_alone_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    connected = client()
    assert connected.api_key == "practice"
    printed = capsys.readouterr().out
    assert "ANTHROPIC_API_KEY is set and not used" in printed
    assert "sk-secret" not in printed
    assert ask(AGENT, "What is half of 8?", client=connected).outcomes[0].value == 4.0


def test_a_profile_or_token_in_the_environment_does_not_leak_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token")
    assert ask(AGENT, "go", client=client(SCRIPT)).answer == "done"


@pytest.mark.parametrize(
    "settings",
    [{"api_key": "k"}, {"base_url": "http://127.0.0.1"}, {"record_to": "x"}, {"cap": 1.0}],
    ids=str,
)
def test_live_settings_without_live_mode_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="AGENTLAB_LIVE=1"):
        client(**settings)


def test_live_without_a_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTLAB_LIVE", "1")
    with pytest.raises(ConfigurationError, match="ANTHROPIC_API_KEY"):
        client()


def test_live_mode_sends_to_the_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AGENTLAB_LIVE", "1")
    with served(SCRIPT) as url, client(base_url=url) as connected:
        run = ask(AGENT, "go", client=connected)
    assert (run.answer, run.steps) == ("done", 2)
    assert "spending cap $0.50" in capsys.readouterr().out
    assert spending.SESSION.spent == pytest.approx(run.cost)


def test_a_request_that_could_pass_the_cap_is_not_sent() -> None:
    with served(SCRIPT) as url, client(live=True, base_url=url, cap=0.0018) as connected:
        recorder = record(connected)  # stands behind the meter, and sees what is really sent
        with pytest.raises(SpendingCapReached, match="Nothing was sent"):
            ask(AGENT, "go", client=recorder.client)
        assert len(recorder.exchanges) == 1
        assert 0 < spending.SESSION.spent <= 0.0018


def test_a_model_that_is_unknown_or_retired_names_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clients, "MODEL", "claude-haiku-45")
    with pytest.raises(ConfigurationError, match="claude-haiku-4-5"):
        client()
    monkeypatch.setattr(clients, "MODEL", "claude-3-opus-20240229")
    with pytest.raises(ConfigurationError, match="retired"):
        client()
    monkeypatch.undo()
    with pytest.raises(anthropic.NotFoundError, match="claude-nope"):
        ask(Agent("a", model="claude-nope"), "go", client=client([say("x")]))


def test_a_cassette_replays_without_a_server_and_holds_no_key(tmp_path: Path) -> None:
    cassette = tmp_path / "session.jsonl"
    with (
        served([overloaded(), *SCRIPT]) as url,
        client(live=True, base_url=url, api_key="sk-secret", record_to=cassette) as connected,
    ):
        first = ask(AGENT, "go", client=connected)
    assert "sk-secret" not in cassette.read_text("utf-8")
    again = ask(AGENT, "go", client=client(replay_from=cassette))
    assert again == first
    with pytest.raises(anthropic.InternalServerError, match=r"session\.jsonl.*no answer"):
        ask(AGENT, "something else", client=client(replay_from=cassette))


def test_what_is_no_cassette_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="not a cassette"):
        client(replay_from=tmp_path / "missing.jsonl")
    (tmp_path / "old.jsonl").write_text('{"agentlab_cassette": 7}\n', encoding="utf-8")
    with pytest.raises(RecordingError, match="version 7"):
        client(replay_from=tmp_path / "old.jsonl")


def test_faults_before_chosen_replies() -> None:
    connected = client(faults={0: [overloaded(), overloaded()]})
    assert ask(AGENT, "What is half of 8?", client=connected).answer
    failing = client(faults={1: [overloaded()] * 3})
    with pytest.raises(anthropic.OverloadedError):
        ask(AGENT, "What is half of 8?", client=failing)


def test_a_server_that_speaks_something_else_is_named() -> None:
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from threading import Thread

    class Page(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/plain")
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *args: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.handle_request, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        connected = client(live=True, base_url=url)
        with connected, pytest.raises(AgentlabError, match="'hello'"):
            ask(AGENT, "go", client=connected)


def test_the_model_is_named_in_one_place() -> None:
    assert Agent("a").model == MODEL == sys.modules["agentlab.models"].MODEL
