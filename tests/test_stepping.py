"""Runs that go on only when they are told to, and end when they are told to."""

import contextlib
import io
import sys
import threading
from typing import Any

import pytest
import stepper_loops
from practising import HAIKU
from stepper_loops import (
    DESK,
    RAN,
    api,
    cancelling,
    endless_loop,
    failing_loop,
    more_stubborn_loop,
    my_loop,
    silent_loop,
    stubborn_loop,
)

from agentlab import Agent, Context, ask, check_run, check_transcript, client, tool
from agentlab.branching import NewInput, NewResult, fork
from agentlab.practice import both, overloaded, say, use
from agentlab.rules import refused
from agentlab.stepping import AgentSteps, LoopSteps, Steps, functions_near
from agentlab.threads import printing_to


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


def agent_steps(agent: Agent, api: Any, question: str = "Where is order A-17?") -> AgentSteps:
    return AgentSteps.of_agent(agent, question, api, Context(), 10)


def kinds(steps: Steps) -> list[str]:
    return [event.kind for event in steps.run.events]


def go_on(steps: Steps) -> None:
    steps.advance()
    steps.wait()


def threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("agentlab-")]


# --- an agent


def test_nothing_runs_ahead_of_the_learner() -> None:
    sent = []

    def answering(request: dict[str, Any]) -> Any:
        sent.append(len(request["messages"]))
        return say("hello") if len(sent) == 2 else use("get_order_status", order_id="A-17")

    steps = agent_steps(DESK, client(answering))
    seen = []
    for _ in range(5):
        seen.append((len(steps.run.events), len(sent), len(RAN)))
        steps.advance()
    assert seen == [(0, 0, 0), (1, 1, 0), (2, 1, 0), (3, 1, 1), (4, 2, 1)]
    assert steps.is_over


def test_stepped_and_asked_give_the_same_run() -> None:
    steps = agent_steps(DESK, cancelling())
    while not steps.is_over:
        if steps.undecided:
            steps.approve(steps.undecided.id)
        steps.advance()
        assert refused(check_transcript(steps.run.messages)) == []
    asked = ask(DESK, "Where is order A-17?", client=cancelling(), approve=lambda call: True)
    assert steps.run == asked
    assert all(event.seconds is not None for event in steps.run.replies)


def test_a_step_at_work_is_shown_as_far_as_it_has_come() -> None:
    steps = agent_steps(DESK, cancelling())
    roles = []
    for _ in range(5):
        steps.advance()
        last = steps.shown.messages[-1]
        roles.append((last["role"], len(last["content"]), len(steps.run.messages)))
    assert roles == [
        ("assistant", 2, 1),
        ("assistant", 2, 1),
        ("user", 1, 1),
        ("user", 1, 1),
        ("user", 2, 1),
    ]
    steps.advance()
    steps.advance()
    assert steps.shown == steps.run


def test_a_destructive_call_waits_for_a_yes() -> None:
    for approves, status, ran in ((True, "ran", 2), (False, "denied", 1)):
        RAN.clear()
        steps = agent_steps(DESK, cancelling())
        while steps.undecided is None:
            steps.advance()
        assert (steps.undecided.name, steps.undecided.input) == ("cancel", {"order_id": "A-17"})
        if approves:
            steps.approve(steps.undecided.id)
            assert steps.undecided is None
        steps.advance()
        assert steps.run.outcomes[-1].status == status
        assert len(RAN) == ran


def test_nobody_is_asked_about_a_call_that_does_not_fit() -> None:
    steps = agent_steps(DESK, client([use("cancel", order="A-17"), say("x")]))
    steps.advance()
    steps.advance()
    assert steps.run.events[-1].kind == "tool_called"
    assert steps.undecided is None


def test_the_agent_that_was_handed_to_is_asked_for_its_own_tools() -> None:
    @tool(destructive=True)
    def pay(cents: int) -> str:
        """Pay."""
        return "paid"

    def to_billing() -> Agent:
        """Hand over."""
        return Agent("billing", "", [pay])

    script = [use("to_billing"), use("pay", cents=1), say("x")]
    steps = agent_steps(Agent("desk", "", [to_billing]), client(script))
    while steps.undecided is None and not steps.is_over:
        steps.advance()
    assert steps.undecided is not None
    assert steps.undecided.name == "pay"


def test_what_the_api_raises_is_kept_and_the_transcript_can_be_sent() -> None:
    steps = agent_steps(DESK, client([overloaded()] * 9))
    steps.advance()
    assert steps.is_over
    assert "529" in str(steps.error)
    assert steps.run.messages == [{"role": "user", "content": "Where is order A-17?"}]
    steps.advance()
    assert kinds(steps) == []


def test_a_branch_waits_too_and_asks_only_about_what_it_runs() -> None:
    steps = agent_steps(DESK, cancelling())
    while not steps.is_over:
        if steps.undecided:
            steps.approve(steps.undecided.id)
        steps.advance()
    assert RAN == ["status A-17", "cancel A-17"]
    first, second = (outcome.call.id for outcome in steps.run.outcomes)
    left = AgentSteps.of_fork(
        fork(steps.run, 1, NewInput(first, {"order_id": "B-2"}), agent=DESK), cancelling()
    )
    assert kinds(left) == ["replied"]
    while not left.is_over:
        assert left.undecided is None
        left.advance()
    assert RAN == ["status A-17", "cancel A-17", "status B-2"]
    assert check_run(left.run) == []
    again = AgentSteps.of_fork(
        fork(steps.run, 1, NewInput(second, {"order_id": "B-2"}), agent=DESK), cancelling()
    )
    again.advance()
    assert again.undecided is not None


# --- a loop of one's own


def test_each_request_and_each_reply_stops_at_the_client() -> None:
    steps = LoopSteps(my_loop, "Where is order A-17?", api())
    seen = []
    while not steps.is_over:
        go_on(steps)
        waiting = steps.waiting_request
        seen.append((kinds(steps), len(waiting["messages"]) if waiting else None, len(RAN)))
    called = ["replied", "tool_called"]
    returned = [*called, "tool_returned"]
    assert seen == [
        ([], 1, 0),
        (called, None, 0),
        (returned, 3, 1),
        ([*returned, "replied"], None, 1),
        ([*returned, "replied", "stopped"], None, 1),
    ]
    assert steps.returned == "It was shipped."
    assert steps.printed == "1 call\n"
    assert check_run(steps.run) == []
    assert threads() == []


def test_its_prints_go_nowhere_else(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout
    steps = LoopSteps(my_loop, "Where is order A-17?", api())
    while not steps.is_over:
        print("a cell's own")
        go_on(steps)
    assert sys.stdout is before
    assert capsys.readouterr().out == "a cell's own\n" * 5
    assert steps.printed == "1 call\n"


def test_two_loops_print_each_for_itself() -> None:
    one, two = (LoopSteps(my_loop, "Where is order A-17?", api()) for _ in range(2))
    while not (one.is_over and two.is_over):
        go_on(one)
        go_on(two)
    assert one.printed == two.printed == "1 call\n"


def test_an_exception_is_kept_with_the_learners_own_lines() -> None:
    steps = LoopSteps(failing_loop, "go", client([say("hello")]))
    while not steps.is_over:
        go_on(steps)
    assert isinstance(steps.error, KeyError)
    assert steps.error.__traceback__ is not None
    assert steps.error.__traceback__.tb_frame.f_code.co_name == "failing_loop"
    assert kinds(steps) == ["replied", "stopped"]
    assert threads() == []


def test_a_loop_that_never_calls_its_client() -> None:
    steps = LoopSteps(silent_loop, "go", api())
    go_on(steps)
    assert steps.is_over
    assert (kinds(steps), steps.returned, steps.printed) == ([], "42", "I know it myself.\n")


@pytest.mark.parametrize("count", range(6))
def test_stop_ends_a_loop_at_its_client(count: int) -> None:
    steps = LoopSteps(my_loop, "Where is order A-17?", api())
    for _ in range(count):
        go_on(steps)
    steps.close()
    assert steps.is_over
    assert threads() == []
    assert steps.error is None
    assert steps.returned is None or count == 5


def test_stop_ends_a_loop_that_does_not_come_to_its_client() -> None:
    steps = LoopSteps(endless_loop, "go", api())
    steps.advance()
    steps.close()
    assert threads() == []
    assert steps.is_over


@pytest.mark.parametrize("loop", [stubborn_loop, more_stubborn_loop])
def test_stop_ends_a_loop_that_catches_everything(loop: Any) -> None:
    steps = LoopSteps(loop, "go", api())
    go_on(steps)
    steps.close()
    assert threads() == []
    assert steps.is_over


def test_going_on_is_asked_for_once_at_a_time() -> None:
    steps = LoopSteps(my_loop, "Where is order A-17?", api())
    go_on(steps)
    for _ in range(3):
        steps.advance()
    steps.wait()
    assert kinds(steps) == ["replied", "tool_called"]
    steps.close()
    steps.advance()
    assert kinds(steps) == ["replied", "tool_called"]


def test_every_stop_is_told() -> None:
    told: list[bool] = []
    steps = LoopSteps(my_loop, "go", api(), lambda: told.append(steps.is_over))
    while not steps.is_over:
        go_on(steps)
    assert told == [False, False, False, False, True]


def test_retries_are_seen_too() -> None:
    steps = LoopSteps(my_loop, "go", client([overloaded(), say("hello")]))
    while not steps.is_over:
        go_on(steps)
    assert kinds(steps) == ["failed", "replied", "stopped"]


def test_the_arguments_may_stand_in_any_order() -> None:
    def other_order(api: Any, question: str) -> Any:
        message = [{"role": "user", "content": question}]
        return api.messages.create(model=HAIKU, max_tokens=9, messages=message).content[0].text

    def events(question: str, client: Any) -> Any:
        yield "first"
        yield other_order(client, question)

    async def later(question: str, client: Any) -> Any:
        return other_order(client, question)

    for loop in (other_order, events, later):
        steps = LoopSteps(loop, "go", client([say("hello")]))
        while not steps.is_over:
            go_on(steps)
        assert (steps.error, steps.returned) == (None, "hello")


def test_a_loop_that_cannot_be_called_is_refused_at_once() -> None:
    def alone(x: int) -> None:
        """Take one argument."""

    with pytest.raises(TypeError, match=r"called as alone\(question, client\), and alone\(x: int"):
        LoopSteps(alone, "go", client([]))


def test_the_functions_a_loop_sees() -> None:
    near = functions_near(my_loop, {"get_order_status", "TOOL", "unknown"})
    assert near == [stepper_loops.get_order_status]
    beside = {"tools": [stepper_loops.cancel], "by_name": {"len": len}}
    loop = eval("lambda question, client: None", beside)
    assert functions_near(loop, {"cancel", "len"}) == [stepper_loops.cancel, len]


def test_a_branch_of_a_loop_goes_on_with_its_functions() -> None:
    steps = LoopSteps(my_loop, "Where is order A-17?", api())
    while not steps.is_over:
        go_on(steps)
    (call,) = (outcome.call for outcome in steps.run.outcomes)
    near = functions_near(my_loop, {"get_order_status"})
    for change in (NewInput(call.id, {"order_id": "B-2"}), NewResult(call.id, "lost")):
        left = AgentSteps.of_fork(fork(steps.run, 1, change, tools=near), api())
        while not left.is_over:
            left.advance()
        assert left.run.outcomes[0].text == "lost"
        assert check_run(left.run) == []
    assert RAN == ["status A-17", "status B-2"]


def test_printing_survives_an_error() -> None:
    text, before = io.StringIO(), sys.stdout
    with contextlib.suppress(ValueError), printing_to(text):
        print("inside", flush=True)
        raise ValueError("x")
    assert (text.getvalue(), sys.stdout) == ("inside\n", before)


def test_a_loop_with_two_requests_at_once_is_paced_one_by_one() -> None:
    from concurrent.futures import ThreadPoolExecutor

    def crowd(question: str, client: Any) -> list[str]:
        def one(number: int) -> str:
            message = [{"role": "user", "content": f"{question} {number}"}]
            reply = client.messages.create(model=HAIKU, max_tokens=9, messages=message)
            return str(reply.content[0].text)

        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(one, range(2)))

    steps = LoopSteps(crowd, "go", client([both(say("hello"))]))
    count = 0
    while not steps.is_over:
        go_on(steps)
        count += 1
    assert (count, steps.returned) == (5, ["hello", "hello"])
