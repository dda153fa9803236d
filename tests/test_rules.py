"""Each rule of the book, broken once on purpose."""

from dataclasses import replace
from typing import Any

import pytest
from practice_tools import calls, play

from agentlab import Run, check_run, check_transcript
from agentlab.events import Stopped, ToolCalled, ToolReturned
from agentlab.practice import say, use
from agentlab.rules import refused

HI = {"role": "user", "content": "hi"}


def asks(*ids: str) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": each, "name": "f", "input": {}} for each in ids]
    return {"role": "assistant", "content": blocks}


def answers(*ids: str, text: str | None = None) -> dict[str, Any]:
    blocks: list[Any] = [
        {"type": "tool_result", "tool_use_id": each, "content": "x"} for each in ids
    ]
    return {"role": "user", "content": [{"type": "text", "text": text}] * bool(text) + blocks}


BROKEN: dict[str, tuple[list[Any], int | None]] = {
    "no_messages": ([], None),
    "shape": (["hello"], 0),
    "json": ([{"role": "user", "content": [{"type": "text", "text": "\ud83d"}]}], 0),
    "first_role": ([{"role": "assistant", "content": "hi"}, HI], 0),
    "empty_content": ([{"role": "user", "content": []}, HI], 0),
    "blank_text": ([HI, {"role": "assistant", "content": [{"type": "text", "text": " "}]}, HI], 1),
    "call_id": ([HI, asks("a b"), answers("a b")], 1),
    "call_input": (
        [
            HI,
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": "{}"}],
            },
            answers("t1"),
        ],
        1,
    ),
    "unique_ids": ([HI, asks("t1"), answers("t1"), asks("t1"), answers("t1")], 3),
    "unanswered_call": ([HI, asks("t1", "t2"), answers("t1")], 1),
    "results_first": ([HI, asks("t1"), answers("t1", text="here")], 2),
    "unexpected_result": ([HI, asks("t1"), answers("t1", "t9")], 2),
    "duplicate_result": ([HI, asks("t1"), answers("t1", "t1")], 2),
}

ADVISED: dict[str, tuple[list[Any], int]] = {
    "one_result_message": ([HI, asks("t1", "t2"), answers("t1"), answers("t2")], 3),
    "empty_result": (
        [
            HI,
            asks("t1"),
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": ""}],
            },
        ],
        2,
    ),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_transcript_that_the_api_refuses(rule: str) -> None:
    messages, index = BROKEN[rule]
    found = check_transcript(messages)
    assert [(v.rule, v.message_index) for v in found] == [(rule, index)]
    assert refused(found) == found
    assert rule in str(found[0])


@pytest.mark.parametrize("rule", ADVISED)
def test_a_transcript_that_the_api_takes_and_we_advise_against(rule: str) -> None:
    messages, index = ADVISED[rule]
    found = check_transcript(messages)
    assert [(v.rule, v.message_index) for v in found] == [(rule, index)]
    assert refused(found) == []


def test_several_faults_are_all_reported_with_their_places() -> None:
    messages = [
        HI,
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": ""},
                {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
            ],
        },
        answers("t1", text="here"),
    ]
    found = {(v.rule, v.message_index) for v in check_transcript(messages)}
    assert found == {("blank_text", 1), ("results_first", 2)}


def test_a_result_that_answers_no_call_at_all() -> None:
    (violation,) = check_transcript([answers("t9")])
    assert (violation.rule, violation.message_index) == ("unexpected_result", 0)
    assert "`t9`" in violation.problem


def test_good_transcripts_break_nothing() -> None:
    system = {"role": "system", "content": "New rule."}
    assert check_transcript([HI]) == []
    assert check_transcript([HI, asks("t1", "t2"), answers("t1", "t2"), HI, system]) == []
    assert check_transcript([HI, {"role": "assistant", "content": []}]) == []


def double(n: int) -> int:
    """Double."""
    if n < 0:
        raise ValueError("negative")
    return 2 * n


@pytest.fixture
def good_run() -> Run:
    return play([calls(("double", {"n": 1}), ("double", {"n": -1})), say("done")], [double])


def names(run: Run) -> list[str]:
    return [violation.rule for violation in check_run(run)]


def test_a_good_run_breaks_nothing(good_run: Run) -> None:
    assert check_run(good_run) == []


def test_a_run_past_its_limit(good_run: Run) -> None:
    assert names(replace(good_run, max_steps=1)) == ["step_limit"]


def test_a_call_that_left_no_event(good_run: Run) -> None:
    unlogged = [event for event in good_run.events if not isinstance(event, ToolReturned)]
    assert names(replace(good_run, events=unlogged)) == ["unlogged_call"] * 2
    silent = [event for event in unlogged if not isinstance(event, ToolCalled)]
    assert names(replace(good_run, events=silent)) == ["unlogged_call"] * 4


def test_an_error_that_is_not_flagged(good_run: Run) -> None:
    results = good_run.messages[2]["content"]
    unflagged = {name: value for name, value in results[1].items() if name != "is_error"}
    message = {**good_run.messages[2], "content": [results[0], unflagged]}
    changed = [*good_run.messages[:2], message, *good_run.messages[3:]]
    assert names(replace(good_run, messages=changed)) == ["unflagged_error", "append_only"]


def test_a_transcript_that_was_rewritten(good_run: Run) -> None:
    question = {"role": "user", "content": "something else"}
    assert names(replace(good_run, messages=[question, *good_run.messages[1:]])) == ["append_only"]
    assert "append_only" in names(replace(good_run, messages=good_run.messages[:2]))


def test_a_run_that_goes_on_after_its_final_tool() -> None:
    from agentlab import tool

    ending = tool(final=True)(double)
    run = play([use("double", n=1)], [ending])
    longer = play([use("double", n=1), say("more")], [double])
    assert check_run(run) == []
    assert names(replace(longer, events=[*run.events[:-1], *longer.events[3:]])) == ["final_tool"]


def test_something_after_the_end(good_run: Run) -> None:
    events = [*good_run.events, Stopped(3, "tester", "end_turn", "")]
    assert names(replace(good_run, events=events)) == ["one_ending"]
