"""What the API demands of pictures: their kind, their bytes, their width and height."""

import base64
import binascii
import struct
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from agentlab.models import Model
from agentlab.practice.blocks import every_block, parts_of_results, places

LARGEST = 5_242_880
"""Bytes of base64 text in one picture."""
LONGEST_SIDE = 8000
"""Pixels."""
LONGEST_SIDE_OF_MANY = 2000
MANY = 20
"""With more pictures than this in a request, the smaller limit holds."""
KINDS = ("image/jpeg", "image/png", "image/gif", "image/webp")
PNG_START = b"\x89PNG\r\n\x1a\n"

Body = Mapping[str, Any]


def pictures(body: Body, model: Model) -> Iterator[str]:
    """What is wrong with the pictures that a request holds; only PNG files are measured."""
    found = list(_inline_pictures(body))
    many = len(found) > MANY
    longest = LONGEST_SIDE_OF_MANY if many else LONGEST_SIDE
    of_many = " for many-image requests" if many else ""
    for path, source in found:
        data = source.get("data")
        if isinstance(data, str) and len(data) > LARGEST:
            yield (
                f"{path}.image.source.base64: image exceeds 5 MB maximum: {len(data)} bytes > "
                f"{LARGEST} bytes"
            )
        if source.get("media_type") not in KINDS or not _is_base64(data):
            yield "Could not process image"
        elif max(_size_of_png(data)) > longest:
            yield (
                f"{path}.image.source.base64.data: At least one of the image dimensions exceed "
                f"max allowed size{of_many}: {longest} pixels"
            )


def _inline_pictures(body: Body) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if all(block["type"] != "image" for block in every_block(body["messages"])):
        return  # as in most requests, and then no place has to be found
    whole = ((place.path, place.block) for place in places(body["messages"]))
    for path, block in chain(whole, parts_of_results(body["messages"])):
        if block["type"] == "image" and block["source"]["type"] == "base64":
            yield path, block["source"]


def _is_base64(data: object) -> bool:
    try:
        return isinstance(data, str) and bool(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError):
        return False


def _size_of_png(data: Any) -> tuple[int, int]:
    """Width and height, which a PNG file has in its bytes 16 to 23; zeros for other files."""
    start = base64.b64decode(data[:32])
    if len(start) < 24 or not start.startswith(PNG_START):
        return 0, 0
    width, height = struct.unpack(">II", start[16:24])
    return width, height
