"""Where a chosen reply ends early: at a stop sequence, or at the end of its tokens."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agentlab.practice.messages import CHARACTERS_PER_TOKEN
from agentlab.practice.script import Block, Reply, cut_off


def within_limits(reply: Reply, body: Mapping[str, Any]) -> Reply:
    """The reply as far as the request lets it come.

    Args:
        reply: what the practice model would say.
        body: the request, with its `max_tokens` and `stop_sequences`.
    """
    reply = _until_stop_sequence(reply, body.get("stop_sequences") or ())
    room = body["max_tokens"] * CHARACTERS_PER_TOKEN
    whole: list[Block] = []
    for block in reply.content:
        room -= _length(block)
        if room < 0:
            return _cut(replace(reply, content=(*whole, block)), -room)
        whole.append(block)
    return reply


def _until_stop_sequence(reply: Reply, stops: Any) -> Reply:
    for index, block in enumerate(reply.content):
        for stop in stops:
            before, found, _ = block.get("text", "").partition(stop)
            if found:
                kept = (*reply.content[:index], *([{**block, "text": before}] if before else []))
                return replace(reply, content=kept, stop_reason="stop_sequence", stop_sequence=stop)
    return reply


def _cut(reply: Reply, characters: int) -> Reply:
    """The reply without the last `characters` of its last block, which do not fit."""
    *whole, last = reply.content
    if last["type"] != "text":
        return cut_off(reply)
    text = last["text"][: max(0, len(last["text"]) - characters)]
    kept = (*whole, {**last, "text": text}) if text.strip() else tuple(whole)
    return replace(reply, content=kept, stop_reason="max_tokens")


def _length(block: Block) -> int:
    """Characters of a block that cost tokens: its text, or its input as JSON."""
    return len(block.get("text") or json.dumps(block.get("input"), ensure_ascii=False))
