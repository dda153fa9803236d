"""The loop: ask the model, run what it asks for, hand back the results, until it is done."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agentlab.agent import Agent
from agentlab.calls import (
    Approve,
    Outcome,
    Repeats,
    SoFar,
    ToolCall,
    answer,
    calls_in,
    deny,
    not_run,
)
from agentlab.errors import AgentlabError, TranscriptError
from agentlab.events import (
    Event,
    HandedOff,
    Message,
    Reminded,
    Replied,
    Run,
    Stopped,
    ToolCalled,
    ToolReturned,
    text_in,
    timed,
)
from agentlab.rules import check_transcript, refused
from agentlab.tools import Context

if TYPE_CHECKING:
    from anthropic import Anthropic

NEXT_ACTION = {  # what each stop_reason asks of us; a test holds the keys against the SDK's list
    "tool_use": "run tools",
    "pause_turn": "resume",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "stop",
    "model_context_window_exceeded": "stop",
    "refusal": "discard",
}

REMINDER = "Your reply was empty. Please continue, or say what is missing."


def run(
    agent: Agent,
    messages: list[Message],
    *,
    client: "Anthropic",
    approve: Approve = deny,
    context: Context | None = None,
    max_steps: int = 10,
) -> Iterator[Event]:
    """Let `agent` work on `messages`, yielding an event for each thing that happens.

    `messages` grows by whole steps, never by half of one, so it can always be sent again: after
    an error, an interrupt, or a consumer that stopped listening.
    """
    require_sendable(messages)
    context, repeats, reminded = Context() if context is None else context, Repeats(), None
    for step in range(1, max_steps + 1):
        request = agent.request(messages, context)
        reply = as_message(client.messages.create(**request))
        reason = reply["stop_reason"]
        yield Replied(step, agent.name, request, reply)
        if NEXT_ACTION.get(reason) == "discard":  # if kept, it would be refused again
            yield Stopped(step, agent.name, reason, text_in(reply))
            return

        calls, outcomes = calls_in(reply), list[Outcome]()
        try:
            for call in calls:
                yield ToolCalled(step, call)
                so_far = SoFar(outcomes, reason, repeats)
                outcomes.append(answer(call, agent, context, approve, so_far))
                yield ToolReturned(step, outcomes[-1], dict(context))
        finally:  # also when interrupted: what ran has its result, the rest is answered as not run
            messages += whole_step(reply, calls, outcomes)

        if is_blank(reply) and not reminded:
            messages.append({"role": "user", "content": REMINDER})
            yield (reminded := Reminded(step, REMINDER))
        elif ending := ending_of(reply, outcomes, repeats):
            yield Stopped(step, agent.name, *ending)
            return
        if successor := next((o.handoff for o in outcomes if o.handoff), None):
            yield HandedOff(step, agent.name, successor.name)
            agent = successor
    yield Stopped(max_steps, agent.name, "max_steps", "")


def ask(
    agent: Agent,
    question: str,
    *,
    client: "Anthropic",
    approve: Approve = deny,
    context: Context | None = None,
    max_steps: int = 10,
) -> Run:
    """Put one question to `agent` and collect the whole run.

    In async code, `await asyncio.to_thread(ask, agent, question, client=client)` keeps the event
    loop free; there is no second loop to learn.

    Returns:
        The run: its events, its transcript, and the answer as `run.answer`.
    """
    messages: list[Message] = [{"role": "user", "content": question}]
    events = run(
        agent, messages, client=client, approve=approve, context=context, max_steps=max_steps
    )
    return Run(list(timed(events)), messages, max_steps)


def require_sendable(messages: Sequence[Message]) -> None:
    """Refuse a transcript that the API would refuse, with every reason at once.

    Raises:
        TranscriptError: naming each message and the rule it breaks.
    """
    if broken := refused(check_transcript(messages)):
        listed = "\n".join(f"- {violation}" for violation in broken)
        raise TranscriptError(
            "These messages cannot be sent:\n{listed}\nRepair them first.", listed=listed
        )


def as_message(reply: Any) -> dict[str, Any]:
    """The reply as plain data.

    Raises:
        AgentlabError: where the server answered with something that is no message.
    """
    if getattr(reply, "type", None) != "message":
        raise AgentlabError(
            "The server's answer is not a message: {reply!r:.200}. Check base_url and the model.",
            reply=reply,
        )
    message: dict[str, Any] = reply.to_dict()
    return message


def ending_of(
    reply: Mapping[str, Any], outcomes: Sequence[Outcome], repeats: Repeats
) -> tuple[str | None, str] | None:
    """Why the run is over after a step, with its answer; `None` while it goes on."""
    if final := next((outcome for outcome in outcomes if outcome.final), None):
        return "final_tool", final.text
    if repeats.stuck:
        return "repeating", text_in(reply)
    action = NEXT_ACTION.get(reply["stop_reason"], "stop")
    over = action == "stop" or (action == "run tools" and not outcomes)
    return (reply["stop_reason"], text_in(reply)) if over else None


def is_blank(reply: Mapping[str, Any]) -> bool:
    """Whether a reply says nothing and asks for nothing; thinking alone is nothing said."""
    return all(
        block["type"] in ("thinking", "redacted_thinking")
        or (block["type"] == "text" and not block["text"].strip())
        for block in reply["content"]
    )


def whole_step(
    reply: Mapping[str, Any], calls: Sequence[ToolCall], outcomes: Sequence[Outcome]
) -> list[Message]:
    """The messages that a step adds: the reply, and one message with the results of all its calls.

    A blank reply adds nothing, and empty text blocks are left out: the API refuses both.
    """
    if is_blank(reply):
        return []
    content = [b for b in reply["content"] if b["type"] != "text" or b["text"].strip()]
    added: list[Message] = [{"role": "assistant", "content": content}]
    pending = [not_run(call, "the run was interrupted.") for call in calls[len(outcomes) :]]
    if calls:
        results = [outcome.to_param() for outcome in [*outcomes, *pending]]
        added.append({"role": "user", "content": results})
    return added
