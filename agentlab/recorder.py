"""Any loop can be looked at: what it sends and receives over a client becomes a `Run`."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic

from typing_extensions import TypeVar

from agentlab.calls import Outcome, calls_in
from agentlab.events import (
    Event,
    Failed,
    Message,
    Replied,
    Run,
    Stopped,
    ToolCalled,
    ToolReturned,
    text_in,
)
from agentlab.loop import NEXT_ACTION

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic

Client = TypeVar("Client", bound="Anthropic | AsyncAnthropic", default="Anthropic")
"""Whichever client a loop uses; the recorder hands back one of the same class."""


@dataclass(frozen=True)
class Exchange:
    """One request of a loop and what the API answered."""

    request: dict[str, Any]
    status: int
    answer: dict[str, Any]
    seconds: float | None = field(default=None, compare=False)


@dataclass
class Recorder(Generic[Client]):
    """Keeps every exchange that passes over its client.

    Hand `recorder.client` to the loop in place of the client it would use; look at
    `recorder.run` during the run or afterwards.
    """

    client: Client = field(repr=False)
    name: str = "loop"
    """What the recorded agent is called in the events."""
    exchanges: list[Exchange] = field(default_factory=list, repr=False)

    @property
    def run(self) -> Run:
        """The exchanges so far, as events and a transcript."""
        return self.run_before(None)

    def run_before(self, request: dict[str, Any] | None, *, is_over: bool = True) -> Run:
        """The run up to a request that the loop has made and that has not been sent.

        Args:
            request: the body of that request; `None` where the loop has made none.
            is_over: whether the loop has ended, so that its last reply was the end of the run.
        """
        waiting = [Exchange(request, 0, {})] if request else []
        exchanges = [*self.exchanges, *waiting]
        events: list[Event] = []
        step = 1
        for exchange, following in zip(self.exchanges, [*exchanges[1:], None], strict=False):
            happened = _events(exchange, following, step, self.name)
            step += exchange.answer.get("type") == "message"
            events += happened
        if not is_over:
            events = [event for event in events if not isinstance(event, Stopped)]
        return Run(events, _transcript(exchanges))


def record(client: Client, name: str = "loop") -> Recorder[Client]:
    """Record whatever a loop sends over `client`: your own loop, the SDK's tool runner, another's.

    A streamed reply is recorded too; it arrives at the loop once it is complete.

    Args:
        client: the client the loop would use, `Anthropic` or `AsyncAnthropic`; it is left as it
            is.
        name: what the recorded agent is called in the events.
    """
    from anthropic import AsyncAnthropic

    recorder = Recorder(client, name)

    def keep(request: Any, response: Any, started: float) -> None:
        exchange = _exchange(client, request, response)
        seconds = time.perf_counter() - started
        recorder.exchanges.append(replace(exchange, seconds=seconds))

    def watch(request: Any, call_next: Any) -> Any:
        started = time.perf_counter()
        response = call_next(request)
        if asks_for_message(request):
            response.http_response.read()
            keep(request, response, started)
        return response

    async def watch_async(request: Any, call_next: Any) -> Any:
        started = time.perf_counter()
        response = await call_next(request)
        if asks_for_message(request):
            await response.http_response.aread()
            keep(request, response, started)
        return response

    watcher = watch_async if isinstance(client, AsyncAnthropic) else watch
    watched: Any = client.with_middleware(watcher)  # a client of the same class
    recorder.client = watched
    return recorder


def asks_for_message(request: Any) -> bool:
    """Whether what passes over a client is a request for a message, and not for a list or so."""
    return bool(request.method == "post" and request.url.endswith("/v1/messages"))


def _exchange(client: "Anthropic | AsyncAnthropic", request: Any, response: Any) -> Exchange:
    body = {**request.json, "messages": list(request.json["messages"])}
    if body.get("stream") and response.status_code == 200:
        return Exchange(body, 200, _rebuilt(client, response.http_response))
    try:
        answer = response.http_response.json()
    except ValueError:  # not JSON: a gateway's error page, or a reply cut off on its way
        text = response.http_response.text
        answer = {"type": "error", "error": {"type": "unreadable", "message": text}}
    return Exchange(body, response.status_code, answer)


def _rebuilt(client: "Anthropic | AsyncAnthropic", http_response: Any) -> dict[str, Any]:
    """The message that a complete event stream describes, put together by the SDK itself."""
    import httpx2
    from anthropic import Stream, not_given
    from anthropic.lib.streaming import MessageStream
    from anthropic.types import RawMessageStreamEvent

    copy = httpx2.Response(
        http_response.status_code,
        headers={"content-type": "text/event-stream"},
        content=http_response.content,
        request=http_response.request,
    )
    event_type: Any = RawMessageStreamEvent
    any_client: Any = client  # only its decoder is used, which both kinds have
    events: Stream[RawMessageStreamEvent] = Stream(
        cast_to=event_type, response=copy, client=any_client
    )
    return MessageStream(events, output_format=not_given).get_final_message().to_dict(mode="json")


def _events(exchange: Exchange, following: Exchange | None, step: int, name: str) -> list[Event]:
    request, answer = exchange.request, exchange.answer
    if answer.get("type") != "message":
        return [Failed(step, name, request, exchange.status, answer)]
    events: list[Event] = [Replied(step, name, request, answer, exchange.seconds)]
    results = _results(request, following)
    for call in calls_in(answer):
        events.append(ToolCalled(step, call))
        if (block := results.get(call.id)) is not None:
            content = block.get("content") or ""
            failed = bool(block.get("is_error"))
            outcome = Outcome(call, content, "failed" if failed else "ran")
            events.append(ToolReturned(step, outcome))
    over = NEXT_ACTION.get(answer["stop_reason"], "stop") in ("stop", "discard")
    if following is None and over:
        events.append(Stopped(step, name, answer["stop_reason"], text_in(answer)))
    return events


def _results(request: dict[str, Any], following: Exchange | None) -> dict[str, dict[str, Any]]:
    """The tool_results that the next request adds, by the id they answer."""
    if following is None:
        return {}
    return {
        block["tool_use_id"]: block
        for message in following.request["messages"][len(request["messages"]) :]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    }


def _transcript(exchanges: Sequence[Exchange]) -> list[Message]:
    if not exchanges:
        return []
    last = exchanges[-1]
    sent: list[Message] = list(last.request["messages"])
    if last.answer.get("type") == "message" and last.answer["content"]:
        sent.append({"role": "assistant", "content": last.answer["content"]})
    return sent
