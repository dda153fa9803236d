"""Sentences of a text, and which of them say most about a question: word counts, no model."""

# ruff: noqa: RUF001 - sentences of several scripts end here

import re
from collections.abc import Iterable

from agentlab.practice.values import stems

ENDS = ".!?。！？"
END_OF_SENTENCE = re.compile(rf"(?<=[{ENDS}])\s+|\n+")
BULLET = re.compile(r"^(?:[-*•]|\d+[.)])\s+")
SENDS_ON = re.compile(r"(?:See|Read|More:|Related:|Next:|Go on with)\s")
"""How a sentence begins that sends its reader to another page and says nothing itself."""
FEWEST_WORDS = 6
MOST_CHARACTERS = 400


def sentences(text: str) -> list[str]:
    """The whole sentences of `text`, in order, each once; headings and lists of words are none."""
    parts = (BULLET.sub("", " ".join(part.split())) for part in END_OF_SENTENCE.split(text))
    return list(dict.fromkeys(part for part in parts if _is_sentence(part)))


def telling(text: str, question: str, count: int, *, without: Iterable[str] = ()) -> list[str]:
    """The `count` sentences that share most words with `question`, in the order of the text.

    Args:
        text: where the sentences stand.
        question: whose words count, each once.
        count: how many to take at most.
        without: sentences to leave out.
    """
    wanted, left_out = set(stems(question)), set(without)
    candidates = [each for each in sentences(text) if each not in left_out]
    best = sorted(candidates, key=lambda each: -len(wanted & set(stems(each))))[:count]
    return [each for each in candidates if each in best]


def _is_sentence(part: str) -> bool:
    return (
        part.endswith(tuple(ENDS))
        and not part[0].islower()  # the rest of a sentence that markup cut in two
        and not SENDS_ON.match(part)
        and len(part.split()) >= FEWEST_WORDS
        and len(part) <= MOST_CHARACTERS
    )
