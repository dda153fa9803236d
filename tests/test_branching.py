"""A run goes on from a change: what came before is kept, and none of its tools runs again."""

import contextlib
import copy
from typing import Any

import anthropic
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from practising import HAIKU
from stepper_runs import shop_run

from agentlab import Agent, Context, Run, ask, check_run, client, record, run, tool
from agentlab.branching import (
    Change,
    Fork,
    NewDescription,
    NewInput,
    NewQuestion,
    NewResult,
    NewSystem,
    fork,
)
from agentlab.calls import calls_in
from agentlab.errors import DefinitionError, TranscriptError
from agentlab.events import Replied
from agentlab.practice import both, say, use
from agentlab.rules import check_transcript, refused
from tests.fuzz.test_transcripts import TOOLS, scripts


class Shelf:
    """A tool that keeps a list of what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def look_up(self, order: str, context: Context) -> str:
        """Look up."""
        self.asked.append(order)
        context["orders"] = [*context.get("orders", []), order]
        return f"{order} is shipped"


def echo(request: dict[str, Any]) -> Any:
    """A model that looks up A and B, then C, and then says what it has read."""
    results = [
        block["content"]
        for message in request["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    if not results:
        return both(use("look_up", order="A"), use("look_up", order="B"))
    if len(results) == 2:
        return use("look_up", order="C")
    return say(f"{request['messages'][0]['content']} {request.get('system')}: {results}")


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def agent(shelf: Shelf) -> Agent:
    return Agent("desk", "Be short.", [shelf.look_up])


@pytest.fixture
def original(agent: Agent, shelf: Shelf) -> Run:
    made = ask(agent, "Where?", client=client(echo))
    assert shelf.asked == ["A", "B", "C"]
    shelf.asked.clear()
    return made


def gone_on(left: Fork, script: Any = echo, **options: Any) -> Run:
    """The whole branch: what was kept, and what came of it."""
    events = [*left.kept, *left.go_on(client=client(script), **options)]
    return Run(events, left.messages, left.max_steps)


def first_call(original: Run, at: int = 0) -> str:
    return original.outcomes[at].call.id


def test_another_result_is_what_the_model_reads_from_then_on(
    original: Run, agent: Agent, shelf: Shelf
) -> None:
    before = copy.deepcopy(original)
    branch = gone_on(fork(original, 1, NewResult(first_call(original), "A is lost"), agent=agent))
    assert shelf.asked == ["C"]
    assert branch.answer == "Where? Be short.: ['A is lost', 'B is shipped', 'C is shipped']"
    assert [event.step for event in branch.replies] == [1, 2, 3]
    assert check_run(branch) == []
    assert original == before


def test_a_result_can_become_an_error(original: Run, agent: Agent) -> None:
    change = NewResult(first_call(original), "no connection", is_error=True)
    branch = gone_on(fork(original, 1, change, agent=agent))
    assert branch.outcomes[0].status == "failed"
    assert branch.messages[2]["content"][0]["is_error"] is True
    assert "is_error" not in branch.messages[2]["content"][1]
    assert check_run(branch) == []


def test_another_input_runs_that_call_alone(original: Run, agent: Agent, shelf: Shelf) -> None:
    change = NewInput(first_call(original), {"order": "Z"})
    branch = gone_on(fork(original, 1, change, agent=agent))
    assert shelf.asked == ["Z", "C"]
    results = [block["content"] for block in branch.messages[2]["content"]]
    assert results == ["Z is shipped", "B is shipped"]
    assert branch.messages[1]["content"][0]["input"] == {"order": "Z"}
    assert original.messages[1]["content"][0]["input"] == {"order": "A"}
    assert check_run(branch) == []


def test_another_input_that_does_not_fit_is_answered_so(original: Run, agent: Agent) -> None:
    branch = gone_on(fork(original, 1, NewInput(first_call(original), {"n": 1}), agent=agent))
    assert branch.outcomes[0].status == "invalid_arguments"
    assert check_run(branch) == []


def test_another_question_begins_anew(original: Run, agent: Agent, shelf: Shelf) -> None:
    left = fork(original, 3, NewQuestion("When?"), agent=agent)
    assert left.kept == []
    assert gone_on(left).answer.startswith("When? Be short.")
    assert shelf.asked == ["A", "B", "C"]


def test_another_system_prompt_holds_from_the_step_on(
    original: Run, agent: Agent, shelf: Shelf
) -> None:
    branch = gone_on(fork(original, 2, NewSystem("Be kind."), agent=agent))
    assert shelf.asked == ["C"]
    assert branch.answer.startswith("Where? Be kind.")
    systems = [event.request["system"] for event in branch.replies]
    assert systems == ["Be short.", "Be kind.", "Be kind."]


def test_another_description_holds_from_the_step_on(original: Run, agent: Agent) -> None:
    branch = gone_on(fork(original, 3, NewDescription("look_up", "Find an order."), agent=agent))
    said = [event.request["tools"][0]["description"] for event in branch.replies]
    assert said == ["Look up.", "Look up.", "Find an order."]
    assert agent.toolbox["look_up"].description == "Look up."


def test_asking_again_changes_nothing(original: Run, agent: Agent, shelf: Shelf) -> None:
    for step in (1, 2, 3):
        branch = gone_on(fork(original, step, agent=agent))
        assert branch == original
    assert shelf.asked == ["A", "B", "C", "C"]


def test_the_context_is_that_of_the_step(original: Run, agent: Agent) -> None:
    left = fork(original, 2, agent=agent)
    assert left.context["orders"] == ["A", "B"]
    assert gone_on(left).events[-3].context["orders"] == ["A", "B", "C"]  # type: ignore[union-attr]
    assert fork(original, 1, agent=agent, context={"shop": 1}).context == {"shop": 1}


def test_a_branch_of_a_branch(original: Run, agent: Agent, shelf: Shelf) -> None:
    lost = gone_on(fork(original, 1, NewResult(first_call(original), "A is lost"), agent=agent))
    kind = gone_on(fork(lost, 3, NewSystem("Be kind."), agent=agent))
    assert kind.answer == "Where? Be kind.: ['A is lost', 'B is shipped', 'C is shipped']"
    again = gone_on(fork(kind, 3, agent=agent))
    assert again.replies[-1].request["system"] == "Be kind."
    assert shelf.asked == ["C"]


def test_a_destructive_call_needs_a_yes_here_too(original: Run) -> None:
    done = []

    @tool(destructive=True)
    def look_up(order: str) -> str:
        """Look up."""
        done.append(order)
        return "gone"

    agent = Agent("desk", "Be short.", [look_up])
    for approves, count in ((False, 0), (True, 2)):
        change = NewInput(first_call(original), {"order": "Z"})
        left = fork(original, 1, change, agent=agent)
        branch = gone_on(left, approve=lambda call, answer=approves: answer)
        assert len(done) == count
        assert check_run(branch) == []


def test_a_run_whose_agent_is_not_at_hand(original: Run, shelf: Shelf) -> None:
    change = NewInput(first_call(original), {"order": "Z"})
    absent = gone_on(fork(original, 1, change))
    assert absent.outcomes[0].status == "failed"
    assert "function of look_up is not here" in absent.outcomes[0].text
    assert absent.replies[1].request["tools"] == original.replies[1].request["tools"]
    there = gone_on(fork(original, 1, change, tools=[shelf.look_up]))
    assert there.outcomes[0].text == "Z is shipped"


def test_a_function_without_annotations_will_do(original: Run) -> None:
    def look_up(order):  # type: ignore[no-untyped-def]
        return f"{order} was found"

    change = NewInput(first_call(original), {"order": "Z"})
    branch = gone_on(fork(original, 1, change, tools=[look_up]))
    assert branch.outcomes[0].text == "Z was found"


def test_the_agent_that_was_handed_to_goes_on() -> None:
    def to_billing() -> Agent:
        """Hand over."""
        return Agent("billing", lambda context: "You pay.", [to_billing])

    desk = Agent("desk", "You answer.", [to_billing])
    script = [use("to_billing"), say("Paid."), say("Again.")]
    original = ask(desk, "Pay!", client=client(script))
    left = fork(original, 2, agent=desk)
    assert left.agent.name == "billing"
    assert callable(left.agent.instructions)
    assert gone_on(left, script).answer == "Paid."
    change = NewResult(original.outcomes[0].call.id, "nobody is there")
    assert fork(original, 1, change, agent=desk).agent.name == "desk"
    assert gone_on(fork(original, 1, change, agent=desk), script).replies[-1].agent == "desk"


def test_a_sibling_that_ended_the_run_still_ends_it() -> None:
    @tool(final=True)
    def finish() -> str:
        """Finish."""
        return "finished"

    def note() -> str:
        """Note."""
        return "noted"

    agent = Agent("desk", "", [finish, note])
    original = ask(agent, "go", client=client([both(use("note"), use("finish"))]))
    branch = gone_on(fork(original, 1, NewResult(first_call(original), "x"), agent=agent))
    assert branch.stopped is not None
    assert branch.stopped.reason == "final_tool"
    on = fork(original, 1, NewResult(first_call(original, 1), "x"), agent=agent)
    assert gone_on(on, [use("note"), say("on")]).answer == "on"


def test_the_limit_counts_the_steps_behind(agent: Agent) -> None:
    endless = [use("look_up", order=str(n)) for n in range(9)]
    original = ask(agent, "go", client=client(endless), max_steps=3)
    assert gone_on(fork(original, 2, agent=agent), endless).steps == 3
    change = NewResult(original.outcomes[-1].call.id, "x")
    assert gone_on(fork(original, 3, change, agent=agent), endless).steps == 4


def test_a_recorded_loop_can_be_branched_too(original: Run) -> None:
    recorder = record(client(echo))
    messages: list[Any] = [{"role": "user", "content": "Where?"}]
    definitions = original.replies[0].request["tools"]
    reply = recorder.client.messages.create(
        model=HAIKU, max_tokens=50, system="S.", tools=definitions, messages=messages
    )
    messages.append({"role": "assistant", "content": reply.to_dict()["content"]})
    first, second = (block.id for block in reply.content)  # type: ignore[union-attr]
    messages.append(
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": each, "content": "x"}
                for each in (first, second)
            ],
        }
    )
    recorder.client.messages.create(
        model=HAIKU, max_tokens=50, system="S.", tools=definitions, messages=messages
    )
    left = fork(recorder.run, 1, NewResult(first, "A is lost"))
    assert left.messages == messages[:1]
    assert left.agent.max_tokens == 50
    branch = gone_on(left)
    assert branch.messages[2]["content"][0]["content"] == "A is lost"
    assert branch.answer.startswith("Where? S.: ['A is lost', 'x', 'The function")


def test_what_cannot_be_changed_is_said(original: Run, agent: Agent) -> None:
    with pytest.raises(DefinitionError, match=r"no step 4 .* steps are 1 to 3"):
        fork(original, 4)
    with pytest.raises(DefinitionError, match="no call 'toolu_x'; its calls are: toolu_"):
        fork(original, 1, NewResult("toolu_x", ""), agent=agent)
    with pytest.raises(DefinitionError, match="no tool 'hammer' to describe; tools: look_up"):
        fork(original, 1, NewDescription("hammer", ""), agent=agent)
    with pytest.raises(DefinitionError, match="question cannot be empty"):
        fork(original, 1, NewQuestion(" "), agent=agent)
    broken = Run(
        [*original.events[:-2], original.events[-2]],
        original.messages,
    )
    broken.replies[-1].request["messages"][2:3] = []
    with pytest.raises(TranscriptError, match="cannot be sent"):
        fork(broken, 3, agent=agent)


def test_every_step_of_a_rich_run_can_be_left() -> None:
    original = shop_run()
    for event in original.replies:
        left = fork(original, event.step)
        assert refused(check_transcript(left.messages)) == []
        for call in calls_in(event.reply):
            changed = fork(original, event.step, NewResult(call.id, "x"))
            branch = gone_on(changed, [say("x")] * 9)
            assert check_transcript(branch.messages) == []


changes = st.sampled_from(["again", "question", "system", "result", "error", "input"])


@settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)
@given(script=scripts, step=st.integers(0, 9), which=changes, at=st.integers(0, 4))
def test_a_branch_of_any_run_can_always_be_sent(
    script: list[Any], step: int, which: str, at: int
) -> None:
    agent = Agent("first", "Help.", TOOLS)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    original = Run([], messages, 5)
    ending = (KeyboardInterrupt, SystemExit, anthropic.APIStatusError)
    with contextlib.suppress(*ending):
        original.events.extend(run(agent, messages, client=client(script), max_steps=5))
    if not original.replies:
        return
    asking = original.replies[step % len(original.replies)]
    change = change_of(which, asking, at)
    before = copy.deepcopy(messages)
    left = fork(original, asking.step, change, agent=agent)
    branch = Run(list(left.kept), left.messages, left.max_steps)
    with contextlib.suppress(*ending):
        for event in left.go_on(client=client(script)):
            branch.events.append(event)
            assert refused(check_transcript(branch.messages)) == []
    assert check_transcript(branch.messages) == []
    assert messages == before
    assert check_run(branch) == []


def change_of(which: str, asking: Replied, at: int) -> Change | None:
    calls = calls_in(asking.reply)
    if which == "question":
        return NewQuestion("Something else?")
    if which == "system":
        return NewSystem("Be kind.")
    if not calls or which == "again":
        return None
    call = calls[at % len(calls)]
    if which == "input":
        return NewInput(call.id, {"i": at})
    return NewResult(call.id, "changed", is_error=which == "error")
