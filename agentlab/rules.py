"""The rule book: what a transcript and a run must satisfy.

The practice API refuses requests by these rules, `run` refuses to start on a transcript that
breaks them, and tests and graders look for them in what a loop has done. How each is told stands
in wording.py.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, groupby, pairwise
from typing import Any, Protocol

from agentlab.language import gettext
from agentlab.wording import WORDINGS

AS_JSON = json.JSONEncoder(allow_nan=False, ensure_ascii=False)
ID_PATTERN = re.compile(r"^[a-zA-Z0-9_-]+$")

Message = Mapping[str, Any]
Block = Mapping[str, Any]


@dataclass(frozen=True)
class Violation:
    """One broken rule."""

    rule: str
    """The rule's short name, such as `unanswered_call`."""
    message_index: int | None
    """Index of the message that breaks it; `None` where no single message does."""
    problem: str
    """What is wrong, in a sentence."""
    api_text: str | None = None
    """The API's own words when it refuses this; `None` for what it accepts."""

    def __str__(self) -> str:
        told = f"{self.problem} [{self.rule}]"
        if self.message_index is None:
            return told
        return gettext("message {index}: {problem}", index=self.message_index, problem=told)


@dataclass(frozen=True)
class Place:
    """A block of a transcript and where it stands."""

    message: int
    position: int
    block: Block

    @property
    def path(self) -> str:
        """The place as the API writes it."""
        return f"messages.{self.message}.content.{self.position}"

    @property
    def kind(self) -> str:
        """The block's type, such as `tool_use`."""
        kind: str = self.block["type"]
        return kind

    @property
    def call_id(self) -> str:
        """The id of a call, or of the call that a result answers."""
        return str(self.block.get("id" if self.kind == "tool_use" else "tool_use_id"))

    def broken(self, way: str, **found: object) -> Violation:
        """The violation that this block is."""
        return _broken(way, self.message, path=self.path, call_id=self.call_id, **found)


@dataclass(frozen=True)
class Turn:
    """Consecutive messages of one role, which the API reads as one."""

    role: str
    places: tuple[Place, ...]

    def of(self, kind: str) -> list[Place]:
        """The turn's blocks of one type, in order."""
        return [place for place in self.places if place.kind == kind]


NO_TURN = Turn("user", ())


@dataclass(frozen=True)
class Transcript:
    """Messages, and the turns that they make up."""

    messages: Sequence[Message]
    turns: tuple[Turn, ...]

    def all(self, kind: str) -> list[Place]:
        """Every block of one type, in order."""
        return [place for turn in self.turns for place in turn.of(kind)]

    def exchanges(self) -> Iterator[tuple[list[Place], Turn]]:
        """The calls of each turn, and the turn that has to answer them."""
        for before, after in pairwise((NO_TURN, *self.turns, NO_TURN)):
            yield before.of("tool_use") if before.role == "assistant" else [], after


def check_transcript(messages: Sequence[Message]) -> list[Violation]:
    """Every rule that `messages` breaks, worst shape first, then in the order of the rule book.

    Args:
        messages: a Messages API transcript, as a list of plain dicts.

    Returns:
        The violations; an empty list means that the transcript can be sent.
    """
    misshapen = list(_shape(messages))
    if misshapen:
        return misshapen  # the other rules read blocks, and there are none to read
    transcript = Transcript(messages, tuple(_turns(messages)))
    return [violation for rule in _TRANSCRIPT_RULES for violation in rule(transcript)]


def refused(violations: Iterable[Violation]) -> list[Violation]:
    """Those of `violations` for which the API would answer 400."""
    return [violation for violation in violations if violation.api_text is not None]


def _broken(way: str, index: int | None, **found: object) -> Violation:
    """A violation in the words of `WORDINGS[way]`."""
    wording = WORDINGS[way]
    api_text = wording.api_text and wording.api_text.format(index=index, **found)
    return Violation(way.split(".")[0], index, wording.problem.format(**found), api_text)


# --- the shape: a list of messages, each with a role and content


def _shape(messages: Sequence[Message]) -> Iterator[Violation]:
    if not messages:
        yield _broken("no_messages", None)
    for index, message in enumerate(messages):
        if misshapen := _misshapen(message):
            way, found = misshapen
            yield _broken(way, index, found=found)


def _misshapen(message: object) -> tuple[str, object] | None:
    """In which way a message is none, and what was found instead."""
    if not isinstance(message, Mapping):
        return "shape.message", type(message).__name__
    if message.get("role") not in ("user", "assistant", "system"):
        return "shape.role", message.get("role")
    content = message.get("content")
    if isinstance(content, str):
        return None
    if not isinstance(content, (list, tuple)):
        return "shape.content", type(content).__name__
    for block in content:
        if not isinstance(block, Mapping) or not isinstance(block.get("type"), str):
            return "shape.block", block
    return None


def _turns(messages: Sequence[Message]) -> Iterator[Turn]:
    """Merge consecutive messages of one role; a system message in between belongs to no turn."""
    spoken = [(at, each) for at, each in enumerate(messages) if each["role"] != "system"]
    for role, group in groupby(spoken, key=lambda each: str(each[1]["role"])):
        places = (Place(at, n, b) for at, message in group for n, b in enumerate(_blocks(message)))
        yield Turn(role, tuple(places))


def _blocks(message: Message) -> Sequence[Block]:
    content: str | Sequence[Block] = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


# --- the rules of a transcript


def _json(transcript: Transcript) -> Iterator[Violation]:
    for index, message in enumerate(transcript.messages):
        try:
            AS_JSON.encode(message).encode("utf-8")
        except (TypeError, ValueError) as error:
            yield _broken("json", index, error=error)


def _first_role(transcript: Transcript) -> Iterator[Violation]:
    if transcript.messages[0]["role"] == "assistant":
        yield _broken("first_role", 0)


def _content(transcript: Transcript) -> Iterator[Violation]:
    last = len(transcript.messages) - 1
    for index, message in enumerate(transcript.messages):
        final_assistant = index == last and message["role"] == "assistant"
        if not message["content"] and not final_assistant:
            yield _broken("empty_content", index)


def _text(transcript: Transcript) -> Iterator[Violation]:
    for index, message in enumerate(transcript.messages):
        for block in _blocks(message) if message["content"] else ():
            text = block.get("text") if block["type"] == "text" else None
            if text == "":
                yield _broken("blank_text.empty", index)
            elif isinstance(text, str) and not text.strip():
                yield _broken("blank_text.spaces", index)


def _call_shape(transcript: Transcript) -> Iterator[Violation]:
    for place in transcript.all("tool_use"):
        call_id, arguments = place.block.get("id"), place.block.get("input")
        if not isinstance(call_id, str) or not ID_PATTERN.match(call_id):
            yield place.broken("call_id", found=call_id, pattern=ID_PATTERN.pattern)
        if not isinstance(arguments, Mapping):
            yield place.broken("call_input", found=arguments)


def _unique_ids(transcript: Transcript) -> Iterator[Violation]:
    for place in _repeated(transcript.all("tool_use")):
        yield place.broken("unique_ids")


def _unanswered(transcript: Transcript) -> Iterator[Violation]:
    for calls, answering in transcript.exchanges():
        answered = {place.call_id for place in answering.of("tool_result")}
        if missing := [place for place in calls if place.call_id not in answered]:
            names = ", ".join(place.call_id for place in missing)
            yield missing[0].broken("unanswered_call", names=names, asked=missing[0].message)


def _results_first(transcript: Transcript) -> Iterator[Violation]:
    for calls, answering in transcript.exchanges():
        asked = {place.call_id: place for place in calls}
        after = list(dropwhile(lambda place: place.kind == "tool_result", answering.places))
        late = [p for p in after if p.kind == "tool_result" and p.call_id in asked]
        if late:
            names = ", ".join(place.call_id for place in late)
            asking, first = asked[late[0].call_id].message, after[0].kind
            yield late[0].broken("results_first", names=names, asked=asking, kind=first)


def _unexpected(transcript: Transcript) -> Iterator[Violation]:
    for calls, answering in transcript.exchanges():
        asked = {place.call_id for place in calls}
        for place in answering.of("tool_result"):
            if place.call_id not in asked:
                yield place.broken("unexpected_result")


def _duplicate_results(transcript: Transcript) -> Iterator[Violation]:
    for turn in transcript.turns:
        for place in _repeated(turn.of("tool_result")):
            yield place.broken("duplicate_result")


def _one_message(transcript: Transcript) -> Iterator[Violation]:
    for turn in transcript.turns:
        holders = sorted({place.message for place in turn.of("tool_result")})
        if len(holders) > 1:
            first, second, last = holders[0], holders[1], holders[-1]
            yield _broken("one_result_message", second, first=first, last=last)


def _empty_results(transcript: Transcript) -> Iterator[Violation]:
    for place in transcript.all("tool_result"):
        content = place.block.get("content")
        if not content or (isinstance(content, str) and not content.strip()):
            yield place.broken("empty_result")


def _repeated(places: Sequence[Place]) -> Iterator[Place]:
    """Each place whose call id an earlier one has."""
    seen: set[str] = set()
    for place in places:
        if place.call_id in seen:
            yield place
        seen.add(place.call_id)


_TRANSCRIPT_RULES: tuple[Callable[[Transcript], Iterator[Violation]], ...] = (
    _json,
    _first_role,
    _content,
    _text,
    _call_shape,
    _unique_ids,
    _unanswered,
    _results_first,
    _unexpected,
    _duplicate_results,
    _one_message,
    _empty_results,
)


# --- the rules of a run


class RecordedRun(Protocol):
    """What `check_run` reads of a run; `agentlab.Run` is one."""

    @property
    def events(self) -> Sequence[Any]:
        """What happened, in order."""

    @property
    def messages(self) -> Sequence[Message]:
        """The transcript."""

    @property
    def max_steps(self) -> int | None:
        """The step limit, where there was one."""


def check_run(run: RecordedRun) -> list[Violation]:
    """Every rule that a run breaks: those of its transcript, then the loop's invariants.

    The invariants: the step limit holds; every call is logged; an error is flagged as one; the
    transcript only grows; a final tool that succeeds ends the run; nothing happens after the end.

    Args:
        run: a finished, interrupted or recorded run.

    Returns:
        The violations; an empty list means that all is well.
    """
    violations = check_transcript(run.messages) if run.messages else []
    return [*violations, *(each for rule in _RUN_RULES for each in rule(run))]


def _step_limit(run: RecordedRun) -> Iterator[Violation]:
    replies = sum(event.kind == "replied" for event in run.events)
    if run.max_steps is not None and replies > run.max_steps:
        yield _broken("step_limit", None, replies=replies, limit=run.max_steps)


def _every_call_logged(run: RecordedRun) -> Iterator[Violation]:
    called = {event.call.id for event in run.events if event.kind == "tool_called"}
    returned = {event.outcome.call.id for event in run.events if event.kind == "tool_returned"}
    calls = list(_blocks_of(run.messages, "tool_use"))
    interrupted = calls and not (run.events and run.events[-1].kind == "stopped")
    for index, block in calls:
        if interrupted and index == calls[-1][0]:
            continue  # what the last reply asked for may not have come to its turn
        for ids, what in ((called, "call"), (returned, "result")):
            if block["id"] not in ids:
                way = f"unlogged_call.{what}"
                yield _broken(way, index, name=block.get("name"), call_id=block["id"])


def _errors_flagged(run: RecordedRun) -> Iterator[Violation]:
    failed = {
        event.outcome.call.id
        for event in run.events
        if event.kind == "tool_returned" and (event.outcome.is_error or event.outcome.exception)
    }
    for index, block in _blocks_of(run.messages, "tool_result"):
        if block["tool_use_id"] in failed and not block.get("is_error"):
            yield _broken("unflagged_error", index, call_id=block["tool_use_id"])


def _append_only(run: RecordedRun) -> Iterator[Violation]:
    sent = [event.request["messages"] for event in run.events if event.kind == "replied"]
    for before, after in pairwise([*sent, run.messages]):
        if after[: len(before)] == before:
            continue
        changed = (at for at, old in enumerate(before) if at >= len(after) or after[at] != old)
        if (index := next(changed, None)) is not None:
            yield _broken("append_only", index)


def _final_tool_ends(run: RecordedRun) -> Iterator[Violation]:
    final = None
    for event in run.events:
        ran = event.kind == "tool_returned" and event.outcome.status != "not_run"
        if final and (ran or event.kind == "replied"):
            yield _broken("final_tool.went_on", None, name=final)
            return
        if event.kind == "tool_returned" and event.outcome.final:
            final = event.outcome.call.name
        if event.kind == "stopped" and event.reason == "final_tool" and not final:
            yield _broken("final_tool.failed", None)


def _one_ending(run: RecordedRun) -> Iterator[Violation]:
    endings = [at for at, event in enumerate(run.events) if event.kind == "stopped"]
    if endings and endings != [len(run.events) - 1]:
        yield _broken("one_ending", None)


def _blocks_of(messages: Sequence[Message], kind: str) -> Iterator[tuple[int, Block]]:
    for index, message in enumerate(messages):
        for block in _blocks(message):
            if block["type"] == kind:
                yield index, block


_RUN_RULES: tuple[Callable[[RecordedRun], Iterator[Violation]], ...] = (
    _step_limit,
    _every_call_logged,
    _errors_flagged,
    _append_only,
    _final_tool_ends,
    _one_ending,
)
