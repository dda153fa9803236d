"""For any script of replies, faults, tools and interrupts: always sendable, and no rule broken."""

import copy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anthropic
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agentlab import Agent, Run, ToolError, check_run, check_transcript, client, run, tool
from agentlab.practice import (
    Reply,
    both,
    cut_off,
    overloaded,
    pause,
    rate_limited,
    refuse,
    say,
    server_error,
    think,
    use,
)
from agentlab.rules import refused

RESULTS: list[Any] = [None, "", "fine", 0, [], {"a": 1}, b"\x00", "\ud83d", "x" * 60_000, {1}]
EXCEPTIONS = [ValueError("bad"), ToolError("no"), KeyError(), KeyboardInterrupt(), SystemExit()]


@tool
def give(i: int) -> object:
    """Give a value."""
    return RESULTS[i % len(RESULTS)]


@tool
def fail(i: int) -> object:
    """Fail."""
    raise EXCEPTIONS[i % len(EXCEPTIONS)]


@tool(final=True)
def finish(i: int) -> object:
    """Finish, or fail at it."""
    return give(i) if i % 2 else fail(i)


@tool(destructive=True)
def destroy(i: int) -> object:
    """Destroy."""
    return give(i)


@tool
def hand_over(i: int) -> Agent:
    """Hand over."""
    return Agent(f"agent{i}", "Go on.", TOOLS)


@tool
async def later(i: int) -> object:
    """Give a value later."""
    return give(i)


TOOLS = [give, fail, finish, destroy, hand_over, later]
NAMES = [*(each.name for each in TOOLS), "unknown", "give"]

inputs = st.one_of(
    st.builds(lambda i: {"i": i}, st.integers(0, 9)),
    st.sampled_from([{}, {"i": "5"}, {"j": 1}, {"i": 1, "extra": "é😀"}]),
)
texts = st.sampled_from(["", " ", "Working.", "é😀"])
one_call = st.builds(lambda name, given: use(name, given), st.sampled_from(NAMES), inputs)
several = st.lists(st.one_of(one_call, st.builds(say, texts)), min_size=1, max_size=5).map(
    lambda parts: both(*parts)
)
reasons = st.sampled_from(
    ["end_turn", "max_tokens", "stop_sequence", "model_context_window_exceeded", "pause_turn"]
)
odd = st.builds(lambda reply, reason: Reply(reply.content, reason), several, reasons)
replies = st.one_of(
    one_call,
    several,
    several,
    odd,
    several.map(lambda reply: both(think(), reply)),
    one_call.map(cut_off),
    st.builds(say, texts),
    st.just(pause()),
    st.just(refuse()),
)
faults = st.sampled_from([overloaded(), rate_limited(), server_error()])
scripts = st.lists(st.one_of(replies, replies, replies, faults), max_size=9)


@settings(
    max_examples=max(1_000, settings().max_examples),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    script=scripts,
    stop_after=st.integers(0, 30),
    approves=st.booleans(),
    max_steps=st.integers(0, 6),
)
@example(script=[use("fail", i=3)], stop_after=30, approves=False, max_steps=3)
def test_the_transcript_can_always_be_sent(
    script: list[Any], stop_after: int, approves: bool, max_steps: int
) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    recorded = Run([], messages, max_steps)
    agent = Agent("first", "Help.", TOOLS)
    events = run(
        agent,
        messages,
        client=client(script),
        approve=lambda call: approves,
        max_steps=max_steps,
    )
    before = copy.deepcopy(messages)
    try:
        for number, event in enumerate(events):
            recorded.events.append(event)
            assert refused(check_transcript(messages)) == []
            assert messages[: len(before)] == before
            before = copy.deepcopy(messages)
            if number == stop_after:
                break
    except (KeyboardInterrupt, SystemExit, anthropic.APIStatusError):
        pass
    finally:
        events.close()  # type: ignore[attr-defined]
    assert check_transcript(messages) == []
    assert messages[: len(before)] == before
    assert check_run(recorded) == []
    with TemporaryDirectory() as folder:
        recorded.save(Path(folder) / "run.jsonl")
        assert Run.load(Path(folder) / "run.jsonl") == recorded
