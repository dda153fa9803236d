"""A message as the events in which the API streams it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

CHUNK = 12
"""Characters in one delta."""

Event = dict[str, Any]

BROKEN: Event = {
    "type": "error",
    "error": {"type": "overloaded_error", "message": "Overloaded"},
}


def stream_events(message: Mapping[str, Any], *, broken: bool = False) -> Iterator[Event]:
    """The events of a message, in the API's order.

    Args:
        message: the complete message.
        broken: end with an error in the middle, as an overloaded API does.
    """
    usage = message["usage"]
    start = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
    start |= {"stop_details": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": start}
    if broken and not message["content"]:
        yield BROKEN
        return
    last = len(message["content"]) - 1
    for index, block in enumerate(message["content"]):
        cut_off = index == last and message["stop_reason"] == "max_tokens"
        yield {"type": "content_block_start", "index": index, "content_block": _opened(block)}
        if index == 0:
            yield {"type": "ping"}
        for delta in _deltas(block, cut_off=cut_off):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        if broken:
            yield BROKEN
            return
        yield {"type": "content_block_stop", "index": index}
    ending = {name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    yield {
        "type": "message_delta",
        "delta": ending,
        "usage": {"output_tokens": usage["output_tokens"]},
    }
    yield {"type": "message_stop"}


def encode_events(events: Iterable[Event]) -> bytes:
    """Server-sent events: each with its name and its JSON."""
    lines = (f"event: {e['type']}\ndata: {json.dumps(e, ensure_ascii=False)}\n\n" for e in events)
    return "".join(lines).encode("utf-8")


def _opened(block: Mapping[str, Any]) -> Event:
    empty: dict[str, Event] = {
        "text": {"text": ""},
        "tool_use": {"input": {}},
        "server_tool_use": {"input": {}},
        "thinking": {"thinking": "", "signature": ""},
    }
    return {**block, **empty.get(block["type"], {})}


def _deltas(block: Mapping[str, Any], *, cut_off: bool) -> Iterator[Event]:
    match block["type"]:
        case "text":
            for piece in _pieces(block["text"]):
                yield {"type": "text_delta", "text": piece}
        case "tool_use" | "server_tool_use":
            yield {"type": "input_json_delta", "partial_json": ""}
            if block["input"] or cut_off:
                for piece in _pieces(_json(block["input"], cut_off=cut_off)):
                    yield {"type": "input_json_delta", "partial_json": piece}
        case "thinking":
            for piece in _pieces(block["thinking"]):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": block["signature"]}


def _json(arguments: Mapping[str, Any], *, cut_off: bool) -> str:
    """The input of a call; one that is cut off breaks off where its next name begins."""
    text = json.dumps(arguments, ensure_ascii=False)
    return f'{text[:-1]}{", " if arguments else ""}"' if cut_off else text


def _pieces(text: str) -> Iterator[str]:
    return (text[at : at + CHUNK] for at in range(0, len(text), CHUNK))
