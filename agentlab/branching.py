"""Changing what happened: a run goes on from one of its steps, with one thing made different.

The run itself stays as it is. What came before the change is kept, and its tools are not run
again; everything after it happens anew.
"""

import copy
import inspect
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from agentlab.agent import Agent, Calling
from agentlab.calls import Approve, Outcome, Repeats, Status, calls_in, deny, not_run, perform
from agentlab.errors import DefinitionError
from agentlab.events import (
    Event,
    Failed,
    HandedOff,
    Message,
    Replied,
    Run,
    Stopped,
    ToolCalled,
    ToolReturned,
)
from agentlab.language import gettext
from agentlab.loop import ending_of, require_sendable, run, whole_step
from agentlab.results import Content
from agentlab.tools import Context, Tool, tool

if TYPE_CHECKING:
    from anthropic import Anthropic

DEFAULT_STEPS = 10


@dataclass(frozen=True)
class NewQuestion:
    """The run begins with another question."""

    text: str


@dataclass(frozen=True)
class NewSystem:
    """From a step on, the agent at work there has another system prompt."""

    text: str


@dataclass(frozen=True)
class NewDescription:
    """From a step on, a tool is described in another way."""

    tool: str
    text: str


@dataclass(frozen=True)
class NewInput:
    """A call is made with another input; it alone is run, its neighbours keep their results."""

    call_id: str
    input: dict[str, Any]


@dataclass(frozen=True)
class NewResult:
    """A call came back with another result; nothing is run for it."""

    call_id: str
    content: Content
    is_error: bool = False


Change = NewQuestion | NewSystem | NewDescription | NewInput | NewResult


@dataclass(frozen=True)
class Fork:
    """A run up to a change, and what is needed to go on from there.

    `go_on` lets `messages` grow, by whole steps; a fork is used once.
    """

    kept: list[Event]
    """Events of the run before, the changed one among them."""
    messages: list[Message]
    """The transcript up to the change, as it can be sent."""
    step: int
    """Steps that lie behind."""
    max_steps: int
    agent: Agent = field(repr=False)
    context: Context = field(repr=False)
    reply: dict[str, Any] | None = field(default=None, repr=False)
    """A reply whose calls are still to be answered, in the step that was changed."""
    outcomes: Mapping[str, Outcome] = field(default_factory=dict, repr=False)
    """What is known of those calls, by their ids; a call that is not among them is run."""
    answered: int = 0
    """How many of those calls have their events among the kept ones."""

    def go_on(self, *, client: "Anthropic", approve: Approve = deny) -> Iterator[Event]:
        """Let the run go on from the change, yielding an event for each thing that happens.

        Args:
            client: what sends the requests.
            approve: says whether a destructive call may run.
        """
        agent: Agent | None = self.agent
        if self.reply is not None:
            agent = yield from self._finish_step(self.reply, approve)
        if agent is None:
            return
        left = max(1, self.max_steps - self.step)  # a branch may always go one step
        for event in run(
            agent,
            self.messages,
            client=client,
            approve=approve,
            context=self.context,
            max_steps=left,
        ):
            yield replace(event, step=event.step + self.step)

    def _finish_step(
        self, reply: dict[str, Any], approve: Approve
    ) -> Generator[Event, None, Agent | None]:
        """Answer what is still open in the changed step; gives who goes on, if anybody does."""
        calls, known = calls_in(reply), dict(self.outcomes)
        try:
            for call in calls[self.answered :]:
                yield ToolCalled(self.step, call)
                if call.id not in known:
                    known[call.id] = perform(call, self.agent, self.context, approve)
                yield ToolReturned(self.step, known[call.id], dict(self.context))
        finally:
            interrupted = "the run was interrupted."
            outcomes = [known.get(call.id) or not_run(call, interrupted) for call in calls]
            self.messages.extend(whole_step(reply, calls, outcomes))
        if ending := ending_of(reply, outcomes, Repeats()):
            yield Stopped(self.step, self.agent.name, *ending)
            return None
        if successor := next((o.handoff for o in outcomes if o.handoff), None):
            yield HandedOff(self.step, self.agent.name, successor.name)
        return successor or self.agent


def fork(
    original: Run,
    step: int,
    change: Change | None = None,
    *,
    agent: Agent | None = None,
    tools: Sequence[Tool | Callable[..., Any]] = (),
    context: Mapping[str, Any] | None = None,
) -> Fork:
    """Where a run goes on from one of its steps, with one thing made different.

    Nothing is sent and nothing is run before `go_on` is used.

    Args:
        original: the run; it stays as it is.
        step: the step (from 1) that is changed, or whose request is sent again.
        change: what is different; `None` asks the model the same thing again.
        agent: the agent that the run began with. Without it, the agent is put together from the
            request, with `tools` by their names; a tool that is in neither fails and says so.
        tools: functions for the tools of a run whose agent is not at hand.
        context: the context variables that the run began with.

    Raises:
        DefinitionError: for a step, a call or a tool that is not in the run.
        TranscriptError: where the transcript up to there cannot be sent.
    """
    at = _place_of(original, 1 if isinstance(change, NewQuestion) else step)
    asking = original.events[at]
    assert isinstance(asking, (Replied, Failed))
    before = original.events[:at]
    variables = _context_after(before, context)
    agents = _agents_of(original, agent)
    active = _agent_behind(asking, agents, tools, variables)
    start = Fork(
        kept=list(before),
        messages=copy.deepcopy(list(asking.request["messages"])),
        step=asking.step - 1,
        max_steps=original.max_steps or DEFAULT_STEPS,
        agent=active,
        context=variables,
    )
    changed = _changed(start, original, asking, change, context)
    require_sendable(changed.messages)
    return changed


def _changed(
    start: Fork,
    original: Run,
    asking: Replied | Failed,
    change: Change | None,
    context: Mapping[str, Any] | None,
) -> Fork:
    match change:
        case None:
            return start
        case NewQuestion(text):
            return replace(start, messages=_with_question(start.messages, text))
        case NewSystem(text):
            return replace(start, agent=replace(start.agent, instructions=text))
        case NewDescription(name, text):
            return replace(start, agent=_with_description(start.agent, name, text))
    if not isinstance(asking, Replied):
        raise DefinitionError(
            "Step {step} has no reply, so it has no call to change.", step=asking.step
        )
    reply, known = _reply_with(asking, change), _outcomes_in(original, asking)
    if isinstance(change, NewInput):
        known.pop(change.call_id, None)
    else:
        call = next(call for call in calls_in(reply) if call.id == change.call_id)
        status: Status = "failed" if change.is_error else "ran"
        known[call.id] = Outcome(call, change.content, status)
    kept: list[Event] = [*start.kept, replace(asking, reply=reply)]
    answered = list(takewhile(lambda call: call.id in known, calls_in(reply)))
    for call in answered:
        kept += [ToolCalled(asking.step, call), _returned(original, asking, known[call.id])]
    return replace(
        start,
        kept=kept,
        step=asking.step,
        context=_context_after(kept, context),
        reply=reply,
        outcomes=known,
        answered=len(answered),
    )


def _place_of(original: Run, step: int) -> int:
    """The index of the event in which a step's request was answered."""
    for at, event in enumerate(original.events):
        if isinstance(event, (Replied, Failed)) and event.step == step:
            return at
    raise DefinitionError(
        "The run has no step {step!r} to go on from; its steps are 1 to {steps}.",
        step=step,
        steps=original.steps,
    )


def _with_question(messages: Sequence[Message], text: str) -> list[Message]:
    if not text.strip():
        raise DefinitionError("A question cannot be empty. Write what the run is to begin with.")
    return [*messages[:-1], {"role": "user", "content": text}]


def _with_description(agent: Agent, name: str, text: str) -> Agent:
    if name not in agent.toolbox:
        known = ", ".join(agent.toolbox) or gettext("none")
        raise DefinitionError(
            "{agent} has no tool {name!r} to describe; tools: {known}.",
            agent=agent.name,
            name=name,
            known=known,
        )
    tools = [
        replace(each, description=text) if each.name == name else each
        for each in agent.toolbox.values()
    ]
    return replace(agent, tools=tools)


def _reply_with(asking: Replied, change: NewInput | NewResult) -> dict[str, Any]:
    """The step's reply, with the call's new input if that is what changes."""
    if change.call_id not in {call.id for call in calls_in(asking.reply)}:
        known = ", ".join(call.id for call in calls_in(asking.reply)) or gettext("none")
        raise DefinitionError(
            "Step {step} has no call {call_id!r}; its calls are: {known}.",
            step=asking.step,
            call_id=change.call_id,
            known=known,
        )
    reply = copy.deepcopy(asking.reply)
    if isinstance(change, NewInput):
        for block in reply["content"]:
            if block.get("id") == change.call_id:
                block["input"] = change.input
    return reply


def _outcomes_in(original: Run, asking: Replied) -> dict[str, Outcome]:
    return {
        event.outcome.call.id: event.outcome
        for event in original.events
        if isinstance(event, ToolReturned) and event.step == asking.step
    }


def _returned(original: Run, asking: Replied, outcome: Outcome) -> ToolReturned:
    """The event in which a call of a step came back, with the outcome that it has now."""
    for event in original.events:
        if (
            isinstance(event, ToolReturned)
            and event.step == asking.step
            and event.outcome.call.id == outcome.call.id
        ):
            return replace(event, outcome=outcome)
    return ToolReturned(asking.step, outcome)


def _context_after(events: Sequence[Event], beginning: Mapping[str, Any] | None) -> Context:
    """The context variables as the last call left them; a copy, which a branch may change."""
    last = next((e.context for e in reversed(events) if isinstance(e, ToolReturned)), None)
    return Context(copy.deepcopy(dict(last if last is not None else beginning or {})))


def _agents_of(original: Run, agent: Agent | None) -> dict[str, Agent]:
    """The agents that took part, by name, as far as they are at hand."""
    handed_to = (outcome.handoff for outcome in original.outcomes)
    return {each.name: each for each in (*handed_to, agent) if each is not None}


def _agent_behind(
    asking: Replied | Failed,
    agents: Mapping[str, Agent],
    functions: Sequence[Tool | Callable[..., Any]],
    context: Context,
) -> Agent:
    """The agent that made a request: the one at hand, else one put together from the request."""
    request = asking.request
    agent = agents.get(asking.agent)
    if agent is not None and agent.request(request["messages"], context) == request:
        return agent
    at_hand = [each for known in agents.values() for each in known.toolbox.values()]
    usable: list[Tool | Callable[..., Any]] = [*functions, *at_hand]
    by_name = {_name_of(each): each for each in usable}
    definitions = [each for each in request.get("tools") or [] if "input_schema" in each]
    return Agent(
        name=asking.agent,
        instructions=_as_text(request.get("system") or ""),
        tools=[_as_tool(each, by_name.get(each["name"])) for each in definitions],
        model=request["model"],
        calling=_calling(request.get("tool_choice"), agent.calling if agent else Calling()),
        max_tokens=request["max_tokens"],
    )


def _as_text(system: Any) -> str:
    if isinstance(system, str):
        return system
    return "\n\n".join(str(block.get("text", "")) for block in system)


def _calling(choice: Mapping[str, Any] | None, calling: Calling) -> Calling:
    choice = choice or {"type": "auto"}
    kind = str(choice["name"] if choice["type"] == "tool" else choice["type"])
    return replace(calling, choice=kind, parallel=not choice.get("disable_parallel_tool_use"))


def _name_of(each: Tool | Callable[..., Any]) -> str:
    return each.name if isinstance(each, Tool) else str(getattr(each, "__name__", ""))


def _as_tool(definition: Mapping[str, Any], function: Tool | Callable[..., Any] | None) -> Tool:
    """A tool as a request defined it, over the function that is there for it."""
    name, description = definition["name"], str(definition.get("description") or "")
    if isinstance(function, Tool):
        return replace(function, description=description)
    try:
        known = tool(name=name, description=description)(function or _absent(name))
    except DefinitionError:  # a function without annotations: the request alone describes it
        known = None
    if known is not None and known.input_schema == definition["input_schema"]:
        return known
    return Tool(
        name,
        description,
        dict(definition["input_schema"]),
        function or _absent(name),
        signature=inspect.Signature(),
        adapter=TypeAdapter(dict[str, Any]),
    )


def _absent(name: str) -> Callable[..., Any]:
    def absent(**arguments: Any) -> str:
        from anthropic.lib.tools import ToolError

        raise ToolError(
            f"The function of {name} is not here, so nothing was run. Edit this result and run "
            "again from here, or give the function as tools=[...]."
        )

    return absent
