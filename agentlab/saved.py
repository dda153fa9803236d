"""A saved run: one line of JSON for each event, and a message that requests share only once."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentlab.errors import RecordingError

FORMAT_VERSION = 1

Message = dict[str, Any]
Line = dict[str, Any]


def write_run(
    path: str | Path, header: Line, lines: Sequence[Line], messages: Sequence[Message]
) -> None:
    """Write a header, the lines of the events, and the transcript.

    Args:
        path: the file; what stands in it is replaced.
        header: what is to be said of the run as a whole.
        lines: events as plain data; of a `request` only what it adds to the last is written.
        messages: the transcript.
    """
    with Path(path).open("w", encoding="utf-8") as file:
        for line in _shortened({"agentlab_run": FORMAT_VERSION, **header}, lines, messages):
            file.write(json.dumps(line, ensure_ascii=False, default=repr) + "\n")


def read_run(path: str | Path) -> tuple[Line, list[Line], list[Message]]:
    """The header, the lines of the events and the transcript of a file that `write_run` wrote.

    Raises:
        RecordingError: for a file that is no run, or of a version this package cannot read.
    """
    text = Path(path).read_text(encoding="utf-8")
    try:
        header, *lines = [json.loads(line) for line in text.split("\n") if line]
        version = header["agentlab_run"]
    except (ValueError, KeyError, TypeError) as error:
        raise RecordingError(
            f"{str(path)!r} is not a saved run: {error}. Save one with run.save(path)."
        ) from error
    if version != FORMAT_VERSION:
        raise RecordingError(
            f"{str(path)!r} is a run of version {version!r}, and this agentlab reads version "
            f"{FORMAT_VERSION}. Update agentlab, or save the run again."
        )
    if not lines or "messages" not in lines[-1]:
        raise RecordingError(
            f"{str(path)!r} was cut short: its last line is not the transcript. Save it again."
        )
    transcript = lines.pop()
    sent: list[Message] = []
    for line in lines:
        if "request" in line:
            line["request"]["messages"] = sent = _restored(line["request"]["messages"], sent)
    return header, lines, _restored(transcript["messages"], sent)


def _shortened(header: Line, lines: Sequence[Line], messages: Sequence[Message]) -> Iterator[Line]:
    yield header
    sent: list[Message] = []
    for line in lines:
        if "request" in line:
            request = line["request"]
            yield {**line, "request": {**request, "messages": _added(request["messages"], sent)}}
            sent = request["messages"]
        else:
            yield line
    yield {"messages": _added(messages, sent)}


def _added(messages: Sequence[Message], before: Sequence[Message]) -> dict[str, Any]:
    """`messages` as what they keep of the list before and what they add to it."""
    kept = 0
    for old, new in zip(before, messages, strict=False):
        if old != new:
            break
        kept += 1
    return {"kept": kept, "added": list(messages[kept:])}


def _restored(change: Mapping[str, Any], before: Sequence[Message]) -> list[Message]:
    return [*before[: change["kept"]], *change["added"]]
