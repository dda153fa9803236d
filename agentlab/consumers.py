"""Consumers of a run's events: a display, a log, traces, without a change to the loop.

Each takes events and hands every one on as it comes, so they can be put around a run and around
each other: `for event in print_events(run(agent, messages, client=client)): ...`. As generators
they do nothing until somebody asks for the events. `tee` puts several side by side.
"""

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentlab.calls import Outcome
from agentlab.errors import AgentlabError, ConfigurationError
from agentlab.events import (
    Event,
    Failed,
    HandedOff,
    Message,
    Reminded,
    Replied,
    Stopped,
    ToolCalled,
    ToolReturned,
    as_line,
    timed,
)
from agentlab.language import gettext

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

Consumer = Callable[[Iterator[Event]], Iterator[Event]]
"""Takes events, does something with each, and hands each on with `yield`."""

LONGEST_LINE = 100
log = logging.getLogger("agentlab.consumers")


# --- several at once


def tee(events: Iterable[Event], *consumers: Consumer) -> Iterator[Event]:
    """The same events, each shown to every consumer before it is handed on.

    A consumer that raises is left out from then on, with a warning in the log `agentlab.consumers`;
    neither the run nor the others notice. What the run itself raises reaches all of them.

    Args:
        events: what `run` yields.
        consumers: functions of an iterator of events, such as `print_events` or
            `functools.partial(to_json_lines, path="run.jsonl")`.
    """
    stages = [_Stage(consumer) for consumer in consumers]
    failure: BaseException | None = None
    try:
        for event in timed(iter(events)):
            for stage in stages:
                stage.show(event)
            yield event
    except Exception as error:
        failure = error
        raise
    finally:
        for stage in stages:
            stage.finish(failure)


class _Stage:
    """One consumer of `tee`: it asks for an event when there is one, and hands it back."""

    def __init__(self, consumer: Consumer) -> None:
        named = getattr(consumer, "func", consumer)  # of a partial, what it calls
        self._name = getattr(named, "__name__", type(named).__name__)
        self._consumer = consumer
        self._waiting: list[Event] = []
        self._stage: Iterator[Event] | None = None
        self._failure: BaseException | None = None
        self._over = self._given_up = False

    def show(self, event: Event) -> None:
        """Let the consumer have an event; a failure of its own ends it, and only it."""
        self._waiting = [event]
        self._advance()

    def finish(self, failure: BaseException | None) -> None:
        """Tell the consumer that the events are over, or what the run raised."""
        self._over, self._failure = True, failure
        raised_at = failure.__traceback__ if failure else None
        self._advance()
        if failure:  # without the way it took through the consumer
            failure.__traceback__ = raised_at

    def _advance(self) -> None:
        if self._given_up:
            return
        try:
            if self._stage is None:
                self._stage = iter(self._consumer(self._feed()))
            if next(self._stage, None) is None and not self._over:
                raise AgentlabError("it stopped before the events did; hand on each with `yield`.")
        except Exception as error:
            self._given_up = True
            if error is not self._failure:
                problem = f"{type(error).__name__}: {error}"
                log.warning("%s failed, and the run goes on without it: %s", self._name, problem)
                log.debug("where %s failed", self._name, exc_info=error)

    def _feed(self) -> Iterator[Event]:
        while not self._over:
            if not self._waiting:
                raise AgentlabError("it asked for an event too early; hand on each with `yield`.")
            yield self._waiting.pop()
        if self._failure:
            raise self._failure


# --- a display


def print_events(events: Iterable[Event]) -> Iterator[Event]:
    """The same events, with a line printed for each."""
    for event in events:
        print(_line(event))
        yield event


def _line(event: Event) -> str:
    said = " ".join(_said(event).split())
    if len(said) > LONGEST_LINE:
        said = said[: LONGEST_LINE - 1] + "…"
    return f"{event.step:3}  {event.kind:13}  {said}".rstrip()


def _said(event: Event) -> str:
    if isinstance(event, Replied):
        said = f"{event.agent}: {event.reply['stop_reason']} {event.text}"
    elif isinstance(event, ToolCalled):
        said = repr(event.call)
    elif isinstance(event, ToolReturned):
        said = f"{event.outcome.call.name}: {event.outcome.status} {event.outcome.text}"
    elif isinstance(event, HandedOff):
        said = gettext("{agent} to {successor}", agent=event.agent, successor=event.successor)
    elif isinstance(event, Failed):
        said = f"{event.agent}: {event.status} {event.error.get('message', '')}"
    elif isinstance(event, Reminded):
        said = event.text
    else:
        said = f"{event.agent}: {event.reason} {event.text}"
    return said


# --- a log


def to_json_lines(events: Iterable[Event], path: str | Path) -> Iterator[Event]:
    """The same events, each written as a line of JSON the moment it happens.

    What happened before a crash is in the file. Of a request's messages a line holds those that
    the request before did not have. To load a run again, use `Run.save` in place of this.

    Args:
        events: what `run` yields.
        path: the file; what stands in it is replaced.
    """
    sent: list[Message] = []
    with Path(path).open("w", encoding="utf-8") as file:
        for event in events:
            line = as_line(event)
            if isinstance(event, (Replied, Failed)):
                messages = event.request["messages"]
                new = messages[len(sent) :] if messages[: len(sent)] == sent else messages
                line["request"], sent = {**event.request, "messages": new}, messages
            file.write(json.dumps(line, ensure_ascii=False, default=repr) + "\n")
            file.flush()
            yield event


# --- traces


def spans(events: Iterable[Event], tracer: "Tracer") -> Iterator[Event]:
    """The same events, told as spans by OpenTelemetry's conventions for generative AI.

    A run is an `invoke_agent` span, each reply a `chat` span and each call an `execute_tool` span
    below it; after a handoff, the next agent's span stands below the one before. Names, reasons and
    token counts are told, texts and arguments are not: they may be private.

    Args:
        events: what `run` yields.
        tracer: such as `opentelemetry.trace.get_tracer("my-app")`.

    Raises:
        ConfigurationError: where the package `opentelemetry-api` is not installed.
    """
    trace, source = _Trace(tracer), iter(events)
    try:
        while True:
            asked = time.time_ns()
            if (event := next(source, None)) is None:
                return
            trace.tell(event, asked)
            yield event
    except Exception as error:
        trace.fail(type(error).__qualname__)
        raise
    finally:
        trace.end()


class _Trace:
    """The spans of one run."""

    def __init__(self, tracer: "Tracer") -> None:
        try:
            from opentelemetry import trace
        except ModuleNotFoundError as error:
            raise ConfigurationError(
                "Spans need the package opentelemetry-api, which is not installed. Install it, and "
                "opentelemetry-sdk to send them somewhere."
            ) from error
        self._api, self._tracer = trace, tracer
        self._agents: list[Span] = []
        """Open, the one at work last."""

    def tell(self, event: Event, asked: int) -> None:
        """Add what an event says; `asked` is when it was waited for, in nanoseconds."""
        now = time.time_ns()
        seconds = getattr(event, "seconds", None)
        started = asked if seconds is None else now - round(seconds * 1e9)
        if isinstance(event, (Replied, Failed, Stopped)) and not self._agents:
            self._begin(event.agent, started)
        if isinstance(event, (Replied, Failed)):
            self._chat(event, started, now)
        elif isinstance(event, ToolReturned):
            self._tool(event.outcome, started, now)
        elif isinstance(event, HandedOff):
            self._begin(event.successor, now)
        elif isinstance(event, Reminded):
            self._agents[-1].add_event("agentlab.reminded", timestamp=now)
        elif isinstance(event, Stopped):
            self._agents[-1].set_attribute("agentlab.stop_reason", str(event.reason))

    def fail(self, error: str) -> None:
        """The run raised."""
        if not self._agents:
            self._begin("", time.time_ns())
        for agent in self._agents:
            self._mark(agent, error)

    def end(self) -> None:
        """Close what is open, the innermost first."""
        while self._agents:
            self._agents.pop().end()

    def _begin(self, name: str, started: int) -> None:
        span = self._start("invoke_agent", name, self._api.SpanKind.INTERNAL, started)
        span.set_attribute("gen_ai.provider.name", "anthropic")
        if name:
            span.set_attribute("gen_ai.agent.name", name)
        self._agents.append(span)

    def _chat(self, event: Replied | Failed, started: int, ended: int) -> None:
        request = event.request
        span = self._start("chat", request["model"], self._api.SpanKind.CLIENT, started)
        span.set_attribute("gen_ai.provider.name", "anthropic")
        span.set_attribute("gen_ai.request.model", request["model"])
        if "max_tokens" in request:
            span.set_attribute("gen_ai.request.max_tokens", request["max_tokens"])
        if isinstance(event, Failed):
            self._mark(span, str(event.status))
        else:
            span.set_attributes(_of_reply(event.reply))
        span.end(end_time=ended)

    def _tool(self, outcome: Outcome, started: int, ended: int) -> None:
        call = outcome.call
        span = self._start("execute_tool", call.name, self._api.SpanKind.INTERNAL, started)
        span.set_attribute("gen_ai.tool.name", call.name)
        span.set_attribute("gen_ai.tool.call.id", call.id)
        span.set_attribute("gen_ai.tool.type", "function")
        if outcome.is_error:
            raised = outcome.exception
            self._mark(span, type(raised).__qualname__ if raised else outcome.status)
        span.end(end_time=ended)

    def _start(self, operation: str, what: str, kind: Any, started: int) -> "Span":
        above = self._api.set_span_in_context(self._agents[-1]) if self._agents else None
        return self._tracer.start_span(
            f"{operation} {what}".rstrip(),
            context=above,
            kind=kind,
            attributes={"gen_ai.operation.name": operation},
            start_time=started,
        )

    def _mark(self, span: "Span", error: str) -> None:
        span.set_attribute("error.type", error)
        span.set_status(self._api.Status(self._api.StatusCode.ERROR))


def _of_reply(reply: Mapping[str, Any]) -> dict[str, Any]:
    usage = reply["usage"]
    read = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return {
        "gen_ai.response.id": reply["id"],
        "gen_ai.response.model": reply["model"],
        "gen_ai.response.finish_reasons": [str(reply["stop_reason"])],
        "gen_ai.usage.input_tokens": sum(usage.get(name) or 0 for name in read),
        "gen_ai.usage.output_tokens": usage.get("output_tokens") or 0,
    }
