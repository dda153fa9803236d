"""A run as the Stepper's page gets it: each message once, and events that point at messages.

A request repeats every message before it, so a run written with whole requests would grow with the
square of its length. Here it grows with the length: a request is the number of messages it sent,
and an event says only what differs from the event before. The page puts the rest together again.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from agentlab.calls import ToolCall
from agentlab.events import (
    Event,
    Failed,
    HandedOff,
    Message,
    Reminded,
    Replied,
    Run,
    Stopped,
    ToolCalled,
    ToolReturned,
)
from agentlab.language import gettext
from agentlab.loop import NEXT_ACTION
from agentlab.models import MODELS, estimate_cost
from agentlab.results import sendable
from agentlab.rules import Violation, check_run, check_transcript
from agentlab.schemas import Schema
from agentlab.views.parts import headline
from agentlab.views.words import HOW_IT_WENT, WHAT_TO_DO, problem_in

VERSION = 1
LONG_RUN = 200_000
"""Characters of JSON in a transcript from which on long results are cut."""
LONGEST_RESULT = 4_000
MESSAGES_OF_A_STEP = 2
"""A reply and the results of its calls: by so many a request is usually longer than the last."""
LONGEST_EXACT_INTEGER = 2**53 - 1
"""Beyond it a browser rounds, so a larger number travels as text."""

Places = int | list[list[int]]
"""Messages of a list: the first so many of the pool, or ranges of it, each [start, end)."""


def payload_of(
    run: Run, *, whole: Run | None = None, waiting: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Everything that a page needs to step through `run`, as plain JSON data.

    Args:
        run: a run; one that breaks rules is described as it is.
        whole: the same run without a step that is not complete yet; the rules are held against it.
        waiting: a request that was made and has not been sent; it is shown as a last event.
    """
    return _Writer(run, whole or run, waiting).payload()


class _Writer:
    def __init__(self, run: Run, whole: Run, waiting: Mapping[str, Any] | None) -> None:
        self.run = run
        self.whole = whole
        self.waiting = waiting
        self.pool = Pool(run.messages)
        self.settings: list[dict[str, Any]] = []
        self.told: dict[str, Any] = {"step": 0, "context": {}}
        """What the events so far have said of each thing that stays until it changes."""
        asking = [event for event in run.events if isinstance(event, (Replied, Failed))]
        self.next_request = {id(now): later.request for now, later in pairwise(asking)}
        self.added: Sequence[Message] = []
        """What the loop put after the messages of the current request."""
        self.reply_before: dict[str, Any] = {}
        self.shown: int | None = None
        """Place of the assistant message that the current step shows."""
        self.sent = 0
        """How many messages the last request had."""
        self.places: Places | None = None
        """Where those stand."""
        self.next_call: list[int] | None = None
        """From where on the next call is looked for; what stands there goes without saying."""
        self.next_result: list[int] | None = None
        """Where the next result usually stands, which then goes without saying."""
        self.rates: dict[str, list[float]] = {}
        """Dollars for a million tokens in and out, by model."""
        self.reached = 0
        self.seen: list[int] = []
        """How many messages have been there after each event."""
        self.tools: Mapping[str, Any] = {}
        self.schemas: dict[int, Schema] = {}

    def payload(self) -> dict[str, Any]:
        events = [self.event(event) for event in self.run.events]
        if self.waiting is not None:
            events.append({"kind": "asking", **self.request(self.waiting)})
        cut = self.cut_long_results()
        return {
            "version": VERSION,
            "headline": headline(self.run),
            "messages": plain(self.pool.messages),
            "transcript": len(self.run.messages),
            "settings": plain([changed(new, old) for old, new in pairwise([{}, *self.settings])]),
            "events": plain(events),
            "rates": self.rates,
            "broken": plain(_broken_rules(self.whole, self.seen)),
            "cut": cut,
            "next": {reason: WHAT_TO_DO[action] for reason, action in NEXT_ACTION.items()},
            "went": HOW_IT_WENT,
        }

    def event(self, event: Event) -> dict[str, Any]:
        if isinstance(event, Replied):
            self.told["step"] += 1  # each reply begins a step; only what differs has to be said
        written: dict[str, Any] = {"kind": event.kind, **self.news("step", event.step)}
        match event:
            case Replied():
                written |= self.asked(event) | self.reply(event) | took(event.seconds)
            case ToolCalled():
                written |= self.call(event.call)
            case ToolReturned():
                written |= self.result(event) | took(event.seconds)
            case HandedOff():
                written |= {"successor": event.successor}
            case Reminded():
                reminder = {"role": "user", "content": event.text}
                place = self.pool.find(reminder, self.sent)
                self.reach(place + 1)
                written |= {"reminder": place}
            case Failed():
                problem = {"status": event.status, "error": event.error}
                written |= self.asked(event) | problem | {"problem": problem_in(event.error)}
            case Stopped():
                written |= {"reason": event.reason, "text": event.text}
        self.seen.append(self.reached)
        return written

    def reach(self, count: int) -> None:
        """Note that so many messages of the pool have been there by now."""
        self.reached = max(self.reached, count)

    def news(self, name: str, value: Any) -> dict[str, Any]:
        """What is to be said of a thing that stays: nothing, where it is as before."""
        if name in self.told and self.told[name] == value:
            return {}
        self.told[name] = value
        return {name: value}

    def asked(self, event: Replied | Failed) -> dict[str, Any]:
        return self.request(event.request) | self.news("agent", event.agent)

    def request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        settings = {name: value for name, value in request.items() if name != "messages"}
        tools = settings.get("tools") or []
        self.tools = {str(each.get("name")): each for each in tools if isinstance(each, Mapping)}
        usual = self.places + MESSAGES_OF_A_STEP if isinstance(self.places, int) else None
        if settings not in self.settings:
            self.settings.append(settings)
        self.sent = len(request["messages"])
        self.places = places = self.pool.places(request["messages"])
        self.reach(
            places if isinstance(places, int) else max((end for _, end in places), default=0)
        )
        return {
            **({"request": places} if places != usual else {}),
            **self.news("settings", self.settings.index(settings)),
        }

    def reply(self, event: Replied) -> dict[str, Any]:
        following = self.next_request.get(id(event), {"messages": self.run.messages})["messages"]
        self.added = following[self.sent :]
        own = {"role": "assistant", "content": event.reply["content"]}
        kept = self.added[0] if self.added else {}
        place = self.pool.find(kept if kept == own else own, self.sent)
        # The transcript leaves empty text out, so what it keeps may differ from what was said.
        same_calls = _call_ids(kept) == _call_ids(own) != []
        self.shown = self.pool.find(kept, self.sent) if same_calls else place
        self.reach(self.shown + 1)
        self.next_call, self.next_result = [self.shown, 0], [self.shown + 1, 0]
        rest = {name: value for name, value in event.reply.items() if name != "content"}
        # It usually stands right after the messages it answers, and then that goes without saying.
        elsewhere = {"content": place} if place != self.sent else {}
        written = {"reply": {**elsewhere, **changed(rest, self.reply_before)}}
        self.reply_before = rest
        cost = self.cost(event)
        return {
            **written,
            **({"shown": self.shown} if self.shown != place else {}),
            **({"cost": round(cost, 7)} if cost is not None else {}),
        }

    def cost(self, event: Replied) -> float | None:
        """What a reply cost, where the rates for tokens in and out do not say so already."""
        name, usage = str(event.request.get("model")), event.reply.get("usage") or {}
        cost, model = estimate_cost(name, usage), MODELS.get(name)
        if cost is None or model is None or model.input_price is None or model.output_price is None:
            return cost
        self.rates[name] = [model.input_price, model.output_price]
        plain_usage = {kind: usage.get(kind) for kind in ("input_tokens", "output_tokens")}
        return None if cost == estimate_cost(name, plain_usage) else cost

    def call(self, call: ToolCall) -> dict[str, Any]:
        problems = self.misfits(call)
        place = self.call_block(call)
        written = {"call": place} if place != self.usual_call() else {}
        self.next_call = [place[0], place[1] + 1]
        return {**written, **({"misfits": problems} if problems else {})}

    def result(self, event: ToolReturned) -> dict[str, Any]:
        outcome = event.outcome
        found = self.result_block(outcome.call.id)
        if found is None:  # the transcript has no such result: the run was broken off, or breaks it
            found = [self.pool.add({"role": "user", "content": [outcome.to_param()]}), 0]
        extras = {
            "status": outcome.status if outcome.status != "ran" else None,
            "printed": outcome.printed[:LONGEST_RESULT],
            "final": outcome.final,
            "full": len(outcome.full_text or ""),
        }
        self.reach(found[0] + 1)
        usual, self.next_result = self.next_result, [found[0], found[1] + 1]
        return {
            **({"result": found} if found != usual else {}),
            **{name: value for name, value in extras.items() if value},
            **self.news("context", plain(event.context)),
        }

    def usual_call(self) -> list[int] | None:
        """Where the next tool_use of the reply stands."""
        if self.next_call is None:
            return None
        message, start = self.next_call
        blocks = enumerate(_blocks(self.pool.messages[message]))
        calls = (at for at, block in blocks if at >= start and block.get("type") == "tool_use")
        return next(([message, at] for at in calls), None)

    def call_block(self, call: ToolCall) -> list[int]:
        """Where the tool_use of a call stands: its message and its place in that."""
        message = self.pool.messages[self.shown] if self.shown is not None else {}
        for at, block in enumerate(_blocks(message)):
            if block.get("type") == "tool_use" and block.get("id") == call.id:
                return [self.shown or 0, at]
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}
        return [self.pool.add({"role": "assistant", "content": [block]}), 0]

    def result_block(self, call_id: str) -> list[int] | None:
        """Where the tool_result of a call stands: its message and its place in that."""
        for at, message in enumerate(self.added, self.sent):
            for position, block in enumerate(_blocks(message)):
                if block.get("type") == "tool_result" and block.get("tool_use_id") == call_id:
                    return [self.pool.find(message, at), position]
        return None

    def misfits(self, call: ToolCall) -> list[str]:
        """In what the input of a call does not fit its tool's schema."""
        tool = self.tools.get(call.name)
        if tool is None:
            return [gettext("no tool of this request is named {name}", name=call.name)]
        schema = tool.get("input_schema")
        if not isinstance(schema, Mapping):
            return []  # a tool that the API itself defines
        try:
            return list(_misfits(call.input, self.schema(schema)))
        except Exception as error:  # whatever a foreign schema makes a validator raise
            problem = str(error)[:200]
            return [gettext("the tool's schema cannot be used: {problem}", problem=problem)]

    def schema(self, written: Mapping[str, Any]) -> Schema:
        return self.schemas.setdefault(id(written), Schema(dict(written)))

    def cut_long_results(self) -> dict[str, int]:
        """Cut long results of a long run; gives how long each was, by its place."""
        if sum(len(json.dumps(m, default=repr)) for m in self.pool.messages) <= LONG_RUN:
            return {}
        cut: dict[str, int] = {}
        for place, message in enumerate(self.pool.messages):
            blocks = list(_blocks(message))
            for at, block in enumerate(blocks):
                if block.get("type") == "tool_result":
                    short, length = _shortened(block.get("content"))
                    if length:
                        cut[f"{place}.{at}"] = length
                        blocks[at] = {**block, "content": short}
                        self.pool.messages[place] = {**message, "content": blocks}
        return cut


class Pool:
    """Every message of a run once: the transcript first, then those that it does not hold."""

    def __init__(self, transcript: Sequence[Message]) -> None:
        self.messages: list[Message] = list(transcript)
        self._transcript = list(transcript)
        self._by_identity = {id(message): at for at, message in enumerate(transcript)}
        self._before: list[int] = []

    def places(self, messages: Sequence[Message]) -> Places:
        """Where the messages of a list stand; those that are new are taken in."""
        if self._transcript[: len(messages)] == messages:
            return len(messages)
        self._before = [self.find(message, at) for at, message in enumerate(messages)]
        return _as_ranges(self._before)

    def find(self, message: Message, at: int) -> int:
        """The place of a message that stands at index `at` of some list; a new one is taken in."""
        if (place := self._by_identity.get(id(message))) is not None:
            return place
        for place in (at, *self._before[at : at + 1]):
            if place < len(self.messages) and self.messages[place] == message:
                return place
        return self.add(message)

    def add(self, message: Message) -> int:
        """Take a message in."""
        self.messages.append(message)
        self._by_identity[id(message)] = len(self.messages) - 1
        return len(self.messages) - 1


def took(seconds: float | None) -> dict[str, float]:
    """How long an event took, in milliseconds; nothing where nobody measured it."""
    return {} if seconds is None else {"ms": round(1000 * seconds, 1)}


def changed(new: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """What turns `old` into `new`: the values that differ, and under "-" the names now gone."""
    differing: dict[str, Any] = {}
    for name, value in new.items():
        before = old.get(name)
        if name not in old or value != before:
            inside = isinstance(value, Mapping) and isinstance(before, Mapping)
            differing[name] = changed(value, before or {}) if inside else value
    gone = [name for name in old if name not in new]
    return {**differing, "-": gone} if gone else differing


def plain(value: Any) -> Any:
    """`value` as JSON that any page can read.

    Half characters, infinities and numbers that a browser would round become readable text.
    """
    match value:
        case str():
            return sendable(value)
        case bool() | None:
            return value
        case int():
            return value if abs(value) <= LONGEST_EXACT_INTEGER else str(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case Mapping():
            return {plain(str(name)): plain(each) for name, each in value.items()}
        case list() | tuple():
            return [plain(each) for each in value]
        case _:
            return sendable(repr(value))


def _broken_rules(run: Run, seen: Sequence[int]) -> list[dict[str, Any]]:
    """Each broken rule, with the event at which it shows."""
    if not run.messages and not run.events:
        return []
    try:
        violations = check_run(run)
    except (AttributeError, KeyError, TypeError):  # so broken that the loop's rules find nothing
        violations = check_transcript(run.messages)
    return [_broken(violation, seen) for violation in violations]


def _broken(violation: Violation, seen: Sequence[int]) -> dict[str, Any]:
    index = violation.message_index
    last = max(len(seen) - 1, 0)
    event = next((at for at, count in enumerate(seen) if index is not None and count > index), last)
    return {
        "rule": violation.rule,
        "problem": violation.problem,
        "message": index,
        "event": event,
        "refused": violation.api_text,
    }


def _misfits(arguments: Any, schema: Schema) -> Iterator[str]:
    for misfit in schema.misfits(arguments):
        path = ".".join(str(part) for part in misfit.path) or "input"
        message = misfit.message if len(misfit.message) <= 200 else f"{misfit.message[:200]}…"
        yield f"{path}: {message}"


def _blocks(message: object) -> Iterator[Mapping[str, Any]]:
    """The blocks of a message, empty ones in place of what is no block."""
    content = message.get("content") if isinstance(message, Mapping) else None
    for block in content if isinstance(content, (list, tuple)) else ():
        yield block if isinstance(block, Mapping) else {}


def _call_ids(message: object) -> list[Any]:
    return [block.get("id") for block in _blocks(message) if block.get("type") == "tool_use"]


def _as_ranges(places: Sequence[int]) -> list[list[int]]:
    ranges: list[list[int]] = []
    for place in places:
        if ranges and ranges[-1][1] == place:
            ranges[-1][1] = place + 1
        else:
            ranges.append([place, place + 1])
    return ranges


def _shortened(content: Any) -> tuple[Any, int]:
    """A result's content cut, and how many characters its texts had; 0 where nothing is cut."""
    texts = list(_texts(content))
    length = sum(map(len, texts))
    return (_cut(content), length) if length > LONGEST_RESULT else (content, 0)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list, tuple)):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)


def _cut(value: Any) -> Any:
    match value:
        case str():
            return value[:LONGEST_RESULT]
        case Mapping():
            return {name: _cut(each) for name, each in value.items()}
        case list() | tuple():
            return [_cut(each) for each in value]
        case _:
            return value
