"""Taking up a transcript whose last step was never finished."""

from agentlab.agent import Agent
from agentlab.calls import Approve, Outcome, ToolCall, deny, perform
from agentlab.events import Message
from agentlab.history.units import blocks_of
from agentlab.loop import require_sendable
from agentlab.tools import Context


def finish_step(
    agent: Agent,
    messages: list[Message],
    *,
    approve: Approve = deny,
    context: Context | None = None,
) -> list[Outcome]:
    """Carry out the calls that a saved transcript ends with, and add their results to it.

    A process that dies between a reply and its results leaves such a transcript behind. The calls
    run under the ids they had, so a tool that takes its `CallId` can tell that it may have run
    before.

    Args:
        agent: whose tools are called.
        messages: the transcript; one message with the results is added to it.
        approve: who is asked before a destructive call.
        context: the variables of the run.

    Returns:
        What came of each call; nothing for a transcript that waits for no results.

    Raises:
        TranscriptError: where the transcript could not be sent with the results either.
    """
    last = messages[-1:]
    calls = [
        ToolCall(block["id"], block["name"], block["input"])
        for message in last
        if message["role"] == "assistant"
        for block in blocks_of(message, "tool_use")
    ]
    require_sendable(messages[:-1] if calls else messages)
    context = Context() if context is None else context
    outcomes = [perform(call, agent, context, approve) for call in calls]
    if outcomes:
        messages.append({"role": "user", "content": [each.to_param() for each in outcomes]})
    return outcomes
