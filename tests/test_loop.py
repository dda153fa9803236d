"""The loop against written replies; the SDK's own tool runner and stop reasons are the oracles."""

import asyncio
import inspect
from typing import Any, get_args

import anthropic
import pytest
from anthropic import beta_tool
from anthropic.types import StopReason
from practice_tools import calls, give, play, results

from agentlab import Agent, Calling, Context, ToolError, ask, check_run, client, record, run, tool
from agentlab.errors import TranscriptError
from agentlab.events import HandedOff, Stopped, ToolReturned
from agentlab.loop import NEXT_ACTION, REMINDER
from agentlab.practice import (
    Reply,
    both,
    cut_off,
    overloaded,
    pause,
    refuse,
    say,
    think,
    use,
)
from agentlab.rules import check_transcript, refused


def half(n: int) -> float:
    """Halve.

    Args:
        n: what to halve
    """
    if n == 0:
        raise ValueError("zero")
    return n / 2


def halved(n: int) -> str:
    """Halve, in words: the SDK's runner takes text only.

    Args:
        n: what to halve
    """
    if n == 0:
        raise ToolError("Zero has no half worth telling.")
    return f"{n / 2}"


def search_web(q: str) -> str:
    """Search."""
    return "hit"


@tool(final=True)
def write_report(title: str) -> str:
    """Write the report and end."""
    if not title:
        raise ToolError("A report needs a title.")
    return f"# {title}"


def test_the_loop_fits_on_a_screen() -> None:
    assert len(inspect.getsource(run).splitlines()) <= 45


def test_the_table_covers_the_sdks_stop_reasons() -> None:
    assert set(NEXT_ACTION) == set(get_args(StopReason))


def test_requests_are_those_of_the_sdks_tool_runner() -> None:
    script = [
        both(say("Working."), use("halved", n=4), use("halved", n=0)),
        use("halved", n=2),
        say("done"),
    ]
    ours, theirs = record(client(script)), record(client(script))
    agent = Agent("a", "Help.", [halved])
    ask(agent, "go", client=ours.client)
    runner = theirs.client.beta.messages.tool_runner(
        model=agent.model,
        max_tokens=agent.max_tokens,
        system="Help.",
        messages=[{"role": "user", "content": "go"}],
        tools=[beta_tool(halved)],
        thread=False,
    )
    runner.until_done()
    for our, their in zip(ours.exchanges, theirs.exchanges, strict=True):
        assert [_normal(m) for m in our.request["messages"]] == [
            _normal(m) for m in their.request["messages"]
        ]
        assert our.request["tools"] == their.request["tools"]


def _normal(message: dict[str, Any]) -> Any:
    """Content as plain blocks: the runner keeps SDK objects and wraps a text result in a block."""
    content = message["content"]
    if isinstance(content, str):
        return message["role"], content
    blocks = [block if isinstance(block, dict) else block.to_dict() for block in content]
    for block in blocks:
        if isinstance(block.get("content"), list):
            block["content"] = "".join(part["text"] for part in block["content"])
    return message["role"], blocks


def test_parallel_calls_are_answered_in_one_message_in_order() -> None:
    turn = both(say("Working."), use("half", n=4), use("half", n=0), use("half", n=6))
    recorder = record(client([turn, say("done")]))
    done = ask(Agent("a", "", [half]), "go", client=recorder.client)
    second = recorder.exchanges[1].request["messages"]
    assert [block["type"] for block in second[-1]["content"]] == ["tool_result"] * 3
    first, failed, third = second[-1]["content"]
    assert (first["content"], third["content"]) == ("2.0", "3.0")
    assert failed["is_error"] is True
    assert "zero" in failed["content"]
    assert second[-2]["content"][0] == {"type": "text", "text": "Working."}
    assert len(recorder.exchanges) == 2
    assert check_run(done) == []


def test_an_unknown_tool_is_answered_with_the_known_ones() -> None:
    done = play(
        [calls(("web_search", {"q": "x"}), ("search_web", {"q": "x"})), say("done")], [search_web]
    )
    unknown, known = results(done)
    assert unknown["is_error"] is True
    assert "web_search" in unknown["content"]
    assert "search_web" in unknown["content"]
    assert known["content"] == "hit"
    assert done.outcomes[0].status == "unknown_tool"
    assert check_run(done) == []


def test_falsy_results_do_not_end_the_run() -> None:
    values = [None, "", "   ", 0, False, [], {}, 0.0]
    done = play([both(*(use("give", i=i) for i in range(8))), say("done")], [give(values)])
    assert len(results(done)) == 8
    assert done.answer == "done"


def test_the_events_of_a_run_in_order() -> None:
    done = play([both(use("half", n=4)), say("done")], [half])
    assert [event.kind for event in done.events] == [
        "replied",
        "tool_called",
        "tool_returned",
        "replied",
        "stopped",
    ]
    assert (done.steps, done.answer) == (2, "done")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (say("all"), "end_turn"),
        (say("all", stop_reason="stop_sequence", stop_sequence="X"), "stop_sequence"),
        (say("all", stop_reason="max_tokens"), "max_tokens"),
        (
            say("all", stop_reason="model_context_window_exceeded"),
            "model_context_window_exceeded",
        ),
        (say("all", stop_reason="something_new"), "something_new"),
        (say("all", stop_reason="tool_use"), "tool_use"),
    ],
)
def test_a_reply_that_ends_the_run_is_kept_and_its_reason_told(reply: Reply, reason: str) -> None:
    done = play([reply], [half])
    assert done.stopped == Stopped(1, "tester", reason, "all")
    assert done.messages[-1] == {"role": "assistant", "content": [{"type": "text", "text": "all"}]}
    assert check_run(done) == []


def test_a_refused_reply_runs_nothing_and_is_not_kept() -> None:
    done = play([refuse("No.")], [half])
    assert done.stopped is not None
    assert done.stopped.reason == "refusal"
    assert done.messages == [{"role": "user", "content": "go"}]
    assert done.outcomes == []


@pytest.mark.parametrize("reason", ["max_tokens", "refused_later", "end_turn"])
def test_calls_of_a_reply_that_broke_off_are_answered_and_not_run(reason: str) -> None:
    ran = []

    def note(text: str, more: str = "") -> str:
        """Note."""
        ran.append(text)
        return text

    reply = cut_off(use("note", text="a", more="b"))
    reply = Reply(reply.content, reason)
    done = play([reply], [note])
    assert ran == []
    assert done.outcomes[0].status == "not_run"
    assert reason in done.outcomes[0].text
    assert done.stopped is not None
    assert done.stopped.reason == reason
    assert check_run(done) == []


def test_a_paused_reply_is_sent_back_as_it_is() -> None:
    recorder = record(client([pause(), say("done")]))
    done = ask(Agent("a", "", [half]), "go", client=recorder.client)
    sent = recorder.exchanges[1].request["messages"]
    assert sent[-1]["role"] == "assistant"
    assert sent[-1]["content"][0]["type"] == "server_tool_use"
    assert done.answer == "done"


def test_pauses_are_bounded_by_the_step_limit() -> None:
    done = play([pause()] * 20, [half], max_steps=3)
    assert done.stopped is not None
    assert (done.stopped.reason, done.steps) == ("max_steps", 3)


def test_an_empty_reply_is_reminded_once_and_never_stored() -> None:
    done = play([use("half", n=2), say(""), say("done")], [half])
    assert done.answer == "done"
    assert [event.kind for event in done.events].count("reminded") == 1
    assert {"role": "user", "content": REMINDER} in done.messages
    assert check_run(done) == []
    silent = play([say(""), say(""), say("never asked for")], [half])
    assert silent.answer == ""
    assert silent.steps == 2


def test_blank_text_blocks_are_not_sent_back() -> None:
    blank = Reply(({"type": "text", "text": " \n"}, *use("half", n=2).content), "tool_use")
    done = play([blank, say("done")], [half])
    assert [block["type"] for block in done.messages[1]["content"]] == ["tool_use"]
    assert done.answer == "done"


def test_thinking_is_sent_back_unchanged() -> None:
    done = play([both(think("Hm."), use("half", n=2)), say("done")], [half])
    assert [block["type"] for block in done.messages[1]["content"]] == ["thinking", "tool_use"]
    assert done.messages[1]["content"][0] == done.replies[0].reply["content"][0]
    assert done.answer == "done"


def test_the_step_limit_says_so_and_leaves_a_transcript_that_goes_on() -> None:
    script = [use("half", n=2 * n) for n in range(1, 5)] + [say("done")]
    agent, connected = Agent("a", "", [half]), client(script)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    *_, last = run(agent, messages, client=connected, max_steps=2)
    assert last == Stopped(2, "a", "max_steps", "")
    assert refused(check_transcript(messages)) == []
    *_, last = run(agent, messages, client=connected)
    assert isinstance(last, Stopped)
    assert last.text == "done"


def test_a_final_tool_ends_the_run_and_its_siblings_are_answered() -> None:
    turn = calls(("half", {"n": 4}), ("write_report", {"title": "RAG"}), ("half", {"n": 6}))
    done = play([turn, say("never asked for")], [half, write_report])
    assert done.stopped == Stopped(1, "tester", "final_tool", "# RAG")
    assert [outcome.status for outcome in done.outcomes] == ["ran", "ran", "not_run"]
    assert len(results(done)) == 3
    assert check_run(done) == []


def test_a_final_tool_that_fails_does_not_end_the_run() -> None:
    done = play(
        [use("write_report", title=""), use("write_report", title="RAG"), say("never")],
        [write_report],
    )
    assert done.outcomes[0].text == "A report needs a title."
    assert done.stopped == Stopped(2, "tester", "final_tool", "# RAG")


def test_the_same_call_again_is_told_once_and_then_stops_the_run() -> None:
    ran = []

    def look(where: str) -> str:
        """Look."""
        ran.append(where)
        return "nothing"

    done = play([use("look", where="a")] * 9, [look])
    assert ran == ["a", "a"]
    assert [outcome.status for outcome in done.outcomes] == ["ran", "ran", "not_run", "not_run"]
    assert "same call" in done.outcomes[2].text
    assert done.stopped is not None
    assert done.stopped.reason == "repeating"
    assert check_run(done) == []


def test_other_arguments_are_not_a_repetition() -> None:
    done = play([use("half", n=n) for n in range(1, 7)] + [say("done")], [half])
    assert done.answer == "done"


def test_a_tool_that_returns_an_agent_hands_over() -> None:
    billing = Agent("billing", "You do billing.", [half])

    def to_billing() -> Agent:
        """Hand over to billing."""
        return billing

    recorder = record(client([calls(("to_billing", {}), ("half", {"n": 4})), say("done")]))
    front = Agent("front", "You are the front desk.", [to_billing, half])
    done = ask(front, "go", client=recorder.client)
    assert HandedOff(1, "front", "billing") in done.events
    assert recorder.exchanges[1].request["system"] == "You do billing."
    assert [block["content"] for block in results(done)] == ["Handed over to billing.", "2.0"]
    assert isinstance(done.events[-1], Stopped)
    assert done.events[-1].agent == "billing"


def test_the_first_of_two_handoffs_holds_and_the_second_is_told() -> None:
    first, second = Agent("first", "", [half]), Agent("second", "", [half])

    def to_first() -> Agent:
        """Hand over to first."""
        return first

    def to_second() -> Agent:
        """Hand over to second."""
        return second

    done = play([calls(("to_first", {}), ("to_second", {})), say("done")], [to_first, to_second])
    assert "already handed over to first" in done.outcomes[1].text
    assert [e.successor for e in done.events if isinstance(e, HandedOff)] == ["first"]


def test_instructions_may_follow_the_context() -> None:
    def remember(name: str, context: Context) -> str:
        """Remember the customer's name."""
        context["name"] = name
        return "noted"

    recorder = record(client([use("remember", name="Leyla"), say("done")]))
    agent = Agent("a", lambda context: f"Customer: {context.get('name', '?')}", [remember])
    done = ask(agent, "go", client=recorder.client)
    systems = [exchange.request["system"] for exchange in recorder.exchanges]
    assert systems == ["Customer: ?", "Customer: Leyla"]
    assert "Leyla" not in str(results(done))
    returned = next(event for event in done.events if isinstance(event, ToolReturned))
    assert returned.context == {"name": "Leyla"}


@tool(destructive=True)
def delete(p: str) -> str:
    """Delete."""
    GONE.append(p)
    return "deleted"


GONE: list[str] = []


def read(p: str) -> str:
    """Read."""
    return "text"


DELETIONS = calls(("read", {"p": "a"}), ("delete", {"p": "a"}), ("delete", {"p": "b"}))


def test_one_call_is_approved_and_its_neighbour_denied() -> None:
    GONE.clear()
    done = play([DELETIONS, say("done")], [read, delete], approve=lambda c: c.input["p"] == "b")
    assert GONE == ["b"]
    kept, denied, deleted = results(done)
    assert kept["content"] == "text"
    assert denied["is_error"] is True
    assert "user denied" in denied["content"]
    assert "Not run" in denied["content"]
    assert deleted["content"] == "deleted"
    assert check_run(done) == []


def test_what_is_not_a_yes_is_a_no() -> None:
    def broken(call: Any) -> bool:
        raise EOFError("no terminal")

    def truthy(call: Any) -> Any:
        return "yes"

    for approve in (broken, truthy):
        GONE.clear()
        done = play([DELETIONS, say("done")], [read, delete], approve=approve)
        assert GONE == []
        assert [outcome.status for outcome in done.outcomes] == ["ran", "denied", "denied"]
    GONE.clear()
    play([DELETIONS, say("done")], [read, delete])
    assert GONE == []


def test_wrong_arguments_are_told_before_anyone_is_asked() -> None:
    asked = []

    def approve(call: Any) -> bool:
        asked.append(call)
        return True

    done = play([use("delete", path="a"), say("done")], [delete], approve=approve)
    assert asked == []
    assert done.outcomes[0].status == "invalid_arguments"


def test_an_interrupt_reaches_the_caller_and_leaves_a_transcript_that_goes_on() -> None:
    def fast() -> str:
        """Fast."""
        return "ok"

    def slow() -> str:
        """Slow, interrupted."""
        raise KeyboardInterrupt

    agent = Agent("a", "", [fast, slow])
    connected = client([calls(("fast", {}), ("slow", {}), ("fast", {})), say("resumed")])
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    with pytest.raises(KeyboardInterrupt):
        list(run(agent, messages, client=connected))
    assert check_transcript(messages) == []
    contents = [(b["content"], b.get("is_error")) for b in messages[-1]["content"]]
    assert contents[0] == ("ok", None)
    assert contents[1] == ("Not run: the run was interrupted.", True)
    messages.append({"role": "user", "content": "go on"})
    *_, last = run(agent, messages, client=connected)
    assert isinstance(last, Stopped)
    assert last.text == "resumed"


def test_a_cancelled_async_tool_reaches_the_caller_too() -> None:
    async def slow() -> str:
        """Slow, cancelled."""
        raise asyncio.CancelledError

    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    with pytest.raises(asyncio.CancelledError):
        list(run(Agent("a", "", [slow]), messages, client=client([use("slow"), say("x")])))
    assert check_transcript(messages) == []
    assert messages[-1]["content"][0]["is_error"] is True


@pytest.mark.parametrize("stop_after", range(1, 9))
def test_a_consumer_may_stop_listening_anywhere(stop_after: int) -> None:
    script = [calls(("half", {"n": 4}), ("half", {"n": 2})), say("done")]
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    events = run(Agent("a", "", [half]), messages, client=client(script))
    for _, _event in zip(range(stop_after), events, strict=False):
        pass
    events.close()  # type: ignore[attr-defined]
    assert refused(check_transcript(messages)) == []


def test_broken_transcripts_are_refused_before_any_request() -> None:
    broken = [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t1", "name": "half", "input": {}}],
        },
        {"role": "user", "content": "never mind"},
    ]
    recorder = record(client([say("never")]))
    with pytest.raises(TranscriptError, match=r"message 1: .*t1"):
        next(run(Agent("a", "", [half]), broken, client=recorder.client))
    assert recorder.exchanges == []
    orphan = [
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t9", "content": "x"}]}
    ]
    for messages in (broken, orphan):
        with pytest.raises(anthropic.BadRequestError):
            client([say("never")]).messages.create(
                model="claude-haiku-4-5",
                max_tokens=9,
                messages=messages,  # type: ignore[arg-type]
                tools=[tool(half).to_param()],  # type: ignore[list-item]
            )


def test_errors_of_the_api_reach_the_caller_unchanged() -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    with pytest.raises(anthropic.OverloadedError):
        list(run(Agent("a"), messages, client=client([overloaded()] * 3 + [say("x")])))
    assert messages == [{"role": "user", "content": "go"}]
    assert ask(Agent("a"), "go", client=client([overloaded(), say("x")])).answer == "x"


def test_calling_settings_are_sent() -> None:
    recorder = record(client([say("x")] * 5))
    for calling in (
        Calling(),
        Calling(choice="any"),
        Calling(choice="half", parallel=False),
        Calling(parallel=False),
        Calling(choice="none"),
    ):
        ask(Agent("a", "", [half], calling=calling), "go", client=recorder.client)
    assert [exchange.request.get("tool_choice") for exchange in recorder.exchanges] == [
        None,
        {"type": "any"},
        {"type": "tool", "name": "half", "disable_parallel_tool_use": True},
        {"type": "auto", "disable_parallel_tool_use": True},
        {"type": "none"},
    ]


def test_runs_in_several_threads_leave_standard_output_as_it_was() -> None:
    """Each captures what its own tools print, whichever of them ends first."""
    import sys
    import threading

    both_run = threading.Barrier(2, timeout=20)
    outcomes = {}

    def wait(name: str) -> str:
        """Wait for the other one.

        Args:
            name: whose run it is.
        """
        print(f"first of {name}")
        both_run.wait()
        if name == "long":
            both_run.wait()
        print(f"second of {name}")
        return name

    def run_one(name: str) -> None:
        script = [use("wait", name=name), say("done")]
        outcomes[name] = ask(Agent(name, "", [wait]), "go", client=client(script)).outcomes[0]
        if name == "short":
            both_run.wait()

    before = sys.stdout
    threads = [threading.Thread(target=run_one, args=(name,)) for name in ("long", "short")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sys.stdout is before
    assert {n: o.printed for n, o in outcomes.items()} == {
        name: f"first of {name}\nsecond of {name}\n" for name in ("long", "short")
    }
