"""Which turn of a script a request meets."""

from collections.abc import Mapping, Sequence
from typing import Any

from agentlab.errors import ConfigurationError
from agentlab.practice.script import Fault, Reply, Script, Turn


def checked_script(script: Script | None) -> Script | None:
    """The script, once it is known to be one.

    Raises:
        ConfigurationError: for anything but a sequence of replies and faults, or a function.
    """
    if script is None or callable(script):
        return script
    turns = list(script) if isinstance(script, Sequence) else [script]
    strange = [turn for turn in turns if not isinstance(turn, (Reply, Fault))]
    if strange or not isinstance(script, Sequence):
        raise ConfigurationError(
            "A script is a list of replies and faults, or a function of the request; found "
            "{value!r:.80}. Write it as [say('...')].",
            value=(strange or turns)[0],
        )
    return script


def turn_for(
    body: Mapping[str, Any],
    attempt: int,
    script: Script,
    faults: Mapping[int, Sequence[Fault]],
) -> Turn | None:
    """The turn that a request meets; `None` when the script has run out.

    Nothing is remembered between requests, so a cell can be run again: where a request stands in
    the script follows from the messages in it, and which fault it meets from the SDK's count of
    attempts.

    Args:
        body: the request.
        attempt: how often it has been sent before.
        script: the turns in order, or a function of the request.
        faults: more faults, by the number of replies before them.
    """
    at = position(body["messages"], script)
    written, reply = ([], None) if callable(script) else _turns_at(script, at)
    due = [*faults.get(at, ()), *written]
    if attempt < len(due):
        return due[attempt]
    if callable(script):
        return _checked_turn(script(dict(body)))
    return reply if reply or not due else due[-1]


def _turns_at(script: Sequence[Turn], at: int) -> tuple[list[Fault], Reply | None]:
    """The reply number `at` of a script, counted from zero, and the faults before it."""
    faults: list[Fault] = []
    replies = 0
    for turn in script:
        if isinstance(turn, Reply):
            if replies == at:
                return faults, turn
            replies += 1
        elif replies == at:
            faults.append(turn)
    return faults, None


def _checked_turn(turn: object) -> Turn:
    if isinstance(turn, (Reply, Fault)):
        return turn
    raise TypeError(
        f"the script's function returned {turn!r:.80}; return a reply, such as say('...')"
    )


def position(messages: Sequence[Mapping[str, Any]], script: Script | None = None) -> int:
    """How many replies the conversation has had.

    One for each assistant message, and one for each reply of the script that was empty or refused:
    a loop does not keep those, so two user messages stand side by side where they were given.
    """
    turns = [] if script is None or callable(script) else script
    replies = [turn for turn in turns if isinstance(turn, Reply)]
    count = 0
    previous = None
    for message in messages:
        role = message["role"]
        if role == "assistant":
            count += 1
        elif role == previous == "user" and not _holds_result(message):
            count += count < len(replies) and _is_unkept(replies[count])
        previous = role
    return count


def _is_unkept(reply: Reply) -> bool:
    blank = all(b["type"] == "text" and not b["text"].strip() for b in reply.content)
    return blank or reply.stop_reason == "refusal"


def replies_in(script: Script) -> int:
    """How many replies a sequence holds, faults left out."""
    return 0 if callable(script) else sum(isinstance(turn, Reply) for turn in script)


def _holds_result(message: Mapping[str, Any]) -> bool:
    content = message["content"]
    return not isinstance(content, str) and any(b.get("type") == "tool_result" for b in content)
