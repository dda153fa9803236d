"""Runs for the tests of the Stepper: with every kind of event, long, broken and hostile."""

from typing import Any

from practice_tools import calls
from practising import HAIKU

from agentlab import Agent, Context, Run, ask, client, record, tool
from agentlab.calls import Outcome, ToolCall
from agentlab.events import Event, Message, Replied, Stopped, ToolCalled, ToolReturned
from agentlab.practice import both, overloaded, say, use

HOSTILE = "<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>"
TOOL = {
    "name": "get_order_status",
    "description": "Look up where an order is.",
    "input_schema": {
        "type": "object",
        "properties": {"order_id": {"type": "string"}},
        "required": ["order_id"],
    },
}


def get_order_status(order_id: str, context: Context) -> str:
    """Look up where an order is."""
    context["last_order"] = order_id
    print(f"looking for {order_id}")
    return f"order {order_id} was shipped on Monday and arrives on Thursday"


def refund(order_id: str, cents: int) -> str:
    """Pay money back."""
    raise ValueError("this order was refunded before")


@tool(destructive=True)
def cancel(order_id: str) -> str:
    """Cancel an order."""
    return "cancelled"


def shop_run() -> Run:
    """A run with every kind of event but a refusal of the API, and every status of an outcome."""
    billing = Agent("billing", "You pay money back.", [refund])

    def to_billing() -> Agent:
        """Hand over to billing."""
        return billing

    desk = Agent("desk", "You answer.", [get_order_status, refund, cancel, to_billing])
    order = {"order_id": "A-17"}
    script = [
        both(say("Let me look."), calls(("get_order_status", order), ("refund", order))),
        calls(("refund", {**order, "cents": 1200}), ("cancel", order), ("no_tool", {})),
        say(""),
        use("to_billing"),
        *(use("refund", cents=5, **order) for _ in range(3)),
        say(HOSTILE),
    ]
    return ask(desk, "Where is my order A-17?", client=client(script), context=Context())


def small_run(turns: int = 1, result: str | None = None) -> Run:
    """A run of `turns` replies that ask for a tool, and one that answers."""

    def look_up(n: int) -> str:
        """Look up."""
        return result or f"result {n}"

    script = [use("look_up", n=n) for n in range(turns)] + [say("All is found.")]
    return ask(Agent("desk", "", [look_up]), "go", client=client(script), max_steps=turns + 1)


def refused_run() -> Run:
    """A recorded run whose first request the API refuses."""
    recorder = record(client([overloaded(), say("Hello.")]))
    ask(Agent("desk"), "go", client=recorder.client)
    return recorder.run


def long_run(turns: int, letters: int = 400) -> Run:
    """A run of any length, put together without a client; each result has so many letters."""
    messages: list[Message] = [{"role": "user", "content": "Where are my orders?"}]
    events: list[Event] = []
    for step in range(1, turns + 1):
        call = ToolCall(f"toolu_{step:05}", "get_order_status", {"order_id": f"A-{step}"})
        outcome = Outcome(call, f"{step} ".ljust(letters, "x"))
        asking = {"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}
        events += [
            replied(step, messages, [asking]),
            ToolCalled(step, call),
            ToolReturned(step, outcome),
        ]
        messages += [
            {"role": "assistant", "content": [asking]},
            {"role": "user", "content": [outcome.to_param()]},
        ]
    return Run([*events, Stopped(turns, "desk", "max_steps", "")], messages, turns)


def replied(step: int, messages: list[Message], content: list[dict[str, Any]]) -> Replied:
    request = {"model": HAIKU, "max_tokens": 1024, "tools": [TOOL], "messages": list(messages)}
    reply = {
        "id": f"msg_{step:05}",
        "type": "message",
        "role": "assistant",
        "model": HAIKU,
        "content": content,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 300 + 140 * step, "output_tokens": 22},
    }
    return Replied(step, "desk", request, reply)


def broken_runs() -> dict[str, Run]:
    """Runs that are not as they should be, by what is wrong with them."""
    whole = small_run()
    question, asking, answering, *_ = whole.messages
    block = asking["content"][0]
    strange = {"type": "hologram", "projection": [1, 2, 3]}
    no_id = {"type": "tool_use", "name": "look_up", "input": 5}
    return {
        "empty": Run(),
        "only a question": Run(messages=[question]),
        "no results": Run(whole.events, [question, asking]),
        "another id": Run(
            whole.events, [question, {**asking, "content": [{**block, "id": "other"}]}, answering]
        ),
        "answered twice": Run(
            whole.events,
            [question, asking, {**answering, "content": answering["content"] * 2}],
        ),
        "unknown block": Run(
            [replied(1, [question], [strange])],
            [question, {"role": "assistant", "content": [strange]}],
        ),
        "no id": Run(
            [replied(1, [question], [no_id])], [question, {"role": "assistant", "content": [no_id]}]
        ),
        "no messages": Run(whole.events),
        "misshapen": Run(whole.events, [question, {"role": "assistant"}, {"content": 5}, {}]),
        "not JSON": Run(
            [],
            [{"role": "user", "content": [{"type": "text", "text": "\ud800", "n": float("nan")}]}],
        ),
        "large": long_run(1, letters=2_000_000),
    }
