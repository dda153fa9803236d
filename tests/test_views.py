"""Views show every step, escape what a tool wrote, and stay small however long the run."""

import re
from dataclasses import replace

import pytest
from practice_tools import calls, play

from agentlab import Agent, Run, ask, client, predict, record, show
from agentlab.practice import overloaded, refuse, say, use
from agentlab.views import RunView
from agentlab.views.html import run_as_html
from agentlab.views.text import run_as_text

EVIL = "\x1b[31mred\x1b[0m <b>bold</b> <script>document.title='x'</script> &amp; `code` $x$"


def fetch() -> str:
    """Fetch."""
    return EVIL


def chatty(n: int, i: int) -> str:
    """Print a lot."""
    for line in range(n):
        print("line", line)
    return "ok"


@pytest.fixture(scope="module")
def long_run() -> Run:
    turns = [use("chatty", n=200, i=i) for i in range(300)] + [say("done")]
    return play(turns, [chatty], max_steps=301)


def test_markup_and_escape_codes_of_a_tool_stay_text() -> None:
    run = play([use("fetch"), say("<i>done</i>")], [fetch])
    page = run_as_html(run)
    for tag in ("<script", "<b>", "<i>"):
        assert tag not in page
    assert "&lt;script" in page
    assert "&amp;amp;" in page
    assert "\x1b" not in page
    assert "\x1b" not in run_as_text(run)
    assert "$x$" not in page
    assert run.messages[2]["content"][0]["content"] == EVIL


def test_calls_and_results_are_paired_by_id() -> None:
    run = play([calls(("fetch", {}), ("nothing", {})), say("done")], [fetch])
    text = run_as_text(run)
    assert len(re.findall("toolu_practice_01", text)) == 2
    assert "toolu_practice_02  ERROR  There is no tool `nothing`" in text
    assert "stop_reason  tool_use" in text
    assert text.endswith("stopped      end_turn")
    page = run_as_html(run)
    assert "raw request" in page
    assert "✗ error" in page
    assert "about &#36;0." in page


def test_a_long_run_is_folded_and_says_so(long_run: Run) -> None:
    text, page = run_as_text(long_run), run_as_html(long_run)
    assert len(text) + len(page) < 200_000
    assert "251 more steps" in text
    assert "195 more lines" in text
    assert len(long_run.outcomes) == 300
    assert all(outcome.printed.count("\n") == 200 for outcome in long_run.outcomes)


def test_views_are_the_same_every_time() -> None:
    first, second = (play([use("fetch"), say("x")], [fetch]) for _ in range(2))
    assert run_as_html(first) == run_as_html(second)
    assert run_as_text(first) == run_as_text(second) == repr(RunView(first))


def test_refusals_reminders_and_failures_are_shown() -> None:
    assert "stopped      refusal" in run_as_text(play([refuse("No.")], []))
    assert "reminder" in run_as_text(play([say(""), say("x")], []))
    recorder = record(client([overloaded(), say("x")]))
    ask(Agent("a"), "go", client=recorder.client)
    assert "ERROR  529 Overloaded" in run_as_text(recorder.run)
    assert "not finished" in run_as_text(replace(recorder.run, events=[]))


def test_in_a_terminal_a_run_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    show(play([use("fetch"), say("done")], [fetch]))
    printed = capsys.readouterr().out
    assert "Run: 2 steps, 1 tool call, stopped: end_turn" in printed
    assert "\x1b[31m" not in printed


def test_raw_requests_and_replies_on_request() -> None:
    run = play([use("fetch"), say("done")], [fetch])
    text = run_as_text(run, raw=True)
    assert '"max_tokens": 1024' in text
    assert '"(1 message as in the request before)"' in text
    assert '"stop_reason": "tool_use"' in text
    assert '"max_tokens"' not in run_as_text(run)


def test_a_guess_stands_beside_the_fact() -> None:
    right = repr(predict("messages in all", guess=4, fact=4))
    wrong = repr(predict("messages in all", guess=3, fact=4))
    missing = repr(predict("messages in all", guess=..., fact=4))
    assert "as you guessed" in right
    assert "not as you guessed" in wrong
    assert "no guess yet" in missing
    assert "messages in all" in right
