"""What becomes of the value that a tool returns, before a model may read it."""

import asyncio
import base64
import dataclasses
import datetime
import enum
import inspect
import itertools
import json
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

from agentlab.threads import THREADS

NO_OUTPUT = "(no output)"
MOST_ITEMS = 10_000
"""Items taken from a generator, which may have no end."""
LARGEST_IMAGE = 5 * 1024 * 1024
"""Bytes; the API refuses a larger image, and would refuse it again with every later request."""

IMAGE_TYPES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}

Content = str | list[dict[str, Any]]


def settle(value: Any) -> Any:
    """Wait for a coroutine and drain a generator, so that there is a value to look at.

    Works inside a notebook too, where an event loop is already running in this thread.
    """
    if inspect.isasyncgen(value):
        value = _collect(value)
    if inspect.iscoroutine(value):
        value = _wait_for(value)
    if isinstance(value, Iterator):
        value = list(itertools.islice(value, MOST_ITEMS))
    return value


def to_content(value: Any) -> Content:
    """`value` as the content of a tool_result: text, or blocks where it holds a picture."""
    if _is_blocks(value):
        return list(value)
    picture = value if isinstance(value, (bytes, bytearray)) else _drawn(value)
    if picture is not None:
        return _picture(bytes(picture))
    text = value if isinstance(value, str) else _as_json(value)
    return sendable(text) if value is not None and text.strip() else NO_OUTPUT


def sendable(text: str) -> str:
    """`text` without the half characters (lone surrogates) that no request can carry."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters of `text`; where some are left out, the end says so."""
    if len(text) <= limit:
        return text
    notice = f"\n[cut: {len(text):,} characters in all, the first {limit:,} at most are shown]"
    return text[: max(0, limit - len(notice))] + notice


def _wait_for(coroutine: Any) -> Any:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    if not THREADS:
        return asyncio.run(coroutine)  # a browser's loop lets a second one wait inside it
    return _in_a_thread(lambda: asyncio.run(coroutine))


def _in_a_thread(work: Callable[[], Any]) -> Any:
    outcome: list[tuple[bool, Any]] = []

    def run() -> None:
        try:
            outcome.append((True, work()))
        except BaseException as error:  # carried over to the thread that waits, and raised there
            outcome.append((False, error))

    thread = threading.Thread(target=run, name="agentlab-async-tool", daemon=True)
    thread.start()
    thread.join()
    succeeded, value = outcome[0]
    if not succeeded:
        raise value
    return value


async def _collect(values: Any) -> list[Any]:
    collected = []
    async for value in values:
        collected.append(value)
        if len(collected) == MOST_ITEMS:
            break
    return collected


def _is_blocks(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(b, dict) and b.get("type") in ("text", "image") for b in value)
        and all(b.get("text", "").strip() if b["type"] == "text" else "source" in b for b in value)
    )


def _drawn(value: Any) -> bytes | None:
    """The PNG of an object that knows how to draw itself in a notebook, such as a PIL image."""
    draw = getattr(value, "_repr_png_", None)
    drawn = draw() if callable(draw) and not isinstance(value, type) else None
    return drawn if isinstance(drawn, bytes) else None


def _picture(data: bytes) -> Content:
    media_type = next((kind for start, kind in IMAGE_TYPES.items() if data.startswith(start)), None)
    if media_type is None:
        return f"({len(data)} bytes that are not text; return text or a PNG, JPEG, GIF or WebP)"
    if len(data) > LARGEST_IMAGE:
        return (
            f"(an image of {len(data)} bytes; {LARGEST_IMAGE} bytes is the most that can be sent)"
        )
    encoded = base64.b64encode(data).decode("ascii")
    source = {"type": "base64", "media_type": media_type, "data": encoded}
    return [{"type": "image", "source": source}]


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError, RecursionError):  # keys that are no text, or a value in itself
        return _described(value)


def _plain(value: Any) -> Any:
    """A value that JSON has no form for, in the nearest form that JSON has."""
    match value:
        case set() | frozenset():
            return sorted(value, key=str)
        case enum.Enum():
            return value.value
        case datetime.date() | datetime.time():
            return value.isoformat()
        case bytes() | bytearray():
            return f"({len(value)} bytes)"
        case Iterator():
            return list(itertools.islice(value, MOST_ITEMS))
    return _converted(value)


def _converted(value: Any) -> Any:
    """What an object of another library makes of itself: pydantic, numpy, pandas."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    for method in ("model_dump", "tolist", "item"):
        if callable(getattr(value, method, None)):
            return getattr(value, method)()
    if callable(getattr(value, "to_json", None)):
        return json.loads(value.to_json(date_format="iso"))
    return _described(value)


def _described(value: Any) -> str:
    return re.sub(r" at 0x[0-9a-fA-F]+", "", str(value))
