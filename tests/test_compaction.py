"""Shorter transcripts that can still be sent."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab import Agent, AgentlabError, CallId, ask, check_run, check_transcript, client, record
from agentlab.errors import TranscriptError
from agentlab.history import compact, compacting, finish_step
from agentlab.history.compaction import OPENING
from agentlab.history.units import units_of
from agentlab.practice import refuse, say, think, use
from agentlab.safety import Ledger
from tests.practising import ADD, HAIKU, assistant, call, text, user

SUMMARY = "The sum so far is 7."


def result(call_id: str, content: str = "3", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def stepped(steps: int, question: str = "Add it all up.") -> list[dict[str, Any]]:
    """A question and `steps` steps, one call each."""
    messages = [user(question)]
    for number in range(steps):
        call_id = f"toolu_{number}"
        messages += [assistant(call(call_id)), user(result(call_id, f"result {number}"))]
    return messages


@st.composite
def transcripts(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Questions, steps with one to three calls, results in one or several messages, answers."""
    messages, number = [], 0
    for _ in range(draw(st.integers(1, 3))):
        messages.append(user(f"question {number}"))
        for _ in range(draw(st.integers(0, 4))):
            ids = [f"toolu_{number}_{n}" for n in range(draw(st.integers(1, 3)))]
            number += 1
            thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
            before = draw(st.sampled_from([[], [text("Let me see.")], [thinking]]))
            messages.append(assistant(*before, *(call(i) for i in ids)))
            if draw(st.booleans()):
                messages.append(user(*(result(i) for i in ids)))
            else:
                messages += [user(result(i)) for i in ids]
        number += 1
        messages.append(assistant(f"answer {number}"))
    if draw(st.booleans()):
        messages.append(user("one more question"))
    return messages


# --- what stays


@given(transcripts(), st.integers(1, 4))
@settings(max_examples=150)
def test_any_transcript_stays_sendable_and_keeps_its_end(
    messages: list[dict[str, Any]], keep_steps: int
) -> None:
    handed_in = copy.deepcopy(messages)
    made = compact(messages, client=client([say(SUMMARY)]), keep_steps=keep_steps)
    assert messages == handed_in
    assert not [v for v in check_transcript(made.messages) if v.api_text]
    assert made.messages[len(made.messages) - made.kept :] == messages[len(messages) - made.kept :]
    steps = [unit for unit in units_of(made.messages) if unit.kind == "step"]
    if made.left_out:
        assert len(steps) == keep_steps
        assert made.messages[0]["content"][0]["text"].endswith(SUMMARY)
    else:
        assert made.messages == messages


@given(transcripts(), st.integers(1, 4))
@settings(max_examples=100)
def test_the_last_question_stays_word_for_word(
    messages: list[dict[str, Any]], keep_steps: int
) -> None:
    made = compact(messages, client=client([say(SUMMARY)]), keep_steps=keep_steps)
    said = [m["content"] for m in messages if m["role"] == "user" and isinstance(m["content"], str)]
    assert said[-1] in str(made.messages)


def test_a_call_and_its_result_go_together_or_stay_together() -> None:
    made = compact(stepped(6), client=client([say(SUMMARY)]), keep_steps=2)
    assert [unit.kind for unit in units_of(made.messages)] == ["said", "step", "step"]
    assert made.messages[0]["content"] == [text(f"{OPENING}\n{SUMMARY}"), text("Add it all up.")]
    assert made.left_out == stepped(6)[1:9]
    assert "result 3" not in str(made.messages)
    assert "result 4" in str(made.messages)


def test_a_short_transcript_is_left_alone_and_costs_nothing() -> None:
    made = compact(stepped(3), client=client([]), keep_steps=3)
    assert (made.messages, made.left_out, made.usage) == (stepped(3), [], {})


def test_the_model_is_shown_what_goes_and_nothing_else() -> None:
    recorder = record(client([say(SUMMARY)]))
    messages = stepped(4)
    messages[2]["content"][0].update(is_error=True, content="no such number")
    made = compact(messages, client=recorder.client, keep_steps=1, sentences=3)
    (exchange,) = recorder.exchanges
    shown = exchange.request["messages"][0]["content"]
    assert shown.splitlines()[:2] == [
        "assistant called add(a=1, b=2)",
        "add failed: no such number",
    ]
    assert "result 2" in shown
    assert "result 3" not in shown
    assert "at most 3 sentences" in exchange.request["system"]
    counted = exchange.answer["usage"]
    assert made.usage == {name: counted[name] for name in ("input_tokens", "output_tokens")}


def test_compacted_again_the_old_summary_is_summed_up_with_the_rest() -> None:
    once = compact(stepped(5), client=client([say("first summary")]), keep_steps=2).messages
    longer = [*once, assistant(call("toolu_9")), user(result("toolu_9"))]
    recorder = record(client([say("second summary")]))
    twice = compact(longer, client=recorder.client, keep_steps=1).messages
    assert "first summary" in recorder.exchanges[0].request["messages"][0]["content"]
    assert [block["text"] for block in twice[0]["content"]] == [
        f"{OPENING}\nsecond summary",
        "Add it all up.",
    ]


def test_a_question_that_was_answered_is_summed_up_too() -> None:
    messages = [*stepped(3, "First?"), assistant("7."), user("Second?"), assistant("8.")]
    made = compact(messages, client=client([say(SUMMARY)]), keep_steps=1)
    assert made.left_out == messages[:-2]
    assert made.messages[0]["content"] == [text(f"{OPENING}\n{SUMMARY}"), text("Second?")]
    assert made.messages[1:] == [assistant("8.")]


def test_system_messages_in_the_middle_are_rules_and_stay() -> None:
    rule = {"role": "system", "content": "From now on, round to tens."}
    messages = [*stepped(2), rule, assistant("3."), user("And now?"), assistant("10.")]
    made = compact(messages, client=client([say(SUMMARY)]), keep_steps=1)
    assert made.messages[1:] == [rule, assistant("10.")]
    assert rule not in made.left_out


# --- what cannot be done


@pytest.mark.parametrize("reply", [refuse(), say(""), say("  "), think("hm")])
def test_without_a_summary_nothing_is_changed(reply: Any) -> None:
    messages = stepped(5)
    with pytest.raises(AgentlabError, match="gave no summary"):
        compact(messages, client=client([reply]))
    assert messages == stepped(5)


def test_a_transcript_that_cannot_be_sent_is_refused() -> None:
    with pytest.raises(TranscriptError, match="unanswered_call"):
        compact(stepped(5)[:-1], client=client([]))


def test_at_least_one_step_is_kept() -> None:
    with pytest.raises(AgentlabError, match="1 or more, found 0"):
        compact(stepped(2), client=client([]), keep_steps=0)


# --- a client that sends less


def add(a: int, b: int) -> str:
    """Add two numbers.

    Args:
        a: one.
        b: the other.
    """
    return f"{a + b}, which is the sum of {a} and {b}. " * 20


def answering(request: dict[str, Any]) -> Any:
    """Twelve calls and an answer, and a summary for whoever asks for one."""
    if not request.get("tools"):
        return say(SUMMARY)
    last = str(request["messages"][-1]["content"])
    number = int(last.split("which is the sum of ")[1].split()[0]) if "the sum of" in last else 0
    return use("add", a=number + 1, b=1, id=f"toolu_{number}") if number < 12 else say("done")


def test_a_compacting_client_sends_less_and_the_transcript_stays_whole() -> None:
    api = client(answering)
    recorder = record(api)
    sending = compacting(recorder.client, budget=1_500, keep_steps=2)
    run = ask(Agent("adder", "", [add]), "Add.", client=sending, max_steps=20)
    plain = ask(Agent("adder", "", [add]), "Add.", client=api, max_steps=20)
    assert run.answer == plain.answer == "done"
    assert run.messages == plain.messages
    assert check_run(run) == []
    sent = [each for each in recorder.exchanges if each.request.get("tools")]
    assert len(sent) == run.steps
    most = max(each.answer["usage"]["input_tokens"] for each in sent)
    assert most <= 1_500 < plain.replies[-1].reply["usage"]["input_tokens"]
    summaries = [each for each in recorder.exchanges if not each.request.get("tools")]
    assert 1 < len(summaries) < run.steps / 2, "a summary is used for several requests"
    assert run.usage["input_tokens"] < plain.usage["input_tokens"]


def test_a_compacting_client_serves_the_sdks_tool_runner() -> None:
    from anthropic import beta_tool

    sending = compacting(client(answering), budget=1_500, keep_steps=2)
    runner = sending.beta.messages.tool_runner(
        model=HAIKU,
        max_tokens=500,
        tools=[beta_tool(add)],
        messages=[user("Add.")],
        max_iterations=20,
        thread=False,
    )
    assert runner.until_done().content[0].text == "done"


def test_a_request_within_the_budget_is_sent_as_it_is() -> None:
    recorder = record(client(lambda request: say("ok")))
    sending = compacting(recorder.client, budget=100_000)
    sending.messages.create(model=HAIKU, max_tokens=10, messages=stepped(5), tools=[ADD])
    assert recorder.exchanges[0].request["messages"] == stepped(5)


def test_two_conversations_over_one_client_do_not_mix() -> None:
    recorder = record(client(lambda request: say("short")))
    sending = compacting(recorder.client, budget=300, keep_steps=1)
    for question in ("First.", "Second.", "First."):
        messages = stepped(20, question)
        sending.messages.create(model=HAIKU, max_tokens=10, messages=messages, tools=[ADD])
        assert question in str(recorder.exchanges[-1].request["messages"])


# --- a step that was never finished


def test_an_open_call_is_carried_out_under_its_own_id() -> None:
    ledger, paid = Ledger(), []

    def pay(amount: int, call_id: CallId) -> str:
        """Pay.

        Args:
            amount: how much.
            call_id: the call.
        """
        return str(ledger.once(call_id, lambda: paid.append(amount) or f"paid {amount}"))

    desk = Agent("desk", "", [pay])
    saved = [user("Pay 5."), assistant(call("toolu_7", name="pay", input={"amount": 5}))]
    for _ in range(2):  # the process died before the first result was saved
        messages = copy.deepcopy(saved)
        (outcome,) = finish_step(desk, messages)
        assert outcome.text == "paid 5"
        assert check_transcript(messages) == []
    assert paid == [5]
    ledger.close()


def test_nothing_is_open_in_a_finished_transcript() -> None:
    messages = stepped(2)
    assert finish_step(Agent("a"), messages) == []
    assert messages == stepped(2)


def test_a_broken_transcript_is_not_finished() -> None:
    broken = [assistant(call("toolu_1"))]
    with pytest.raises(TranscriptError):
        finish_step(Agent("a"), broken)
    assert broken == [assistant(call("toolu_1"))]
