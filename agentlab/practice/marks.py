"""The values in a question that are known by their form: quotes, paths, addresses, days, numbers.

They say which tool can take them, and nothing about what is wanted: to the encoder,
"open src/strings.py" is about strings. So a question is also read with neutral words for them.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from agentlab.practice.dates import dates, times
from agentlab.practice.values import Found, codes, emails, paths, quotes, urls

FORMS: tuple[Callable[[str], Sequence[Found]], ...] = (
    quotes,
    emails,
    urls,
    paths,
    dates,
    times,
    codes,
)
"""What finds each kind of value."""

NEUTRAL = {quotes: "X", emails: "X", paths: "the file"}
"""What stands for the kinds that hold words, which the encoder would take for the question's."""

REMEMBERED = 1024
"""Questions whose marks are kept, as each tool asks for them anew."""


@lru_cache(maxsize=REMEMBERED)
def marks(question: str) -> tuple[Found, ...]:
    """The values of a form of their own in `question`, in order."""
    return tuple(mark for mark, _ in _marked(question))


@lru_cache(maxsize=REMEMBERED)
def readings(question: str) -> tuple[str, ...]:
    """The question as it is, and with neutral words for its values where that differs."""
    neutral, done = "", 0
    for mark, find in _marked(question):
        if find in NEUTRAL:
            neutral += question[done : mark.start] + NEUTRAL[find]
            done = mark.end
    neutral += question[done:]
    return (question,) if neutral == question else (question, neutral)


def _marked(question: str) -> list[tuple[Found, Callable[[str], Sequence[Found]]]]:
    marked: list[tuple[Found, Callable[[str], Sequence[Found]]]] = []
    for find in FORMS:
        for each in find(question):
            if not each.overlaps(mark for mark, _ in marked):
                marked.append((each, find))
    return sorted(marked, key=lambda pair: pair[0].start)
