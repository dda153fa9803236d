"""Frames on a socket: a length of four bytes, then JSON. Nothing but JSON is ever read."""

import json
import socket
import struct
from typing import Any

from agentlab.language import gettext

Frame = dict[str, Any]

ORDER, END = b".", b"x"
"""What the nursery is told in one byte: that an order follows, and that the child is to end."""
LARGEST = 4_000_000
"""Bytes of the largest frame that is accepted."""


class BrokenFrame(Exception):
    """What came is no frame: the other side is not to be believed."""


def send_frame(connection: socket.socket, frame: Frame) -> None:
    """Send one frame."""
    body = json.dumps(frame, ensure_ascii=True).encode()
    connection.sendall(struct.pack(">I", len(body)) + body)


def receive_frame(connection: socket.socket) -> Frame | None:
    """The next frame; `None` where the other side has closed.

    Raises:
        BrokenFrame: for one that is too long, cut off, or not a JSON object.
    """
    head = _exactly(connection, 4)
    if head is None:
        return None
    (length,) = struct.unpack(">I", head)
    if length > LARGEST:
        raise BrokenFrame(gettext("a frame of {length} bytes", length=length))
    body = _exactly(connection, length)
    if body is None:
        raise BrokenFrame(gettext("a frame that was cut off"))
    try:
        frame = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BrokenFrame(gettext("a frame that is not JSON")) from error
    if not isinstance(frame, dict):
        raise BrokenFrame(gettext("a frame that is no object"))
    return frame


def _exactly(connection: socket.socket, wanted: int) -> bytes | None:
    parts, missing = [], wanted
    while missing:
        part = connection.recv(min(missing, 65_536))
        if not part:
            return None
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
