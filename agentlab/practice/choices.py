"""Options and switches: which of a parameter's values a question means."""

import re
from collections.abc import Iterable
from typing import Any

from agentlab.practice.encoder import similarity
from agentlab.practice.schema import Parameter
from agentlab.practice.values import stem, stems

ALIKE_ENOUGH, APART = 0.2, 0.06
"""How close in meaning an option must be to be taken, and how much closer than the next one."""


def option(
    parameter: Parameter,
    question: str,
    chosen: Iterable[Any] = (),
    tool_words: Iterable[str] = (),
) -> tuple[Any, bool]:
    """The option meant, and whether the question names it; `None` where none is meant.

    Args:
        parameter: one with options.
        question: what the user asked.
        chosen: options that another parameter has taken already, as in "from km to miles".
        tool_words: words of the tool's name, which speak for no option.
    """
    named = _named(parameter, question)
    if parameter.many:
        return (named or None), bool(named)
    fresh = [each for each in named if each not in chosen] or named
    if fresh:
        return fresh[0], True
    if not parameter.required:
        return None, False
    hinted = _by_hints(parameter, question, frozenset(map(stem, tool_words)))
    if hinted is not None:
        return hinted, True
    return _nearest(parameter, question), False


def flag(parameter: Parameter, question: str) -> bool | None:
    """Whether the question switches it on; `None` where it says nothing and need not."""
    asked = stems(question)
    own = {stem(word) for word in parameter.words} - {
        "is",
        "include",
        "includ",
        "with",
        "use",
        "us",
    }
    if own & set(asked):
        word = next(word for word in asked if word in own)
        refused = rf"(?:\bno\b|\bnot\b|n't|\bwithout\b)\W+(?:\w+\W+){{0,2}}?{re.escape(word)}"
        return re.search(refused, question, re.IGNORECASE) is None
    return False if parameter.required else None


def _named(parameter: Parameter, question: str) -> list[Any]:
    """The options that stand in the question word for word, in the order of the question."""
    found = []
    for each in parameter.options:
        spoken = re.escape(str(each)).replace("_", r"[\s_-]").replace(r"\-", r"[\s_-]")
        letters = "A-Za-z" if str(each).isascii() else ""
        edge = f"[{letters}0-9]" if letters else r"(?!)"
        match = re.search(rf"(?<!{edge}){spoken}(?:e?s)?(?!{edge})", question, re.IGNORECASE)
        if match and len(str(each)) > 1:
            found.append((match.start(), each))
    return [each for _, each in sorted(found, key=lambda pair: pair[0])]


def _by_hints(parameter: Parameter, question: str, ignored: frozenset[str]) -> Any:
    """The option whose words, or whose hints in the description, the question shares most of."""
    said = re.sub(r"\bi (?:want|would like)\b", "", question, flags=re.IGNORECASE)
    asked = set(stems(said)) - ignored  # "I want" opens a wish and is no reason
    shared = {}
    for each in parameter.options:
        own = set(stems(str(each)))
        shared[each] = 3 * len(own & asked) + 2 * len(
            set(stems(hint(parameter, each))) & asked - own
        )
    best = max(shared, key=lambda each: shared[each], default=None)
    winners = [each for each in shared if best is not None and shared[each] == shared[best]]
    return best if best is not None and shared[best] and len(winners) == 1 else None


def hint(parameter: Parameter, value: Any) -> str:
    """What the description says about one option: `damaged (broken, faulty)`."""
    name = re.escape(str(value))
    described = re.search(
        rf"\b{name}\b['\"`]?\s*(?:\(([^)]*)\)|(?:for|if|when|means|=|:)\s*([^,;.]*))",
        parameter.description,
    )
    return next(filter(None, described.groups()), "") if described else ""


def _nearest(parameter: Parameter, question: str) -> Any:
    """The option closest in meaning, or `other` or none where no option is close."""
    clauses = [part for part in re.split(r"[,.;!?]\s*", question) if part.strip()]
    scores = {
        each: max(
            similarity(clause, phrase.strip())
            for clause in [question, *clauses]
            for phrase in [str(each).replace("_", " "), *hint(parameter, each).split(",")]
            if phrase.strip()
        )
        for each in parameter.options
        if str(each).strip()
    }
    best, next_best = [*sorted(scores, key=lambda each: -scores[each]), None, None][:2]
    lead = scores.get(best, 0.0) - scores.get(next_best, 0.0)
    if round(scores.get(best, 0.0), 4) >= ALIKE_ENOUGH and round(lead, 4) >= APART:
        return best
    return "other" if "other" in parameter.options else None
