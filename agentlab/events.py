"""What happens in a run, once each; a `Run` collects it, saves it and loads it."""

import dataclasses
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, TextIO

from agentlab.calls import Outcome, ToolCall
from agentlab.language import gettext, ngettext
from agentlab.models import estimate_cost
from agentlab.saved import Message as Message
from agentlab.saved import read_run, write_run


@dataclass(frozen=True)
class Replied:
    """The model answered a request."""

    kind: ClassVar[str] = "replied"
    step: int
    agent: str
    request: dict[str, Any] = field(repr=False)
    """What was sent: the arguments of `messages.create`."""
    reply: dict[str, Any] = field(repr=False)
    """What came back."""
    seconds: float | None = field(default=None, compare=False, repr=False)
    """How long the answer took, where somebody measured it."""

    @property
    def text(self) -> str:
        """The reply's text, calls left out."""
        return text_in(self.reply)


@dataclass(frozen=True)
class ToolCalled:
    """The model asked for a tool; it has not run yet."""

    kind: ClassVar[str] = "tool_called"
    step: int
    call: ToolCall


@dataclass(frozen=True)
class ToolReturned:
    """A call has its outcome."""

    kind: ClassVar[str] = "tool_returned"
    step: int
    outcome: Outcome
    context: dict[str, Any] = field(default_factory=dict, repr=False)
    """The context variables after the call."""
    seconds: float | None = field(default=None, compare=False, repr=False)
    """How long the call took, where somebody measured it."""


@dataclass(frozen=True)
class HandedOff:
    """Another agent goes on."""

    kind: ClassVar[str] = "handed_off"
    step: int
    agent: str
    successor: str


@dataclass(frozen=True)
class Reminded:
    """The model said nothing and was asked, once, to go on."""

    kind: ClassVar[str] = "reminded"
    step: int
    text: str


@dataclass(frozen=True)
class Failed:
    """The API answered a recorded request with an error."""

    kind: ClassVar[str] = "failed"
    step: int
    agent: str
    request: dict[str, Any] = field(repr=False)
    status: int
    error: dict[str, Any]


@dataclass(frozen=True)
class Stopped:
    """The run is over."""

    kind: ClassVar[str] = "stopped"
    step: int
    agent: str
    reason: str | None
    """A stop_reason of the API, or `final_tool`, `max_steps`, `repeating`."""
    text: str
    """The answer, if there is one."""


Event = Replied | ToolCalled | ToolReturned | HandedOff | Reminded | Failed | Stopped

_KINDS: dict[str, Any] = {
    event.kind: event
    for event in (Replied, ToolCalled, ToolReturned, HandedOff, Reminded, Failed, Stopped)
}


@dataclass(frozen=True)
class Run:
    """Everything that happened between a question and its answer."""

    events: list[Event] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    """The transcript, as it can be sent again."""
    max_steps: int | None = None

    def __repr__(self) -> str:
        stopped = self.stopped
        ending = gettext("not finished")
        if stopped:
            ending = gettext("stopped: {reason}", reason=stopped.reason)
        steps = ngettext("{count} step", "{count} steps", self.steps)
        calls = ngettext("{count} tool call", "{count} tool calls", len(self.outcomes))
        return f"Run({steps}, {calls}, {ending})"

    @property
    def stopped(self) -> Stopped | None:
        """The last event, if the run is over."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Stopped) else None

    @property
    def answer(self) -> str:
        """The model's last word; empty where the run ended without one."""
        return self.stopped.text if self.stopped else ""

    @property
    def replies(self) -> list[Replied]:
        """The events in which the model answered."""
        return [event for event in self.events if isinstance(event, Replied)]

    @property
    def outcomes(self) -> list[Outcome]:
        """What came of each tool call, in order."""
        return [event.outcome for event in self.events if isinstance(event, ToolReturned)]

    @property
    def steps(self) -> int:
        """How many replies there were."""
        return len(self.replies)

    @property
    def usage(self) -> dict[str, int]:
        """Tokens of all requests together, as the API counted them."""
        counts = ("input_tokens", "output_tokens")
        return {
            name: sum(event.reply["usage"].get(name) or 0 for event in self.replies)
            for name in counts
        }

    @property
    def cost(self) -> float | None:
        """Estimated cost in dollars at list prices; `None` where a price is not known."""
        costs = [estimate_cost(e.request["model"], e.reply["usage"]) for e in self.replies]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    def save(self, path: str | Path | TextIO) -> None:
        """Write the run as JSON Lines: a header, each event, the transcript.

        A message that several requests share is written once.

        Args:
            path: where to; a file that is open for writing, such as `io.StringIO`, serves as well.
        """
        lines = [as_line(event) for event in self.events]
        write_run(path, {"max_steps": self.max_steps}, lines, self.messages)

    @classmethod
    def load(cls, path: str | Path | TextIO) -> "Run":
        """Read a run that `save` wrote.

        Args:
            path: where from; a file that is open for reading, such as `io.StringIO`, serves too.

        Raises:
            RecordingError: for a file that is no run, or of a version this package cannot read.
        """
        header, events, messages = read_run(path, _event)
        return cls(events, messages, header.get("max_steps"))

    def to_html(self, path: str | Path) -> None:
        """Write the run as one page that steps offline, in any browser, without a notebook."""
        # The views stand above this module; the package is asked for them by name.
        import_module("agentlab").Stepper.write_page(self, path)


def timed(events: Iterator[Event]) -> Iterator[Event]:
    """The same events, a reply and a call's outcome with the seconds that they took to come.

    The clock runs while an event is waited for, not while its consumer looks at it.
    """
    while True:
        started = time.perf_counter()
        if (event := next(events, None)) is None:
            return
        seconds = time.perf_counter() - started
        if isinstance(event, (Replied, ToolReturned)):
            event = dataclasses.replace(event, seconds=seconds)
        yield event


def text_in(reply: Mapping[str, Any]) -> str:
    """The text of a reply, calls and thinking left out."""
    return "".join(block["text"] for block in reply["content"] if block["type"] == "text")


def as_line(event: Event) -> dict[str, Any]:
    """An event as plain data, as far as it can be saved."""
    values: dict[str, Any] = {"event": event.kind}
    values |= {f.name: getattr(event, f.name) for f in dataclasses.fields(event)}
    if isinstance(event, ToolCalled):
        values["call"] = vars(event.call)
    if isinstance(event, ToolReturned):
        kept = (f.name for f in dataclasses.fields(Outcome) if f.compare)
        values["outcome"] = {name: getattr(event.outcome, name) for name in kept}
        values["outcome"]["call"] = vars(event.outcome.call)
    return values


def _event(line: dict[str, Any]) -> Event:
    made: Any = _KINDS[line.pop("event")]
    if "call" in line:
        line["call"] = ToolCall(**line["call"])
    if "outcome" in line:
        call = ToolCall(**line["outcome"].pop("call"))
        line["outcome"] = Outcome(call, **line["outcome"])
    event: Event = made(**line)
    return event
