"""Any loop on a client becomes a run: ours, a learner's, the SDK's, streamed or not."""

from typing import Any

from anthropic import beta_tool

from agentlab import Agent, ask, check_run, client, record, tool
from agentlab.events import Failed
from agentlab.practice import both, overloaded, say, use


def half(n: int) -> str:
    """Halve."""
    return str(n / 2)


SCRIPT = [both(say("So."), use("half", n=4), use("half", n=6)), use("half", n=8), say("done")]


def by_hand(connected: Any, question: str) -> str:
    """A loop as a learner writes it: with the SDK's own objects in the history."""
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        reply = connected.messages.create(
            model="claude-haiku-4-5",
            max_tokens=500,
            messages=messages,
            tools=[tool(half).to_param()],
        )
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return str(reply.content[-1].text)
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": half(**call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})


def test_our_own_loop_is_recorded_as_it_tells_itself() -> None:
    recorder = record(client(SCRIPT), name="a")
    told = ask(Agent("a", "", [half]), "go", client=recorder.client)
    assert [event.kind for event in recorder.run.events] == [event.kind for event in told.events]
    assert recorder.run.messages == told.messages
    assert [o.content for o in recorder.run.outcomes] == [o.content for o in told.outcomes]
    assert check_run(recorder.run) == []


def test_a_learners_loop_is_recorded() -> None:
    recorder = record(client(SCRIPT))
    assert by_hand(recorder.client, "go") == "done"
    run = recorder.run
    assert (run.steps, run.answer) == (3, "done")
    assert [outcome.content for outcome in run.outcomes] == ["2.0", "3.0", "4.0"]
    assert check_run(run) == []


def test_the_sdks_tool_runner_is_recorded() -> None:
    for options in ({"thread": False}, {}):
        recorder = record(client(SCRIPT))
        runner = recorder.client.beta.messages.tool_runner(
            model="claude-haiku-4-5",
            max_tokens=500,
            messages=[{"role": "user", "content": "go"}],
            tools=[beta_tool(half)],
            **options,  # type: ignore[arg-type]
        )
        runner.until_done()
        assert (recorder.run.steps, recorder.run.answer) == (3, "done")
        assert [outcome.text for outcome in recorder.run.outcomes] == ["2.0", "3.0", "4.0"]
        assert check_run(recorder.run) == []


def test_a_streamed_reply_is_recorded_whole() -> None:
    recorder = record(client(SCRIPT[:1]))
    request: dict[str, Any] = {
        "model": "claude-haiku-4-5",
        "max_tokens": 500,
        "messages": [{"role": "user", "content": "go"}],
        "tools": [tool(half).to_param()],
    }
    with recorder.client.messages.stream(**request) as stream:
        heard = "".join(stream.text_stream)
    plain = client(SCRIPT[:1]).messages.create(**request)
    assert heard == "So."
    assert recorder.run.replies[0].reply["content"] == plain.to_dict()["content"]
    assert len([e for e in recorder.run.events if e.kind == "tool_called"]) == 2


def test_refused_requests_and_retries_are_events_too() -> None:
    recorder = record(client([overloaded(), say("done")]))
    ask(Agent("a", "", [half]), "go", client=recorder.client)
    failed, replied, _ = recorder.run.events
    assert isinstance(failed, Failed)
    assert failed.status == 529
    assert (failed.step, replied.step) == (1, 1)


def test_a_recorder_before_its_first_request() -> None:
    recorder = record(client([say("x")]))
    assert recorder.run.events == []
    assert recorder.run.messages == []
    assert check_run(recorder.run) == []


def test_a_loop_that_rewrites_its_history_is_caught() -> None:
    connected = record(client(SCRIPT))
    request: dict[str, Any] = {"model": "claude-haiku-4-5", "max_tokens": 500}
    request["tools"] = [tool(half).to_param()]
    for question in ("first", "second"):
        connected.client.messages.create(
            messages=[{"role": "user", "content": question}], **request
        )
    assert "append_only" in [violation.rule for violation in check_run(connected.run)]
