"""Consumers see a run's events as they happen, and neither change it nor stop it."""

import json
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anthropic
import pytest
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, SpanContext, StatusCode, TraceFlags
from practice_tools import calls

from agentlab import Agent, client, run
from agentlab.consumers import Consumer, print_events, spans, tee, to_json_lines
from agentlab.errors import ConfigurationError
from agentlab.events import Event, timed
from agentlab.practice import Turn, overloaded, say, use


def double(number: int) -> int:
    """Double a number."""
    if number < 0:
        raise ValueError("negative")
    return 2 * number


def playing(*turns: Turn, tools: Any = (double,), **options: Any) -> Iterator[Event]:
    """The events of a run against written turns."""
    agent = Agent("tester", "Help.", list(tools))
    return run(agent, [{"role": "user", "content": "go"}], client=client(turns), **options)


def one_call() -> Iterator[Event]:
    return playing(use("double", number=2), say("It is 4."))


def failing() -> Iterator[Event]:
    """A run whose second request fails for good."""
    return playing(use("double", number=2), *[overloaded()] * 3)


class Seen:
    """A consumer that keeps what it sees, and how the events ended."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.ended = ""

    def __call__(self, events: Iterator[Event]) -> Iterator[Event]:
        try:
            for event in events:
                self.events.append(event)
                yield event
            self.ended = "over"
        except anthropic.APIError as error:
            self.ended = type(error).__name__
            raise


# --- a display and a log


def test_print_events_prints_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    events = list(print_events(playing(use("double", number=2), say(""), say("It\nis 4. " * 30))))
    lines = capsys.readouterr().out.splitlines()
    assert events == list(playing(use("double", number=2), say(""), say("It\nis 4. " * 30)))
    assert lines[:3] == [
        "  1  replied        tester: tool_use",
        "  1  tool_called    double(number=2)",
        "  1  tool_returned  double: ran 4",
    ]
    assert (
        lines[4]
        == "  2  reminded       Your reply was empty. Please continue, or say what is missing."
    )
    assert lines[-1].startswith("  3  stopped        tester: end_turn It is 4. It is 4.")
    assert lines[-1].endswith("…")
    assert len(lines) == len(events)


def test_print_events_prints_before_the_event_is_handed_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    next(print_events(one_call()))
    assert capsys.readouterr().out == "  1  replied        tester: tool_use\n"


def test_a_log_holds_every_event_and_each_message_once(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    events = list(to_json_lines(one_call(), path))
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [line["event"] for line in lines] == [event.kind for event in events]
    sent = [line["request"]["messages"] for line in lines if "request" in line]
    assert [[message["role"] for message in messages] for messages in sent] == [
        ["user"],
        ["assistant", "user"],
    ]
    assert lines[2]["outcome"]["content"] == "4"


def test_a_log_is_there_when_the_run_breaks(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with pytest.raises(anthropic.APIStatusError):
        list(to_json_lines(failing(), path))
    kinds = [json.loads(line)["event"] for line in path.read_text("utf-8").splitlines()]
    assert kinds == ["replied", "tool_called", "tool_returned"]


# --- several at once


def test_tee_shows_each_event_to_all_before_it_hands_it_on() -> None:
    first, second = Seen(), Seen()
    handed_on = []
    for event in tee(one_call(), first, second):
        handed_on.append(event)
        assert first.events == second.events == handed_on
    assert handed_on == list(one_call())
    assert first.ended == second.ended == "over"


def raises_at_once(events: Iterator[Event]) -> Iterator[Event]:
    raise RuntimeError("no disk")


def raises_later(events: Iterator[Event]) -> Iterator[Event]:
    for event in events:
        if event.kind == "tool_called":
            raise RuntimeError("no disk")
        yield event


def raises_at_the_end(events: Iterator[Event]) -> Iterator[Event]:
    yield from events
    raise RuntimeError("no disk")


def forgets_to_hand_on(events: Iterator[Event]) -> Iterator[Event]:
    for _ in events:
        pass
    return iter(())


def leaves_early(events: Iterator[Event]) -> Iterator[Event]:
    yield next(events)


@pytest.mark.parametrize(
    ("consumer", "complaint"),
    [
        (raises_at_once, "RuntimeError: no disk"),
        (raises_later, "RuntimeError: no disk"),
        (raises_at_the_end, "RuntimeError: no disk"),
        (forgets_to_hand_on, "hand on each with `yield`"),
        (leaves_early, "it stopped before the events did"),
    ],
)
def test_one_that_raises_stops_neither_the_run_nor_the_others(
    consumer: Consumer, complaint: str, caplog: pytest.LogCaptureFixture
) -> None:
    seen = Seen()
    assert list(tee(one_call(), consumer, seen)) == seen.events == list(one_call())
    assert seen.ended == "over"
    (message,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert consumer.__name__ in message  # type: ignore[attr-defined]
    assert complaint in message


def test_what_the_run_raises_reaches_all_and_the_caller(caplog: pytest.LogCaptureFixture) -> None:
    seen = Seen()
    with pytest.raises(anthropic.APIStatusError):
        list(tee(failing(), raises_later, seen))
    assert (len(seen.events), seen.ended) == (3, "OverloadedError")
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 1


def test_who_stops_listening_ends_the_consumers(tmp_path: Path) -> None:
    seen, path = Seen(), tmp_path / "run.jsonl"
    events = tee(one_call(), seen, partial(to_json_lines, path=path))
    next(events)
    events.close()  # type: ignore[attr-defined]
    assert seen.ended == "over"
    assert len(path.read_text("utf-8").splitlines()) == 1


# --- traces


class Traced(NonRecordingSpan):
    """A span that keeps what it is told; the SDK, which would, is not a dependency."""

    def __init__(self, number: int, name: str, above: Any, options: dict[str, Any]) -> None:
        super().__init__(SpanContext(1, number, False, TraceFlags(1)))
        self.name, self.above, self.kind = name, above, options["kind"]
        self.started: int = options["start_time"]
        self.ended: int | None = None
        self.is_over = False
        self.told = dict(options["attributes"])
        self.happened: list[str] = []
        self.failed = False

    def set_attribute(self, key: str, value: Any) -> None:
        self.told[key] = value

    def set_attributes(self, attributes: Any) -> None:
        self.told.update(attributes)

    def add_event(self, name: str, attributes: Any = None, timestamp: int | None = None) -> None:
        self.happened.append(name)

    def set_status(self, status: Any, description: str | None = None) -> None:
        self.failed = status.status_code is StatusCode.ERROR

    def end(self, end_time: int | None = None) -> None:
        assert not self.is_over
        self.is_over, self.ended = True, end_time


class Tracer(trace.NoOpTracer):
    def __init__(self) -> None:
        self.spans: list[Traced] = []

    def start_span(self, name: str, context: Any = None, **options: Any) -> Any:
        above = trace.get_current_span(context) if context else None
        self.spans.append(Traced(len(self.spans) + 1, name, above, options))
        return self.spans[-1]

    @property
    def tree(self) -> list[tuple[str, str | None]]:
        return [(span.name, span.above and span.above.name) for span in self.spans]


def test_a_run_becomes_an_agent_span_with_replies_and_calls_below_it() -> None:
    tracer = Tracer()
    turns = [calls(("double", {"number": 2}), ("double", {"number": -1})), say(""), say("4")]
    events = list(spans(playing(*turns), tracer))
    assert events == list(playing(*turns))
    agent = "invoke_agent tester"
    chat = ("chat claude-haiku-4-5", agent)
    tool = ("execute_tool double", agent)
    assert tracer.tree == [(agent, None), chat, tool, tool, chat, chat]
    assert all(span.is_over for span in tracer.spans)
    top, reply, good, bad, *_ = tracer.spans
    assert top.told["gen_ai.agent.name"] == "tester"
    assert (top.told["agentlab.stop_reason"], top.happened) == ("end_turn", ["agentlab.reminded"])
    assert reply.kind is trace.SpanKind.CLIENT
    assert reply.told["gen_ai.operation.name"] == "chat"
    assert reply.told["gen_ai.response.finish_reasons"] == ["tool_use"]
    assert reply.told["gen_ai.usage.input_tokens"] > 0
    assert good.told["gen_ai.tool.call.id"] == "toolu_practice_01"
    assert (good.failed, bad.failed, bad.told["error.type"]) == (False, True, "ValueError")


def test_no_text_of_a_run_is_told() -> None:
    tracer = Tracer()
    list(spans(playing(use("double", number=471147), say("secret")), tracer))
    told = str([span.told for span in tracer.spans])
    assert "secret" not in told
    assert "471147" not in told


def test_a_handoff_puts_the_next_agent_below() -> None:
    other = Agent("other", "", [double])

    def to_other() -> Agent:
        """Hand over."""
        return other

    tracer = Tracer()
    list(spans(playing(use("to_other"), say("Hello."), tools=[to_other]), tracer))
    assert tracer.tree[3:] == [
        ("invoke_agent other", "invoke_agent tester"),
        ("chat claude-haiku-4-5", "invoke_agent other"),
    ]
    assert all(span.is_over for span in tracer.spans)


def test_a_run_that_raises_leaves_closed_and_failed_spans() -> None:
    for events, names in ((failing(), 3), (playing(*[overloaded()] * 3), 1)):
        tracer = Tracer()
        with pytest.raises(anthropic.APIStatusError):
            list(spans(events, tracer))
        assert len(tracer.spans) == names
        assert all(span.is_over for span in tracer.spans)
        assert tracer.spans[0].failed
        assert tracer.spans[0].told["error.type"] == "OverloadedError"


@pytest.mark.parametrize(
    "told",
    [
        spans,
        lambda events, tracer: spans(timed(events), tracer),
        lambda events, tracer: tee(events, partial(spans, tracer=tracer)),
    ],
)
def test_spans_take_as_long_as_what_they_tell(told: Any) -> None:
    def slow() -> str:
        """Take a while."""
        time.sleep(0.05)
        return "done"

    tracer = Tracer()
    events = playing(use("slow"), say("ok"), tools=[slow])
    list(told(events, tracer))
    tool = next(span for span in tracer.spans if span.name == "execute_tool slow")
    assert tool.ended is not None
    assert tool.ended - tool.started >= 0.045e9


def test_the_tracer_of_the_api_package_will_do() -> None:
    assert list(spans(one_call(), trace.get_tracer("test"))) == list(one_call())


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(ConfigurationError, match="opentelemetry-api"):
        next(spans(iter(()), Tracer()))
