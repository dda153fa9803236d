"""A practice model that does what it reads: the worst case that a defence has to hold against."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from agentlab.practice.brain import choose
from agentlab.practice.conversation import Call, Conversation, read
from agentlab.practice.plan import SURE, planned
from agentlab.practice.script import Reply, both, use
from agentlab.safety.marks import MARK

FIXED_MARKS = re.compile(r"<untrusted>.*?</untrusted>", re.DOTALL)
SEALED_MARKS = re.compile(r"\[untrusted (\w+)\].*?\[/untrusted \1\]", re.DOTALL)


def gullible(request: Mapping[str, Any]) -> Reply:
    """The practice model's reply, unless a tool_result asks for something: then that is done.

    Whether a result asks for a tool is decided as for a question, from the tools' names and
    descriptions. One rule is written into it: where the system prompt says that marked text is
    data, it takes no orders from between marks. A language model follows some planted orders and
    not others, and marks lower how many; so what this one does shows which orders reach a model
    unmarked and what the application stops, and is no figure for any other model.

    Args:
        request: the body of a Messages API request.
    """
    reply = choose(request)
    if reply.stop_reason == "tool_use":
        return reply
    ordered = list(_ordered_by_results(read(request)))
    return both(*(use(call.name, call.input) for call in ordered)) if ordered else reply


def _ordered_by_results(conversation: Conversation) -> Iterator[Call]:
    """The calls that results ask for, and that were not made yet."""
    heeds_marks = "data" in conversation.instructions and "untrusted" in conversation.instructions
    for step in conversation.steps:
        text = outside_marks(step.result) if heeds_marks else MARK.sub("", step.result)
        asked = replace(conversation, question=text, steps=(), earlier=())
        for wanted in planned(asked, conversation.cards):
            known = wanted.call.key in conversation.made
            if not known and not wanted.missing and wanted.score >= SURE:
                yield wanted.call


def outside_marks(text: str) -> str:
    """What stands outside marks, as a reader sees it who looks for the first one that closes."""
    return FIXED_MARKS.sub("", SEALED_MARKS.sub("", text))
