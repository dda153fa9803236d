"""Loops written by hand: a sound one, and one broken copy for each rule."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from research_mutants import FINAL, MUTANTS, DropsSiblings, HandWritten, IsDoneBeforeLooking
from research_runs import QUESTION

from agentlab import Run, check_run, check_transcript, client
from agentlab.practice import Reply, both, say, use
from agentlab.research import INVARIANTS, broken_invariants


def boom(**given: Any) -> str:
    raise ValueError("boom")


def write(title: str = "") -> str:
    if not title:
        raise ValueError("the title is empty")
    return "written"


BY_HAND: dict[str, Callable[..., str]] = {
    "search": lambda query: "results",
    "boom": boom,
    FINAL: write,
}
SCRIPT = [
    use("search", query="one"),
    both(use("boom"), use("unknown"), use("search", query="two")),
    use("search", query="three"),
    both(use(FINAL, title="Title"), use("search", query="four")),
    say("And then?"),
]


def by_hand(loop: type[HandWritten], max_steps: int, script: list[Reply] = SCRIPT) -> Run:
    """The run of a loop as it has logged it, also where the loop itself broke off."""
    made = loop(client(script), BY_HAND, max_steps)
    with contextlib.suppress(ValueError):  # what the tool `boom` raises
        made.research(QUESTION)
    return made.run


def rules_broken(run: Run) -> set[str]:
    return {violation.rule for violation in check_run(run)}


@pytest.mark.parametrize("max_steps", [1, 2, 3, 4, 9])
def test_a_loop_written_by_hand_keeps_all_invariants(max_steps: int) -> None:
    run = by_hand(HandWritten, max_steps)
    assert check_run(run) == []
    assert broken_invariants(run) == {}
    assert run.steps == min(max_steps, 4)


@pytest.mark.parametrize(("loop", "rule"), MUTANTS.items())
def test_each_broken_loop_is_named_by_its_rule_alone(loop: type[HandWritten], rule: str) -> None:
    run = by_hand(loop, max_steps=3 if rule == "step_limit" else 9)
    assert rules_broken(run) == {rule}
    (name,) = broken_invariants(run)
    assert rule in INVARIANTS[name]


def test_the_broken_loops_break_all_five_invariants() -> None:
    broken = {name for name, rules in INVARIANTS.items() if set(rules) & set(MUTANTS.values())}
    assert broken == INVARIANTS.keys()
    assert len(INVARIANTS) == 5


def test_dropped_siblings_of_the_report_show_in_the_transcript() -> None:
    run = by_hand(DropsSiblings, 9)
    assert {violation.rule for violation in check_transcript(run.messages)} == {"unanswered_call"}


def test_a_run_that_ends_with_a_failed_report_is_found_out() -> None:
    script = [use(FINAL), use(FINAL, title="Title")]
    assert check_run(by_hand(HandWritten, 9, script)) == []
    assert by_hand(HandWritten, 9, script).steps == 2
    assert rules_broken(by_hand(IsDoneBeforeLooking, 9, script)) == {"final_tool"}
