"""The Stepper without a browser: what it sends, what it says, what it writes, what it refuses."""

import json
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest
from practice_tools import calls, play
from stepper_loops import DESK, RAN, api, cancelling, endless_loop, failing_loop, my_loop
from stepper_runs import (
    HOSTILE,
    broken_runs,
    get_order_status,
    long_run,
    refund,
    refused_run,
    shop_run,
    small_run,
)

from agentlab import Agent, Run, Stepper, ask, client, record
from agentlab.branching import NewResult, NewSystem
from agentlab.errors import RecordingError
from agentlab.loop import NEXT_ACTION
from agentlab.practice import overloaded, say
from agentlab.views.page import write_page
from agentlab.views.payload import LONGEST_RESULT, changed, payload_of, plain
from agentlab.views.stepper import WIDGET, StaticStepper
from agentlab.views.words import WHAT_TO_DO, said, sentence

PROJECT = Path(__file__).resolve().parent.parent
BROKEN = broken_runs()

each_broken_run = pytest.mark.parametrize("name", BROKEN)


def merged(old: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """What the page does with a change."""
    kept = {name: value for name, value in old.items() if name not in change.get("-", ())}
    for name, value in change.items():
        if name != "-":
            inner = isinstance(value, dict) and isinstance(old.get(name), dict)
            kept[name] = merged(old[name], value) if inner else value
    return kept


def filled_in(payload: dict[str, Any]) -> list[dict[str, Any]]:
    """The events with what goes without saying, as the page puts it in."""
    filled: list[dict[str, Any]] = []
    request, reply, call, result = 0, 0, [0, -1], [0, -1]
    for event in payload["events"]:
        event = dict(event)
        if event["kind"] in ("replied", "failed", "asking"):
            event["request"] = request = event["request"] if "request" in event else request + 2
        if event["kind"] == "replied":
            length = len(messages_at(request, payload["messages"]))
            reply = event.get("shown", event["reply"].get("content", length))
            call, result = [reply, -1], [reply + 1, -1]
        if event["kind"] == "tool_called":
            blocks = payload["messages"][call[0]]["content"]
            kinds = [each["type"] for each in blocks]
            usual = kinds.index("tool_use", call[1] + 1) if "call" not in event else 0
            call = event.setdefault("call", [call[0], usual])
        if event["kind"] == "tool_returned":
            result = event.setdefault("result", [result[0], result[1] + 1])
        filled.append(event)
    return filled


def messages_at(places: Any, pool: list[Any]) -> list[Any]:
    ranges = [[0, places]] if isinstance(places, int) else places
    return [message for start, end in ranges for message in pool[start:end]]


# --- the payload


def test_every_request_and_reply_can_be_put_together_again() -> None:
    run = shop_run()
    payload = payload_of(run)
    settings: list[dict[str, Any]] = []
    for change in payload["settings"]:
        settings.append(merged(settings[-1] if settings else {}, change))
    reply: dict[str, Any] = {}
    current = 0
    rebuilt = []
    for event in filled_in(payload):
        current = event.get("settings", current)
        if event["kind"] == "replied":
            messages = messages_at(event["request"], payload["messages"])
            reply = merged(reply, event["reply"])
            place = event["reply"].get("content", len(messages))
            content = payload["messages"][place]["content"]
            rebuilt.append(
                ({**settings[current], "messages": messages}, {**reply, "content": content})
            )
    assert rebuilt == [(event.request, event.reply) for event in run.replies]


@pytest.mark.parametrize("turns", [200, 2000])
def test_a_long_run_is_sent_once(turns: int) -> None:
    run = long_run(turns)
    sent, transcript = len(json.dumps(payload_of(run))), len(json.dumps(run.messages))
    assert sent < 1.3 * transcript


def test_a_history_that_was_shortened_is_sent_once_too() -> None:
    run = long_run(100)
    events = list(run.events)
    short = [{"role": "user", "content": "In short: 50 orders."}, *run.messages[101:]]
    replies = [event for event in events if event.kind == "replied"]
    for event in replies[60:]:
        kept = short[: 1 + len(event.request["messages"]) - 101]
        event.request["messages"] = kept
    payload = payload_of(Run(events, short))
    assert len(json.dumps(payload)) < 1.5 * len(json.dumps(run.messages))
    last = [event for event in filled_in(payload) if event["kind"] == "replied"][-1]
    assert messages_at(last["request"], payload["messages"]) == replies[-1].request["messages"]


def test_calls_are_joined_with_results_by_id() -> None:
    payload = payload_of(shop_run())
    pool = payload["messages"]
    asked = []
    for event in filled_in(payload):
        if event["kind"] == "tool_called":
            message, block = event["call"]
            asked.append(pool[message]["content"][block]["id"])
        if event["kind"] == "tool_returned":
            message, block = event["result"]
            assert pool[message]["content"][block]["tool_use_id"] == asked[-1]
    assert len(asked) == len(set(asked)) == 9


def test_the_input_of_a_call_is_set_against_the_schema() -> None:
    events = payload_of(shop_run())["events"]
    misfits = [event.get("misfits") for event in events if event["kind"] == "tool_called"]
    assert misfits[0] is None
    assert misfits[1] == ['input: "cents" is a required property']
    assert misfits[2:4] == [None, None]
    assert misfits[4] == ["no tool of this request is named no_tool"]


def test_every_argument_that_does_not_fit_is_named() -> None:
    wrong = {"order_id": 17, "cents": "x" * 500, "extra": True}
    run = play([calls(("refund", wrong)), say("x")], [refund])
    (event,) = [e for e in payload_of(run)["events"] if e["kind"] == "tool_called"]
    about = [misfit.split(":")[0] for misfit in event["misfits"]]
    assert sorted(about) == ["cents", "input", "order_id"]
    assert all(len(misfit) < 300 for misfit in event["misfits"])


def test_a_schema_that_no_validator_can_use_is_said() -> None:
    run = long_run(1)
    run.replies[0].request["tools"] = [{"name": "get_order_status", "input_schema": {"type": 5}}]
    (called,) = [e for e in payload_of(run)["events"] if e["kind"] == "tool_called"]
    assert called["misfits"][0].startswith("the tool's schema cannot be used")


def test_context_agent_and_status_are_told_when_they_change() -> None:
    events = payload_of(shop_run())["events"]
    assert [e["agent"] for e in events if "agent" in e] == ["desk", "billing"]
    assert [e["context"] for e in events if "context" in e] == [{"last_order": "A-17"}]
    assert {e["status"] for e in events if e["kind"] == "tool_returned" and "status" in e} == {
        "failed",
        "unknown_tool",
        "invalid_arguments",
        "denied",
        "not_run",
    }
    assert [e["printed"] for e in events if "printed" in e] == ["looking for A-17\n"]


def test_broken_rules_are_told_at_the_event_where_they_show() -> None:
    whole = small_run(2)
    messages = [*whole.messages[:2], *whole.messages[3:]]
    (broken, *_) = [
        each
        for each in payload_of(Run(whole.events, messages))["broken"]
        if each["rule"] == "unanswered_call"
    ]
    assert broken["event"] == 0
    assert "no tool_result answers" in broken["problem"]
    assert payload_of(whole)["broken"] == []


def test_long_results_are_cut_in_a_long_run_alone() -> None:
    small = payload_of(small_run(result="x" * 10_000))
    assert small["cut"] == {}
    large = payload_of(small_run(result="x" * 10_000, turns=30))
    assert set(large["cut"].values()) == {10_000}
    assert len(large["messages"][2]["content"][0]["content"]) == LONGEST_RESULT


def test_cutting_the_view_leaves_the_run_as_it_is() -> None:
    run = small_run(result="x" * 10_000, turns=30)
    before = json.dumps(run.messages)
    payload_of(run)
    assert json.dumps(run.messages) == before


def test_pictures_in_results_are_cut_too() -> None:
    run = long_run(30, letters=10_000)
    picture = {"type": "image", "source": {"type": "base64", "data": "A" * 300_000}}
    run.messages[2]["content"][0]["content"] = [picture]
    assert len(json.dumps(payload_of(run))) < 250_000


def test_plain_data_is_what_a_browser_reads_without_loss() -> None:
    strange = {1: float("inf"), "n": 2**60, "half": "\ud800", "t": (1, None, True), "set": {1}}
    assert json.loads(json.dumps(plain(strange), allow_nan=False)) == {
        "1": "inf",
        "n": str(2**60),
        "half": "?",
        "t": [1, None, True],
        "set": "{1}",
    }


def test_a_change_can_take_away_and_reach_inside() -> None:
    old = {"a": 1, "b": {"c": 1, "d": 2}, "e": None}
    new = {"b": {"c": 1, "d": 3}, "e": 5}
    assert changed(new, old) == {"b": {"d": 3}, "e": 5, "-": ["a"]}
    assert merged(old, changed(new, old)) == new
    assert changed(old, old) == {}


def test_each_stop_reason_comes_with_what_to_do() -> None:
    assert set(WHAT_TO_DO) == set(NEXT_ACTION.values())
    assert set(payload_of(small_run())["next"]) == set(NEXT_ACTION)


def test_cost_is_told_where_the_price_is_known() -> None:
    run = small_run()
    payload = payload_of(run)
    assert not [event for event in payload["events"] if "cost" in event]
    ((sent, written),) = payload["rates"].values()
    usage = run.usage
    cost = (usage["input_tokens"] * sent + usage["output_tokens"] * written) / 1e6
    assert cost == pytest.approx(run.cost)
    run.replies[0].reply["usage"]["cache_read_input_tokens"] = 1_000_000
    assert payload_of(run)["events"][0]["cost"] > 0.05
    for reply in run.replies:
        reply.request["model"] = "some-local-model"
    assert payload_of(run)["rates"] == {}
    assert "cost" not in payload_of(run)["events"][0]


def test_a_static_stepper_can_be_steered_too(nothing_ran: None) -> None:
    stepper = StaticStepper(DESK, "Where is order A-17?", api())
    stepper.next()
    assert stepper.is_over
    stepper.fork(1, NewResult(stepper.run.outcomes[0].call.id, "lost"))
    assert stepper.run.outcomes[0].text == "lost"
    stepper.show(0)
    assert stepper.run.outcomes[0].text == "shipped"
    assert RAN == ["status A-17"]


def test_a_run_that_has_not_begun_says_what_it_waits_for() -> None:
    bundle = Stepper(my_loop, "Where is <order> A-17?", api())._repr_mimebundle_()[0]
    assert (
        bundle["text/plain"] == "Stepper: no event yet; Next begins with 'Where is <order> A-17?'"
    )
    assert "Where is &lt;order&gt; A-17?" in bundle["text/html"]


def test_the_page_behind_a_long_stepper_is_short() -> None:
    html = Stepper(long_run(60))._repr_mimebundle_()[0]["text/html"]
    assert html.count("<summary>") == 20
    assert "40 more steps" in html


# --- words


def test_each_event_in_words() -> None:
    words = [said(event) for event in shop_run().events]
    assert words[0] == "the model asked for get_order_status and refund"
    assert words[1] == "get_order_status is called"
    assert words[2].startswith("get_order_status returned 'order A-17 was shipped on Monday")
    for beginning in (
        "the input of refund did not fit: 'Invalid arguments",
        "refund failed with 'ValueError: this order was refunded before'",
        "cancel was denied: 'Not run",
        "there is no tool no_tool: '",
        "the model said nothing",
        "the model said nothing and is asked to go on",
        "desk handed over to billing",
        "refund was not run: '",
        "the model answered '<img",
    ):
        assert any(each.startswith(beginning) for each in words), beginning
    assert said(refused_run().events[0]) == "the API answered 529: 'Overloaded'"


def test_the_stepper_as_a_sentence() -> None:
    run = small_run(result="shipped")
    assert sentence(run, 2) == "Stepper: event 3 of 5, look_up returned 'shipped'"
    long = small_run(result="shipped\n on  " + "x" * 100)
    assert said(long.events[2]) == f"look_up returned 'shipped on {'x' * 49}…'"
    assert repr(Stepper(run, position=2)) == sentence(run, 2)
    assert repr(Stepper(Run())) == "Stepper: no event, nothing has happened in this run yet"


def test_the_position_stays_inside_the_run() -> None:
    stepper = Stepper(small_run(), position=99)
    assert stepper.position == 4
    stepper.position = -3
    assert stepper.position == 0
    assert "event 1 of 5" in repr(stepper)


# --- in a notebook


def test_one_bundle_holds_the_widget_and_what_stands_in_for_it() -> None:
    data, _ = Stepper(shop_run())._repr_mimebundle_()
    assert set(data) == {WIDGET, "text/html", "text/plain"}
    assert "0x" not in data["text/plain"]
    assert "<script" not in data["text/html"]
    assert "<details" in data["text/html"]


def test_the_bundle_is_the_same_every_time_but_for_the_widgets_id() -> None:
    bundles = [Stepper(shop_run())._repr_mimebundle_()[0] for _ in range(2)]
    for bundle in bundles:
        del bundle[WIDGET]
    assert bundles[0] == bundles[1]


def test_one_variable_drops_the_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTLAB_WIDGETS", "0")
    assert set(Stepper(small_run())._repr_mimebundle_()) == {"text/html", "text/plain"}


def test_a_page_that_asks_hears_of_the_kernel() -> None:
    stepper = Stepper(small_run())
    sent: list[Any] = []
    stepper.send = sent.append
    stepper._handle_custom_msg({"ping": 7}, [])
    stepper._handle_custom_msg({"other": 7}, [])
    assert sent == [{"pong": 7}]


def test_a_recorder_and_a_saved_file_are_stepped(tmp_path: Path) -> None:
    recorder = record(client([calls(("get_order_status", {"order_id": "A-1"})), say("x")]))
    run = ask(Agent("desk", "", [get_order_status]), "go", client=recorder.client)
    assert "of 5" in repr(Stepper(recorder))
    run.save(tmp_path / "run.jsonl")
    for path in (tmp_path / "run.jsonl", str(tmp_path / "run.jsonl")):
        assert Stepper(path).payload == Stepper(run).payload


def test_what_is_no_run_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="takes a Run, a recorder, the path of a saved run"):
        Stepper([{"role": "user", "content": "go"}])  # type: ignore[arg-type]
    (tmp_path / "notes.txt").write_text("notes", encoding="utf-8")
    with pytest.raises(RecordingError, match="is not a saved run"):
        Stepper(tmp_path / "notes.txt")


@each_broken_run
def test_a_broken_run_is_shown_as_it_is(name: str, tmp_path: Path) -> None:
    run = BROKEN[name]
    stepper = Stepper(run)
    data, _ = stepper._repr_mimebundle_()
    assert data["text/plain"].startswith("Stepper: ")
    json.dumps(stepper.payload, allow_nan=False).encode("utf-8")
    if name != "large":
        assert stepper.payload["broken"] or name in ("empty", "only a question", "unknown block")
    write_page(run, tmp_path / "page.html")


def test_a_large_result_is_cut_for_the_view() -> None:
    assert len(json.dumps(payload_of(BROKEN["large"]))) < 20_000


# --- a page of its own


def test_a_page_needs_nothing_else_and_holds_no_foreign_markup(tmp_path: Path) -> None:
    write_page(shop_run(), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert HOSTILE not in page
    assert "<img" not in page
    assert page.count("<script") == page.count("</script>") == 2
    assert "export default" not in page
    for outside in ("http://", "https://", "import(", "@import"):
        assert outside not in page


# --- where there are no widgets


def test_without_anywidget_the_run_is_text_and_html() -> None:
    code = (
        "import sys\n"
        "sys.modules['anywidget'] = sys.modules['ipywidgets'] = None\n"
        "import agentlab.views\n"
        "from agentlab import Run, Stepper\n"
        "stepper = Stepper(Run())\n"
        "print(stepper)\n"
        "bundle = stepper._repr_mimebundle_()\n"
        "print(sorted(bundle), 'pip install' in bundle['text/plain'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == "Stepper: no event, nothing has happened in this run yet"
    assert second == "['text/html', 'text/plain'] True"


def test_the_static_stepper_says_how_to_get_the_buttons() -> None:
    stepper = StaticStepper(small_run(), position=1)
    bundle = stepper._repr_mimebundle_()
    assert repr(stepper) == "Stepper: event 2 of 5, look_up is called"
    assert "agentlab[lab]" in bundle["text/html"]


def test_the_other_views_do_not_load_the_widgets() -> None:
    code = "import sys, agentlab.views; assert not {'anywidget', 'ipywidgets'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_wheel_carries_the_script_and_the_style_sheet(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"agentlab/views/stepper.js", "agentlab/views/stepper.css"} <= set(names)


# --- live


@pytest.fixture
def nothing_ran() -> None:
    RAN.clear()


def far(stepper: Any) -> Any:
    """A stepper whose run has come to its end, each destructive call with a yes."""
    while not stepper.session["over"]:
        if stepper.session["undecided"]:
            stepper.approve()
        else:
            stepper.next()
    return stepper


def command(stepper: Any, name: str, **values: Any) -> Any:
    """What a page's command is answered with."""
    answers: list[Any] = []
    stepper.send = answers.append
    stepper._receive(stepper, {"command": name, "id": 7, **values}, [])
    (answer,) = answers
    assert answer["answer"] == 7
    return answer["problem"]


def test_an_agents_run_begins_with_the_first_next() -> None:
    stepper = Stepper(DESK, "Where is order A-17?", api())
    assert repr(stepper) == "Stepper: no event yet; Next begins with 'Where is order A-17?'"
    assert stepper.payload["events"] == []
    assert stepper.session["question"] == "Where is order A-17?"
    stepper.next()
    assert repr(stepper) == "Stepper: event 1 of 1, the model asked for get_order_status"
    far(stepper)
    assert stepper.run == ask(DESK, "Where is order A-17?", client=api())
    assert stepper.run.answer == "It was shipped."
    assert stepper.payload["broken"] == []


def test_no_rule_is_called_broken_while_a_step_is_at_work() -> None:
    for source in (DESK, my_loop):
        stepper = Stepper(source, "Where is order A-17?", api())
        while not stepper.session["over"]:
            stepper.next()
            assert stepper.payload["broken"] == []


def test_the_view_goes_to_the_first_new_event() -> None:
    stepper = Stepper(my_loop, "Where is order A-17?", api())
    seen = []
    while not stepper.session["over"]:
        stepper.next()
        seen.append((stepper.position, [event["kind"] for event in stepper.payload["events"]][-1]))
    assert seen == [
        (0, "asking"),
        (0, "tool_called"),
        (2, "asking"),
        (3, "replied"),
        (4, "stopped"),
    ]
    assert stepper.returned == "It was shipped."
    assert stepper.printed == "1 call\n"


def test_approving_and_denying(nothing_ran: None) -> None:
    for answer, status in (("approve", "ran"), ("deny", "denied"), ("next", "denied")):
        stepper = Stepper(DESK, "Cancel A-17", cancelling())
        with pytest.raises(RuntimeError, match="No destructive call is waiting"):
            stepper.approve()
        while not stepper.session["undecided"]:
            stepper.next()
        assert stepper.session["undecided"]["name"] == "cancel"
        getattr(stepper, answer)()
        assert stepper.run.outcomes[-1].status == status
    assert RAN.count("cancel A-17") == 1


def test_a_branch_stands_beside_the_run(nothing_ran: None, tmp_path: Path) -> None:
    stepper = far(Stepper(DESK, "Where is order A-17?", api()))
    original = stepper.run
    call = original.outcomes[0].call.id
    stepper.fork(1, NewResult(call, "lost"))
    assert stepper.position == 2
    assert [each["change"] for each in stepper.branches] == [
        "the run as it was",
        "another result of get_order_status",
    ]
    assert (stepper.branches[1]["parent"], stepper.branches[1]["step"]) == (0, 1)
    assert stepper.others["0"]["headline"].startswith("Run: 2 steps")
    far(stepper)
    assert stepper.run.outcomes[0].text == "lost"
    assert RAN == ["status A-17"]
    stepper.show(0)
    assert stepper.run == original
    stepper.save(tmp_path / "run.jsonl")
    assert Run.load(tmp_path / "run.jsonl") == original
    stepper.show(1)
    stepper.fork(2, NewSystem("Be kind."))
    assert [each["parent"] for each in stepper.branches] == [None, 0, 1]
    assert set(stepper.others) == {"0", "1"}
    with pytest.raises(IndexError, match="no branch 9; there are 0 to 2"):
        stepper.show(9)


def test_a_recorded_and_a_saved_run_can_be_branched(tmp_path: Path) -> None:
    run = ask(DESK, "Where is order A-17?", client=api())
    run.save(tmp_path / "run.jsonl")
    stepper = Stepper(tmp_path / "run.jsonl", client=api())
    assert stepper.session == {**stepper.session, "kind": "recorded", "over": True}
    stepper.fork(1)
    far(stepper)
    assert "is not here" in stepper.run.outcomes[0].text
    stepper = Stepper(run, client=api(), tools=DESK.tools)
    stepper.fork(1)
    assert far(stepper).run == run


def test_what_a_page_asks_for(nothing_ran: None) -> None:
    stepper = Stepper(DESK, "Cancel A-17", cancelling())
    assert command(stepper, "approve") == "No destructive call is waiting for a decision here."
    for _ in range(4):
        assert command(stepper, "next") is None
    assert command(stepper, "approve") is None
    assert RAN == ["status A-17", "cancel A-17"]
    first = stepper.run.outcomes[0].call.id
    for change in (
        None,
        {"kind": "question", "text": "Where is B-2?"},
        {"kind": "system", "text": "Be kind."},
        {"kind": "description", "tool": "cancel", "text": "Stop an order."},
        {"kind": "input", "call": first, "input": {"order_id": "B-2"}},
        {"kind": "result", "call": first, "text": "no line", "is_error": True},
    ):
        assert command(stepper, "show", branch=0) is None
        assert command(stepper, "fork", step=1, change=change) is None
    assert len(stepper.branches) == 7
    assert [each["change"] for each in stepper.branches[1:]] == [
        "asked again",
        "another question",
        "another system prompt",
        "another description of cancel",
        "another input of get_order_status",
        "another result of get_order_status",
    ]
    assert stepper.run.outcomes[0].status == "failed"
    assert "which is no command" in command(stepper, "dance")
    assert "which there is not" in command(stepper, "fork", step=1, change={"kind": "moon"})
    assert "no step 9" in command(stepper, "fork", step=9, change=None)
    assert command(stepper, "stop") is None
    assert stepper.session["over"]


def test_a_command_comes_from_where_the_page_is() -> None:
    stepper = far(Stepper(DESK, "Where is order A-17?", api()))
    assert command(stepper, "show", branch=0, position=2) is None
    assert stepper.position == 2


def test_an_exception_is_shown_and_there_to_read() -> None:
    stepper = far(Stepper(failing_loop, "go", client([say("hello")])))
    assert isinstance(stepper.exception, KeyError)
    assert stepper.session["error"]["text"] == "KeyError: 'order_id'"
    assert "in failing_loop" in stepper.session["error"]["traceback"]
    assert "stepping.py" not in stepper.session["error"]["traceback"]
    refused = far(Stepper(DESK, "go", client([overloaded()] * 9)))
    assert "529" in refused.session["error"]["text"]


def test_closing_ends_the_thread() -> None:
    for loop in (my_loop, endless_loop):
        stepper = Stepper(loop, "go", api())
        stepper._branches.steps.advance()
        stepper.close()
        assert [each for each in threading.enumerate() if each.name.startswith("agentlab-")] == []


def test_what_has_no_question_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"Stepping through desk needs a question, and None is none"
    ):
        Stepper(DESK)
    with pytest.raises(TypeError, match="Stepping through my_loop needs a question"):
        Stepper(my_loop, " ", api())


def test_without_widgets_a_live_run_is_run_to_its_end(tmp_path: Path) -> None:
    for source in (DESK, my_loop):
        static = StaticStepper(source, "Where is order A-17?", api())
        assert static.run.answer == "It was shipped."
    static.save(tmp_path / "run.html")
    assert "<title>Run(2 steps" in (tmp_path / "run.html").read_text("utf-8")
    with pytest.raises(KeyError):
        StaticStepper(failing_loop, "go", client([say("hello")]))


def test_a_run_writes_its_own_page(tmp_path: Path) -> None:
    small_run().to_html(tmp_path / "run.html")
    far(Stepper(DESK, "Where is order A-17?", api())).save(tmp_path / "same.html")
    for name in ("run", "same"):
        assert "render({ model: page" in (tmp_path / f"{name}.html").read_text("utf-8")


def test_times_are_told_in_the_view_and_not_in_the_fallback() -> None:
    run = ask(DESK, "Where is order A-17?", client=api())
    events = payload_of(run)["events"]
    assert [event["kind"] for event in events if "ms" in event] == [
        "replied",
        "tool_returned",
        "replied",
    ]
    fallback = Stepper(run)._repr_mimebundle_()[0]
    for _ in range(3):
        again = Stepper(ask(DESK, "Where is order A-17?", client=api()))._repr_mimebundle_()[0]
        assert again["text/html"] == fallback["text/html"]
        assert again["text/plain"] == fallback["text/plain"]
