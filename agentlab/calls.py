"""One tool call becomes one outcome, whatever happens: the model's mistakes included."""

import io
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from agentlab.agent import Agent
from agentlab.results import Content, sendable, settle, shorten, to_content
from agentlab.threads import printing_to
from agentlab.tools import Context, InvalidArguments, Tool

Status = Literal["ran", "failed", "unknown_tool", "invalid_arguments", "denied", "not_run"]

TOLERATED_REPEATS = 2
"""Equal calls that run; the next one is told so instead, and one more ends the run."""


@dataclass(frozen=True)
class ToolCall:
    """What a tool_use block asks for."""

    id: str
    name: str
    input: dict[str, Any]

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.input.items())
        return f"{self.name}({arguments})"


@dataclass(frozen=True)
class Outcome:
    """What came of a call: what the model is told, and beside it what it is not told."""

    call: ToolCall
    content: Content
    """What the model reads."""
    status: Status = "ran"
    final: bool = False
    """Whether this outcome ends the run."""
    full_text: str | None = None
    """The whole text, where `content` was cut."""
    printed: str = ""
    """What the tool printed; the model never sees it."""
    handoff: Agent | None = field(default=None, compare=False)
    """The agent that the tool returned, to go on in this one's place."""
    value: Any = field(default=None, compare=False, repr=False)
    """What the tool returned, as it returned it."""
    exception: BaseException | None = field(default=None, compare=False, repr=False)
    """What the tool raised, with its traceback."""

    @property
    def is_error(self) -> bool:
        """Whether the tool_result carries the error flag."""
        return self.status != "ran"

    @property
    def text(self) -> str:
        """The content as text, pictures left out."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(block.get("text", f"({block['type']})") for block in self.content)

    def to_param(self) -> dict[str, Any]:
        """The tool_result block; `is_error` is there only when true, as the SDK sends it."""
        block = {"type": "tool_result", "tool_use_id": self.call.id, "content": self.content}
        return block | {"is_error": True} if self.is_error else block


Approve = Callable[[ToolCall], bool]
"""Says whether a destructive call may run; it sees the arguments as the tool would get them."""


def deny(call: ToolCall) -> bool:
    """The approver that is used when none is given: nothing destructive runs."""
    return False


def perform(call: ToolCall, agent: Agent, context: Context, approve: Approve = deny) -> Outcome:
    """Run one call for `agent`; what goes wrong becomes an outcome that tells the model so.

    The order: is there such a tool, do the arguments fit, is it approved if it must be, run.
    Only what is no `Exception`, such as KeyboardInterrupt, leaves this function raised.
    """
    tool = agent.toolbox.get(call.name)
    if tool is None:
        known = ", ".join(f"`{name}`" for name in agent.toolbox) or "none"
        return Outcome(call, f"There is no tool `{call.name}`. Tools: {known}.", "unknown_tool")
    try:
        parsed = tool.parse(call.input)
    except InvalidArguments as error:
        text = shorten(sendable(str(error)), agent.calling.result_limit)
        return Outcome(call, text, "invalid_arguments", exception=error)
    if tool.destructive and (objection := _objection(replace(call, input=parsed), approve)):
        return Outcome(call, objection, "denied")
    with printing_to(printed := io.StringIO()):  # of this thread: others may run tools, too
        outcome = _run(tool, call, parsed, context)
    return _cut(replace(outcome, printed=printed.getvalue()), agent.calling.result_limit)


def calls_in(reply: Mapping[str, Any]) -> list[ToolCall]:
    """The calls that a reply asks for, in order."""
    blocks = (block for block in reply["content"] if block["type"] == "tool_use")
    return [ToolCall(block["id"], block["name"], block["input"]) for block in blocks]


def not_run(call: ToolCall, reason: str) -> Outcome:
    """The answer to a call that the application did not run."""
    return Outcome(call, f"Not run: {reason}", "not_run")


class Repeats:
    """Notices a run that makes the same call with the same input again and again."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self.told = False
        self.stuck = False

    def objection(self, call: ToolCall) -> Outcome | None:
        """`None` while `call` may run; otherwise what the model is told about repeating itself."""
        key = json.dumps([call.name, call.input], sort_keys=True)
        self._seen[key] += 1
        if self._seen[key] <= TOLERATED_REPEATS:
            return None
        self.stuck, self.told = self.told, True
        return not_run(
            call,
            f"this same call was made {TOLERATED_REPEATS} times before, with the results above. "
            "Change the arguments, use another tool, or answer with what you know.",
        )


@dataclass(frozen=True)
class SoFar:
    """What has happened when a call comes to be answered."""

    earlier: Sequence[Outcome]
    """Outcomes of the calls before it in the same reply."""
    stop_reason: str | None
    """Why the reply ended; only one that ended to have its calls run is whole."""
    repeats: Repeats
    """The calls of the run."""


def answer(
    call: ToolCall, agent: Agent, context: Context, approve: Approve, so_far: SoFar
) -> Outcome:
    """Answer one call of a reply: run it, or say why it is not run."""
    if so_far.stop_reason != "tool_use":
        reason = f"the reply ended with {so_far.stop_reason!r}; its calls may be incomplete."
        return not_run(call, reason)
    if final := next((outcome for outcome in so_far.earlier if outcome.final), None):
        return not_run(call, f"`{final.call.name}`, called before it, ended the run.")
    outcome = so_far.repeats.objection(call) or perform(call, agent, context, approve)
    if outcome.handoff and (first := next((o.handoff for o in so_far.earlier if o.handoff), None)):
        return not_run(call, f"the conversation was already handed over to {first.name}.")
    return outcome


def _objection(call: ToolCall, approve: Approve) -> str | None:
    """Why a destructive call may not run; `None` after a yes. Whatever is not a yes is a no."""
    try:
        answer = approve(call)
    except Exception as error:
        return (
            f"Not run: nobody could be asked to approve it ({_words(error)}), which counts as a no."
        )
    return None if answer is True else f"Not run: the user denied this call of `{call.name}`."


def _run(tool: Tool, call: ToolCall, parsed: Mapping[str, Any], context: Context) -> Outcome:
    from anthropic.lib.tools import ToolError

    try:
        value = settle(tool.invoke(parsed, context, call.id))
        if isinstance(value, Agent):
            return Outcome(call, f"Handed over to {value.name}.", handoff=value)
        return Outcome(call, to_content(value), final=tool.final, value=value)
    except ToolError as error:
        blocks = error.content if isinstance(error.content, list) else [{"text": error.content}]
        text = "\n".join(str(block.get("text", f"({block.get('type')})")) for block in blocks)
        return Outcome(call, sendable(text) or _words(error), "failed", exception=error)
    except Exception as error:
        return Outcome(call, _words(error), "failed", exception=error)


def _words(error: BaseException) -> str:
    text = sendable(str(error))
    return f"{type(error).__name__}: {text}" if text.strip() else type(error).__name__


def _cut(outcome: Outcome, limit: int) -> Outcome:
    if not isinstance(outcome.content, str) or len(outcome.content) <= limit:
        return outcome
    return replace(outcome, content=shorten(outcome.content, limit), full_text=outcome.content)
