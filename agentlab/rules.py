"""The rule book: what a transcript and a run must satisfy.

The practice API refuses requests by these rules, `run` refuses to start on a transcript that
breaks them, and tests and graders look for them in what a loop has done.

The texts in `Violation.api_text` are those with which the Messages API answers 400, collected
from its documentation and from errors quoted in public bug reports. Their wording may drift.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, groupby, pairwise
from typing import Any, Protocol

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
        place = "" if self.message_index is None else f"message {self.message_index}: "
        return f"{place}{self.problem} [{self.rule}]"


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
        return str(self.block["type"])

    @property
    def call_id(self) -> str:
        """The id of a call, or of the call that a result answers."""
        return str(self.block.get("id" if self.kind == "tool_use" else "tool_use_id"))


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


# --- the shape: a list of messages, each with a role and content


def _shape(messages: Sequence[Message]) -> Iterator[Violation]:
    if not messages:
        text = "messages: at least one message is required"
        yield Violation("no_messages", None, "the transcript is empty", text)
    for index, message in enumerate(messages):
        problem = _misshapen(message)
        if problem:
            yield Violation("shape", index, problem, f"messages.{index}: {problem}")


def _misshapen(message: object) -> str | None:
    if not isinstance(message, Mapping):
        return f"a message must be a dict, found {type(message).__name__}"
    if message.get("role") not in ("user", "assistant", "system"):
        return f"role must be 'user' or 'assistant', found {message.get('role')!r}"
    content = message.get("content")
    if isinstance(content, str):
        return None
    if not isinstance(content, (list, tuple)):
        return f"content must be text or a list of blocks, found {type(content).__name__}"
    for block in content:
        if not isinstance(block, Mapping) or not isinstance(block.get("type"), str):
            return f"a block must be a dict with a type, found {block!r:.80}"
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
            json.dumps(message, allow_nan=False, ensure_ascii=False).encode("utf-8")
        except (TypeError, ValueError) as error:
            problem = f"the message cannot be sent as JSON: {error}"
            yield Violation("json", index, problem, f"The request body is not valid JSON: {error}")


def _first_role(transcript: Transcript) -> Iterator[Violation]:
    if transcript.messages[0]["role"] == "assistant":
        text = 'messages: first message must use the "user" role'
        yield Violation("first_role", 0, "the first message is not the user's", text)


def _content(transcript: Transcript) -> Iterator[Violation]:
    last = len(transcript.messages) - 1
    for index, message in enumerate(transcript.messages):
        final_assistant = index == last and message["role"] == "assistant"
        if not message["content"] and not final_assistant:
            text = (
                f"messages.{index}: all messages must have non-empty content "
                "except for the optional final assistant message"
            )
            yield Violation("empty_content", index, "the message has no content", text)


def _text(transcript: Transcript) -> Iterator[Violation]:
    for index, message in enumerate(transcript.messages):
        for block in _blocks(message) if message["content"] else ():
            text = block.get("text") if block["type"] == "text" else None
            if text == "":
                wanted = "messages: text content blocks must be non-empty"
                yield Violation("blank_text", index, "a text block is empty", wanted)
            elif isinstance(text, str) and not text.strip():
                wanted = "messages: text content blocks must contain non-whitespace text"
                yield Violation("blank_text", index, "a text block holds only white space", wanted)


def _call_shape(transcript: Transcript) -> Iterator[Violation]:
    for place in transcript.all("tool_use"):
        call_id, arguments = place.block.get("id"), place.block.get("input")
        if not isinstance(call_id, str) or not ID_PATTERN.match(call_id):
            problem = f"a tool_use has the id {call_id!r}; letters, digits, _ and - are allowed"
            text = f"{place.path}.tool_use.id: String should match pattern '{ID_PATTERN.pattern}'"
            yield Violation("call_id", place.message, problem, text)
        if not isinstance(arguments, Mapping):
            problem = f"the input of tool_use `{call_id}` is {arguments!r:.60}, not a dict"
            text = f"{place.path}.tool_use.input: Input should be a valid dictionary"
            yield Violation("call_input", place.message, problem, text)


def _unique_ids(transcript: Transcript) -> Iterator[Violation]:
    for place in _repeated(transcript.all("tool_use")):
        problem = f"the tool_use id `{place.call_id}` is used a second time"
        text = f"{place.path}: `tool_use` ids must be unique"
        yield Violation("unique_ids", place.message, problem, text)


def _unanswered(transcript: Transcript) -> Iterator[Violation]:
    for calls, answering in transcript.exchanges():
        answered = {place.call_id for place in answering.of("tool_result")}
        if missing := [place for place in calls if place.call_id not in answered]:
            names = ", ".join(place.call_id for place in missing)
            problem = f"no tool_result answers the tool_use {names} in the next message"
            text = _found_without(missing[0], names)
            yield Violation("unanswered_call", missing[0].message, problem, text)


def _results_first(transcript: Transcript) -> Iterator[Violation]:
    for calls, answering in transcript.exchanges():
        asked = {place.call_id: place for place in calls}
        after = list(dropwhile(lambda place: place.kind == "tool_result", answering.places))
        late = [p for p in after if p.kind == "tool_result" and p.call_id in asked]
        if late:
            names = ", ".join(place.call_id for place in late)
            problem = f"{after[0].kind} stands before the tool_result for {names}; results go first"
            text = _found_without(asked[late[0].call_id], names)
            yield Violation("results_first", late[0].message, problem, text)


def _unexpected(transcript: Transcript) -> Iterator[Violation]:
    for calls, answering in transcript.exchanges():
        asked = {place.call_id for place in calls}
        for place in answering.of("tool_result"):
            if place.call_id not in asked:
                problem = f"a tool_result answers `{place.call_id}`, for which nobody asked before"
                text = (
                    f"{place.path}: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{place.call_id}. Each `tool_result` block must have a corresponding "
                    "`tool_use` block in the previous message."
                )
                yield Violation("unexpected_result", place.message, problem, text)


def _duplicate_results(transcript: Transcript) -> Iterator[Violation]:
    for turn in transcript.turns:
        for place in _repeated(turn.of("tool_result")):
            problem = f"the tool_use `{place.call_id}` is answered twice"
            text = (
                f"{place.path}: each tool_use must have a single result. "
                f"Found multiple `tool_result` blocks with id: {place.call_id}"
            )
            yield Violation("duplicate_result", place.message, problem, text)


def _one_message(transcript: Transcript) -> Iterator[Violation]:
    for turn in transcript.turns:
        holders = sorted({place.message for place in turn.of("tool_result")})
        if len(holders) > 1:
            problem = (
                f"the results of one reply are spread over messages {holders[0]} to {holders[-1]}; "
                "put them in one, or the model learns to make one call at a time"
            )
            yield Violation("one_result_message", holders[1], problem)


def _empty_results(transcript: Transcript) -> Iterator[Violation]:
    for place in transcript.all("tool_result"):
        content = place.block.get("content")
        if not content or (isinstance(content, str) and not content.strip()):
            problem = f"the tool_result for `{place.call_id}` is empty; say at least '(no output)'"
            yield Violation("empty_result", place.message, problem)


def _repeated(places: Sequence[Place]) -> Iterator[Place]:
    """Each place whose call id an earlier one has."""
    seen: set[str] = set()
    for place in places:
        if place.call_id in seen:
            yield place
        seen.add(place.call_id)


def _found_without(place: Place, names: str) -> str:
    return (
        f"messages.{place.message}: `tool_use` ids were found without `tool_result` blocks "
        f"immediately after: {names}. Each `tool_use` block must have a corresponding "
        "`tool_result` block in the next message."
    )


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
        problem = f"{replies} replies were asked for, and the limit is {run.max_steps}"
        yield Violation("step_limit", None, problem)


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
                problem = f"the {what} of {block.get('name')} `{block['id']}` left no event"
                yield Violation("unlogged_call", index, problem)


def _errors_flagged(run: RecordedRun) -> Iterator[Violation]:
    failed = {
        event.outcome.call.id
        for event in run.events
        if event.kind == "tool_returned" and (event.outcome.is_error or event.outcome.exception)
    }
    for index, block in _blocks_of(run.messages, "tool_result"):
        if block["tool_use_id"] in failed and not block.get("is_error"):
            problem = f"the error of `{block['tool_use_id']}` is sent without is_error"
            yield Violation("unflagged_error", index, problem)


def _append_only(run: RecordedRun) -> Iterator[Violation]:
    sent = [event.request["messages"] for event in run.events if event.kind == "replied"]
    for before, after in pairwise([*sent, run.messages]):
        if after[: len(before)] == before:
            continue
        changed = (at for at, old in enumerate(before) if at >= len(after) or after[at] != old)
        if (index := next(changed, None)) is not None:
            problem = "a message that was sent before was changed or removed"
            yield Violation("append_only", index, problem)


def _final_tool_ends(run: RecordedRun) -> Iterator[Violation]:
    final = None
    for event in run.events:
        ran = event.kind == "tool_returned" and event.outcome.status != "not_run"
        if final and (ran or event.kind == "replied"):
            problem = f"the run went on after the final tool `{final}` had succeeded"
            yield Violation("final_tool", None, problem)
            return
        if event.kind == "tool_returned" and event.outcome.final:
            final = event.outcome.call.name
        if event.kind == "stopped" and event.reason == "final_tool" and not final:
            yield Violation("final_tool", None, "the run ended with a final tool that had failed")


def _one_ending(run: RecordedRun) -> Iterator[Violation]:
    endings = [at for at, event in enumerate(run.events) if event.kind == "stopped"]
    if endings and endings != [len(run.events) - 1]:
        yield Violation("one_ending", None, "something happened after the run had stopped")


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
