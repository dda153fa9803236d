"""A research loop as one writes it by hand over the raw SDK, and copies with one thing broken.

`HandWritten` keeps the five invariants. Each class below it changes one method, and with that
breaks one of them, or steps into one of two traps.
"""

import copy
from collections.abc import Callable, Mapping
from typing import Any

from anthropic import Anthropic
from anthropic.types import Message, ToolUseBlock

from agentlab.calls import Outcome, ToolCall
from agentlab.events import Event, Replied, Run, Stopped, ToolCalled, ToolReturned

FINAL = "write_report"
Tools = Mapping[str, Callable[..., str]]


class HandWritten:
    """An orchestrator in one class: the log and the messages are all that it remembers."""

    def __init__(self, client: Anthropic, tools: Tools, max_steps: int) -> None:
        self.client, self.tools, self.max_steps = client, tools, max_steps
        self.messages: list[dict[str, Any]] = []
        self.log: list[Event] = []

    @property
    def run(self) -> Run:
        return Run(self.log, self.messages, self.max_steps)

    def research(self, question: str) -> Run:
        self.messages.append({"role": "user", "content": question})
        step, reason = 0, "max_steps"
        while self.may_go_on(step):
            step += 1
            reply = self.think(step)
            calls = [block for block in reply.content if block.type == "tool_use"]
            self.messages.append({"role": "assistant", "content": reply.to_dict()["content"]})
            if not calls:
                reason = str(reply.stop_reason)
                break
            outcomes = self.answer_all(calls, step)
            results = [outcome.to_param() for outcome in outcomes]
            self.messages.append({"role": "user", "content": results})
            if self.is_over(calls, outcomes):
                reason = "final_tool"
                break
        self.log.append(Stopped(step, "by hand", reason, ""))
        return self.run

    def may_go_on(self, step: int) -> bool:
        return step < self.max_steps

    def think(self, step: int) -> Message:
        request: Any = {
            "model": "claude-haiku-4-5",
            "max_tokens": 1000,
            "messages": copy.deepcopy(self.messages),
            "tools": [
                {"name": name, "description": name, "input_schema": {"type": "object"}}
                for name in self.tools
            ],
        }
        reply: Message = self.client.messages.create(**request)
        self.log.append(Replied(step, "by hand", request, reply.to_dict()))
        return reply

    def answer_all(self, calls: list[ToolUseBlock], step: int) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for block in calls:
            call = ToolCall(block.id, block.name, dict(block.input))
            self.log.append(ToolCalled(step, call))
            if any(outcome.final for outcome in outcomes):
                outcomes.append(Outcome(call, "Not run: the report was written.", "not_run"))
            else:
                outcomes.append(self.dispatch(call))
            self.log.append(ToolReturned(step, outcomes[-1]))
        return outcomes

    def dispatch(self, call: ToolCall) -> Outcome:
        try:
            return self.perform(call)
        except Exception as error:
            return Outcome(call, f"{type(error).__name__}: {error}", "failed", exception=error)

    def perform(self, call: ToolCall) -> Outcome:
        return Outcome(call, self.tools[call.name](**call.input), final=call.name == FINAL)

    def is_over(self, calls: list[ToolUseBlock], outcomes: list[Outcome]) -> bool:
        return any(outcome.final for outcome in outcomes)


class LimitsOnlyWithAReport(HandWritten):
    """The limit is looked at once there is a report; without one the loop goes on."""

    def may_go_on(self, step: int) -> bool:
        written = any(isinstance(e, ToolReturned) and e.outcome.final for e in self.log)
        return step < self.max_steps or not written


class LogsOnlySuccess(HandWritten):
    """A call that failed leaves no line in the log."""

    def answer_all(self, calls: list[ToolUseBlock], step: int) -> list[Outcome]:
        before, outcomes = list(self.log), super().answer_all(calls, step)
        failed = {outcome.call.id for outcome in outcomes if outcome.is_error}
        added = self.log[len(before) :]
        self.log[len(before) :] = [
            event
            for event in added
            if not (isinstance(event, ToolReturned) and event.outcome.call.id in failed)
        ]
        return outcomes


class CrashesOnAnError(HandWritten):
    """Nothing catches what a tool raises."""

    def dispatch(self, call: ToolCall) -> Outcome:
        return self.perform(call)


class HidesErrors(HandWritten):
    """An error is sent as if it were a good result."""

    def dispatch(self, call: ToolCall) -> Outcome:
        outcome = super().dispatch(call)
        return Outcome(call, outcome.content, exception=outcome.exception, final=outcome.final)


class ShortensWhatWasSent(HandWritten):
    """To save tokens, results that were sent before are cut."""

    def think(self, step: int) -> Message:
        for place, message in enumerate(self.messages[:-2]):
            if message["role"] == "user" and isinstance(message["content"], list):
                cut = [{**block, "content": "(cut)"} for block in message["content"]]
                self.messages[place] = {**message, "content": cut}
        return super().think(step)


class GoesOnAfterTheReport(HandWritten):
    """The report is taken for a tool result like any other."""

    def is_over(self, calls: list[ToolUseBlock], outcomes: list[Outcome]) -> bool:
        return False


class DropsSiblings(HandWritten):
    """Trap: once the report is written, the other calls of the reply get no result."""

    def answer_all(self, calls: list[ToolUseBlock], step: int) -> list[Outcome]:
        names = [block.name for block in calls]
        kept = calls[: names.index(FINAL) + 1] if FINAL in names else calls
        return super().answer_all(kept, step)


class IsDoneBeforeLooking(HandWritten):
    """Trap: the run is over when the model has asked for the report, failed or not."""

    def is_over(self, calls: list[ToolUseBlock], outcomes: list[Outcome]) -> bool:
        return any(block.name == FINAL for block in calls)


MUTANTS: dict[type[HandWritten], str] = {
    LimitsOnlyWithAReport: "step_limit",
    LogsOnlySuccess: "unlogged_call",
    CrashesOnAnError: "unanswered_call",
    HidesErrors: "unflagged_error",
    ShortensWhatWasSent: "append_only",
    GoesOnAfterTheReport: "final_tool",
}
"""Each broken loop, and the one rule that names what it breaks."""
