"""A reply as the message that the API sends: with ids, and with a count of tokens.

Token counts are an estimate of about four characters a token, and are no more than that: the
real tokenizer is not public. Ids are counted on from those in the request, never random.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from agentlab.models import find_model
from agentlab.practice.blocks import places
from agentlab.practice.script import Reply
from agentlab.practice.wire import AS_JSON, numbered

CHARACTERS_PER_TOKEN = 4
PICTURE_TOKENS = 1_600
"""What a picture costs at most when it is as large as models read it."""
ID_STARTS = {"tool_use": "toolu", "server_tool_use": "srvtoolu"}
PRACTICE_ID = re.compile(r"(?:srv)?toolu_practice_(\d+)")


def make_message(body: Mapping[str, Any], turn: Reply, input_tokens: int) -> dict[str, Any]:
    """The message that answers a request.

    Args:
        body: the request, with nothing against it.
        turn: what the model says.
        input_tokens: how long the request is estimated to be.
    """
    content = [*_server_results(body["messages"]), *_with_ids(turn.content, body["messages"])]
    return {
        "id": numbered("msg", reply_number(body["messages"])),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": turn.stop_reason,
        "stop_sequence": turn.stop_sequence,
        "stop_details": turn.stop_details,
        "usage": {
            "input_tokens": input_tokens,
            "output_tokens": max(1, _tokens(content)),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }


def reply_number(messages: Sequence[Mapping[str, Any]]) -> int:
    """The number that the ids of a reply carry, which grows with the conversation."""
    roles = [message["role"] for message in messages]
    return 1 + roles.count("assistant") + sum(pair == ("user", "user") for pair in pairwise(roles))


def estimate_tokens(body: Mapping[str, Any]) -> int:
    """Estimated input tokens: of the text, of the pictures, and of the prompt tools bring along.

    The size of that prompt by model is from Anthropic's tool-use overview (August 2026).
    """
    tools = body.get("tools") or ()
    forced = (body.get("tool_choice") or {}).get("type") in ("any", "tool")
    prompt = find_model(body["model"]).tool_prompt[forced] if tools else 0
    shown = [
        tool for tool in tools if not tool.get("defer_loading")
    ]  # the others wait for a search
    read = [body.get("system"), shown, body["messages"]]
    return prompt + sum(_tokens(part) for part in read if part)


def _tokens(value: Any) -> int:
    text = AS_JSON.encode(value)
    if '"base64"' not in text:
        return len(text) // CHARACTERS_PER_TOKEN
    data = [len(each) for each in _picture_data(value)]
    return (len(text) - sum(data)) // CHARACTERS_PER_TOKEN + PICTURE_TOKENS * len(data)


def _picture_data(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if value.get("type") == "base64" and isinstance(value.get("data"), str):
            yield value["data"]
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _picture_data(part)


def _server_results(messages: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The results of the server tools that the last reply had paused in."""
    if messages[-1]["role"] == "assistant":
        read = list(places(messages))
        answered = {place.block.get("tool_use_id") for place in read}
        for place in read:
            call = place.block.get("id")
            if place.kind == "server_tool_use" and call not in answered:
                kind = f"{place.block['name']}_tool_result"
                yield {"type": kind, "tool_use_id": call, "content": []}


def _with_ids(
    content: Sequence[Mapping[str, Any]], messages: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The blocks of a reply, each call with an id that the conversation does not have yet."""
    ids = (PRACTICE_ID.fullmatch(str(place.block.get("id"))) for place in places(messages))
    number = max((int(found[1]) for found in ids if found), default=0)
    for block in content:
        if block["type"] in ID_STARTS and "id" not in block:
            number += 1
            block_id = numbered(ID_STARTS[block["type"]], number)
            yield {"type": block["type"], "id": block_id, **block}
        else:
            yield dict(block)
