"""Runs that go on only when they are told to: an agent's, event by event, or anybody's own loop.

A stepper moves through what has happened and asks one of these for more.
"""

import contextlib
import inspect
import io
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from agentlab.agent import Agent
from agentlab.branching import Fork
from agentlab.calls import ToolCall
from agentlab.events import Event, Message, Replied, Run, ToolCalled, ToolReturned, timed
from agentlab.language import gettext
from agentlab.loop import is_blank
from agentlab.loop import run as run_agent
from agentlab.recorder import asks_for_message, record
from agentlab.results import settle
from agentlab.threads import below, printing_to, raise_in, raise_in_handlers
from agentlab.tools import Context, InvalidArguments

if TYPE_CHECKING:
    from anthropic import Anthropic

SECONDS_TO_END = 2.0
"""How long `close` tries to end a loop that does not come to its client."""


class Steps:
    """What has happened so far in a run, and whether it can go on. This one is over."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.error: BaseException | None = None
        """What the run ended with, if it was raised."""
        self.returned: Any = None
        """What a loop of one's own returned."""

    @property
    def printed(self) -> str:
        """What a loop of one's own has printed."""
        return ""

    @property
    def run(self) -> Run:
        """What has happened; its transcript can be sent."""
        return self._run

    @property
    def shown(self) -> Run:
        """The same with a step that is not complete, as far as it has come."""
        return self.run

    @property
    def is_over(self) -> bool:
        """Whether nothing more can happen."""
        return True

    @property
    def is_working(self) -> bool:
        """Whether something is happening at this moment."""
        return False

    @property
    def waiting_request(self) -> dict[str, Any] | None:
        """A request that has been made and not been sent."""
        return None

    @property
    def undecided(self) -> ToolCall | None:
        """A destructive call that runs only after a yes."""
        return None

    def advance(self) -> None:
        """Let the next thing happen."""

    def approve(self, call_id: str) -> None:
        """Say yes to a destructive call."""

    def wait(self) -> None:
        """Wait until the next thing has happened."""

    def close(self) -> None:
        """End it, whatever it is doing."""


class AgentSteps(Steps):
    """An agent's run, one event for each `advance`, and nothing before it."""

    def __init__(
        self,
        events: Callable[[Callable[[ToolCall], bool]], Iterator[Event]],
        messages: list[Message],
        agent: Agent,
        max_steps: int,
        kept: Sequence[Event] = (),
        answered: Collection[str] = (),
    ) -> None:
        """Begin a run that waits before its first event.

        Args:
            events: makes the run's generator, given who approves of destructive calls.
            messages: the transcript, which that generator lets grow.
            agent: who is at work.
            max_steps: the limit that the run was given.
            kept: events that have happened before.
            answered: ids of calls that have their results, so that nobody is asked about them.
        """
        super().__init__(Run(list(kept), messages, max_steps))
        self._agent = agent
        self._answered = answered
        self._approved: set[str] = set()
        self._events = timed(events(lambda call: call.id in self._approved))
        self._ended = False

    @classmethod
    def of_agent(
        cls, agent: Agent, question: str, client: "Anthropic", context: Context, max_steps: int
    ) -> "AgentSteps":
        """An agent's run from a question on."""
        messages: list[Message] = [{"role": "user", "content": question}]
        return cls(
            lambda approve: run_agent(
                agent,
                messages,
                client=client,
                approve=approve,
                context=context,
                max_steps=max_steps,
            ),
            messages,
            agent,
            max_steps,
        )

    @classmethod
    def of_fork(cls, fork: Fork, client: "Anthropic") -> "AgentSteps":
        """A run that goes on from a change."""
        return cls(
            lambda approve: fork.go_on(client=client, approve=approve),
            fork.messages,
            fork.agent,
            fork.max_steps,
            fork.kept,
            fork.outcomes,
        )

    @property
    def run(self) -> Run:
        """What has happened; the transcript holds whole steps only, so it can be sent."""
        return Run(list(self._run.events), list(self._run.messages), self._run.max_steps)

    @property
    def shown(self) -> Run:
        """The same, with the reply and the results of a step that is still at work."""
        run = self.run
        replied = [at for at, event in enumerate(run.events) if isinstance(event, Replied)]
        if not replied or self._ended:
            return run
        last = run.events[replied[-1]]
        assert isinstance(last, Replied)
        if len(run.messages) > len(last.request["messages"]) or is_blank(last.reply):
            return run
        added: list[Message] = [{"role": "assistant", "content": last.reply["content"]}]
        outcomes = [e.outcome for e in run.events[replied[-1] :] if isinstance(e, ToolReturned)]
        if outcomes:
            results = [outcome.to_param() for outcome in outcomes]
            added.append({"role": "user", "content": results})
        return Run(run.events, [*run.messages, *added], run.max_steps)

    @property
    def is_over(self) -> bool:
        """Whether the run has stopped, or failed."""
        return self._ended

    @property
    def undecided(self) -> ToolCall | None:
        """The destructive call that comes next, if its arguments fit and nobody said yes."""
        last = self._run.events[-1] if self._run.events else None
        if not isinstance(last, ToolCalled) or self._ended:
            return None
        if last.call.id in self._approved or last.call.id in self._answered:
            return None
        tool = self._agent.toolbox.get(last.call.name)
        if tool is None or not tool.destructive:
            return None
        try:
            tool.parse(last.call.input)
        except InvalidArguments:
            return None
        return last.call

    def approve(self, call_id: str) -> None:
        """Say yes to a destructive call; one that is passed over without it is denied."""
        self._approved.add(call_id)

    def advance(self) -> None:
        """Let the next event happen; what is raised is kept as `error`, and ends the run."""
        if self._ended:
            return
        try:
            event = next(self._events, None)
        except (Exception, KeyboardInterrupt) as error:
            self.error, event = error, None
        if event is None:
            self._ended = True
            return
        self._run.events.append(event)
        if isinstance(event, ToolReturned) and event.outcome.handoff:
            self._successor = event.outcome.handoff
        if event.kind == "handed_off":
            self._agent = self._successor
        self._ended = event.kind == "stopped"

    def close(self) -> None:
        """End the run where it stands."""
        self._ended = True
        self._events = iter(())


class LoopStopped(BaseException):
    """Ends a loop that runs in a thread; not an `Exception`, which the loop might catch."""


class LoopSteps(Steps):
    """Anybody's own loop, in a thread that stops at its client.

    Each request stops before it leaves and each reply before it is handed over, until `advance`.
    """

    def __init__(
        self,
        loop: Callable[..., Any],
        question: str,
        client: "Anthropic",
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare a loop; it begins with the first `advance`.

        Args:
            loop: a function that takes a question and a client.
            question: what is asked.
            client: the client over which the loop is to work.
            on_change: called, from the loop's own thread, whenever it stops or ends.

        Raises:
            TypeError: for a function that does not take a question and a client.
        """
        super().__init__(Run())
        name = getattr(loop, "__name__", "loop")
        # The pace is set around the recorder, so that a reply that stands is a reply recorded.
        self._recorder = record(client.with_middleware(self._pace), name)
        arguments = arguments_for(loop, question, self._recorder.client)
        self._work: Callable[[], Any] = lambda: settle(
            drained(loop(*arguments.args, **arguments.kwargs))
        )
        self._on_change = on_change
        self._turn = threading.Condition()
        self._one_request = threading.Lock()
        self._passes = 0
        self._stands_at: str | None = "start"
        self._request: dict[str, Any] | None = None
        self._is_stopped = False
        self._output = io.StringIO()
        self._thread = threading.Thread(target=self._live, name=f"agentlab-{name}", daemon=True)

    @property
    def run(self) -> Run:
        """What went over the client; while the loop goes on, without a reply it has not used."""
        shown = self.shown
        is_used = self.is_over or not shown.messages or shown.messages[-1]["role"] != "assistant"
        return shown if is_used else Run(shown.events, shown.messages[:-1])

    @property
    def shown(self) -> Run:
        """What went over the client, up to the request or the reply that stands there."""
        return self._recorder.run_before(self._request, is_over=self.is_over)

    @property
    def printed(self) -> str:
        """What the loop has printed."""
        return self._output.getvalue()

    @property
    def is_over(self) -> bool:
        """Whether the loop has returned, raised or been stopped."""
        return self._stands_at == "end"

    @property
    def is_working(self) -> bool:
        """Whether the loop is between two stops."""
        return self._stands_at is None

    @property
    def waiting_request(self) -> dict[str, Any] | None:
        """The request that stands before the client."""
        return self._request

    def advance(self) -> None:
        """Let the loop go on to its next stop, without waiting for it to get there."""
        with self._turn:
            if self.is_over or self.is_working:
                return
            if self._stands_at == "start":
                self._thread.start()
            self._stands_at = None
            self._passes += 1
            self._turn.notify_all()

    def wait(self) -> None:
        """Wait until the loop stands or has ended."""
        with self._turn:
            self._turn.wait_for(lambda: not self.is_working)

    def close(self) -> None:
        """Stop the loop: at its client at once, elsewhere as soon as Python code runs in it."""
        with self._turn:
            self._is_stopped = True
            never_began = self._stands_at == "start"
            if never_began:
                self._stands_at = "end"
            self._turn.notify_all()
        deadline = time.monotonic() + SECONDS_TO_END
        while self._thread.is_alive() and time.monotonic() < deadline:
            if self._thread is threading.current_thread():
                return
            if self.is_working:
                raise_in(self._thread, LoopStopped)
            self._thread.join(0.02)

    # --- in the loop's own thread

    def _live(self) -> None:
        with contextlib.suppress(LoopStopped):
            self._run_loop()
        while not self.is_over:
            with contextlib.suppress(LoopStopped):  # it may come late, when the loop has ended
                sys.setprofile(None)
                sys.settrace(None)
                self._stand_at("end")

    def _run_loop(self) -> None:
        try:
            with printing_to(self._output):
                self.returned = self._work()
        except LoopStopped:
            raise
        except BaseException as error:  # kept for the learner, SystemExit and the like too
            error.__traceback__ = below(error.__traceback__, __file__)
            self.error = error

    def _pace(self, request: Any, call_next: Any) -> Any:
        if not asks_for_message(request):
            return call_next(request)
        self._end_if_stopped()
        with self._one_request:
            self._request = {**request.json, "messages": list(request.json["messages"])}
            self._stop_at("request")
            try:
                response = call_next(request)
            finally:
                self._request = None
            self._stop_at("reply")
            return response

    def _stop_at(self, place: str) -> None:
        self._stand_at(place)
        with self._turn:
            self._turn.wait_for(lambda: self._passes > 0 or self._is_stopped)
            self._passes = 0
        self._end_if_stopped()

    def _end_if_stopped(self) -> None:
        if self._is_stopped:
            raise_in_handlers(LoopStopped)
            raise LoopStopped

    def _stand_at(self, place: str) -> None:
        with self._turn:
            # The pass that let the loop come here is used up.
            self._passes = 0
            self._stands_at = place
            self._turn.notify_all()
        self._on_change()


def arguments_for(loop: Callable[..., Any], question: str, client: Any) -> inspect.BoundArguments:
    """The arguments with which a loop is called: its question and its client, in its own order.

    Raises:
        TypeError: for a function that does not take two arguments.
    """
    signature = inspect.signature(loop)
    names = list(signature.parameters)
    swapped = len(names) > 1 and "question" not in names[0] and "question" in names[1]
    values = (client, question) if swapped else (question, client)
    try:
        bound = signature.bind(*values)
    except TypeError as error:
        name = getattr(loop, "__name__", repr(loop))
        raise TypeError(
            gettext(
                "A loop to step through is called as {name}(question, client), and "
                "{name}{signature} cannot be: {error}. Let it take its client as an argument, so "
                "that each request can be stopped there.",
                name=name,
                signature=signature,
                error=error,
            )
        ) from error
    return bound


def drained(value: Any) -> Any:
    """The last thing that a generator yields; anything else as it is."""
    if not inspect.isgenerator(value):
        return value
    last = deque(value, maxlen=1)
    return last[0] if last else None


def functions_near(loop: Callable[..., Any], names: Collection[str]) -> list[Any]:
    """The functions that a loop sees under these names, as a notebook's own cells define them.

    It sees what stands beside it, in lists and mappings too, where a loop's tools often are.
    """
    beside = list(inspect.unwrap(loop).__globals__.values()) if hasattr(loop, "__globals__") else []
    inside = [each for value in beside if isinstance(value, (list, tuple)) for each in value]
    inside += [each for value in beside if isinstance(value, dict) for each in value.values()]
    found: dict[str, Any] = {}
    for each in filter(callable, [*beside, *inside]):
        name = str(getattr(each, "name", None) or getattr(each, "__name__", None))
        if name in names:
            found.setdefault(name, each)
    return [*found.values()]
