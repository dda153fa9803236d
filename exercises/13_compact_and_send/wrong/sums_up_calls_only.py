"""Gives the calls to the summary, and not what they returned.

fails: summary: has to hold all results
"""

import json
from itertools import pairwise


def beginnings(messages):
    roles = ["user", *(message["role"] for message in messages)]
    turns = enumerate(pairwise(roles))
    return [place for place, turn in turns if turn == ("user", "assistant")]


def is_said(message):
    content = message["content"]
    blocks = [] if isinstance(content, str) else content
    return message["role"] == "user" and all(block["type"] != "tool_result" for block in blocks)


def summary_of(client, messages):
    task = "Sum this record up in a few sentences. Keep every name and number.\n\n"
    reply = client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=500,
        messages=[{"role": "user", "content": task + json.dumps(messages)}],
    )
    return "".join(block.text for block in reply.content if block.type == "text")


def compact(client, messages, keep=2):
    starts = beginnings(messages)
    if len(starts) <= keep:
        return list(messages)
    old, kept = messages[: starts[-keep]], messages[starts[-keep] :]
    first = "What happened so far: " + summary_of(
        client, [each for each in old if each["role"] == "assistant"]
    )
    if not any(is_said(message) for message in kept):
        question = [message for message in old if is_said(message)][-1]
        first += "\n\n" + question["content"]
    return [{"role": "user", "content": first}, *kept]
