"""A saved run: one line of JSON for each event, and a message that requests share only once."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TextIO, TypeVar

from agentlab.errors import RecordingError
from agentlab.language import gettext

FORMAT_VERSION = 1

Message = dict[str, Any]
Line = dict[str, Any]
Made = TypeVar("Made")


def write_run(
    file: str | Path | TextIO, header: Line, lines: Sequence[Line], messages: Sequence[Message]
) -> None:
    """Write a header, the lines of the events, and the transcript.

    Args:
        file: its path, and what stands in it is replaced; or one that is open for writing.
        header: what is to be said of the run as a whole.
        lines: events as plain data; of a `request` only what it adds to the last is written.
        messages: the transcript.
    """
    with _opened(file, "w") as opened:
        for line in _shortened({"agentlab_run": FORMAT_VERSION, **header}, lines, messages):
            opened.write(json.dumps(line, ensure_ascii=False, default=repr) + "\n")


def read_run(
    file: str | Path | TextIO, make: Callable[[Line], Made]
) -> tuple[Line, list[Made], list[Message]]:
    """The header, the events and the transcript of a file that `write_run` wrote.

    Args:
        file: its path, or one that is open for reading.
        make: makes an event of its line.

    Raises:
        RecordingError: for a file that is no run, or of a version this package cannot read.
    """
    header, lines, messages = _read(file)
    made = []
    for number, line in enumerate(lines, 2):
        try:
            _require_shape(line)
            made.append(make(line))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = f"{type(error).__name__}: {error}"
            raise RecordingError(
                "{path!r} was changed or damaged: line {number} is no event ({problem}). "
                "Save the run again.",
                path=_named(file),
                number=number,
                problem=problem,
            ) from error
    return header, made, messages


@contextmanager
def _opened(file: str | Path | TextIO, mode: Literal["r", "w"]) -> Iterator[TextIO]:
    """A file by its path; one that is open already stays open."""
    if isinstance(file, str | Path):
        with open(file, mode, encoding="utf-8") as opened:
            yield opened
    else:
        yield file


def _named(file: str | Path | TextIO) -> str:
    """What to call a file; one that has no name is a text that somebody holds."""
    if isinstance(file, str | Path):
        return str(file)
    return str(getattr(file, "name", gettext("the text")))


def _read(file: str | Path | TextIO) -> tuple[Line, list[Line], list[Message]]:
    try:
        with _opened(file, "r") as opened:
            text = opened.read()
        header, *lines = [json.loads(line) for line in text.split("\n") if line]
        version = header["agentlab_run"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise RecordingError(
            "{path!r} is not a saved run: {error}. Save one with run.save(path).",
            path=_named(file),
            error=error,
        ) from error
    if version != FORMAT_VERSION:
        raise RecordingError(
            "{path!r} is a run of version {version!r}, and this agentlab reads version "
            "{known}. Update agentlab, or save the run again.",
            path=_named(file),
            version=version,
            known=FORMAT_VERSION,
        )
    if not lines or not isinstance(lines[-1], dict) or "messages" not in lines[-1]:
        raise RecordingError(
            "{path!r} was cut short: its last line is not the transcript. Save it again.",
            path=_named(file),
        )
    transcript = lines.pop()
    sent: list[Message] = []
    try:
        for line in lines:
            if "request" in line:
                line["request"]["messages"] = sent = _restored(line["request"]["messages"], sent)
        return header, lines, _restored(transcript["messages"], sent)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordingError(
            "{path!r} was changed or damaged: its messages do not fit together ({error}). "
            "Save the run again.",
            path=_named(file),
            error=error,
        ) from error


def _require_shape(line: Line) -> None:
    """Refuse a line whose parts are not of the kinds that everything relies on."""
    wanted: dict[str, type] = {"event": str, "step": int, "agent": str, "request": dict}
    wanted |= {"reply": dict, "call": dict, "outcome": dict, "context": dict, "text": str}
    for name, kind in wanted.items():
        if name in line and not isinstance(line[name], kind):
            raise TypeError(
                gettext(
                    "{name} is {found!r:.40}, and has to be {wanted}",
                    name=name,
                    found=line[name],
                    wanted=kind.__name__,
                )
            )
    blocks = line["reply"]["content"] if "reply" in line else []
    if not all(isinstance(block["type"], str) for block in blocks):
        raise TypeError(gettext("a block of the reply has no type"))
    if "reply" in line and not isinstance(line["reply"]["usage"], dict):
        raise TypeError(gettext("the reply has no usage"))


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
    messages = [*before[: change["kept"]], *change["added"]]
    if not all(isinstance(message, dict) for message in messages):
        raise TypeError(gettext("a message is no object"))
    return messages
