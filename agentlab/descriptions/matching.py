"""Whether the calls of a reply are the expected ones, and their arguments, too."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from agentlab.descriptions.sets import Input, Question

Verdict = Literal["right", "wrong", "none"]

Call = tuple[str, Input]
"""The name of a tool and the arguments it is called with."""


def verdict_on(question: Question, called: Sequence[str]) -> Verdict:
    """`right` for all the expected tools and no other, `none` where a call is missing altogether.

    There is no partial credit: one of two expected tools is `wrong`, and so is one too many.

    Args:
        question: what was asked, with the tools it needs.
        called: the names of the called tools, in any order.
    """
    if set(called) == set(question.tools):
        return "right"
    return "wrong" if called else "none"


def arguments_fit(
    question: Question, calls: Sequence[Call], definitions: Mapping[str, Mapping[str, Any]]
) -> bool | None:
    """Whether each expected call was made with its arguments; `None` where none are expected.

    Args:
        question: what was asked, with the arguments it gives.
        calls: the calls of the reply, in any order.
        definitions: the tools by name; an argument that repeats a default does not count.
    """
    if not question.inputs:
        return None
    left = list(calls)
    for name, expected in question.calls:
        properties = definitions[name]["input_schema"].get("properties", {})
        fitting = [
            call for call in left if call[0] == name and _fits(expected or {}, call[1], properties)
        ]
        if not fitting:
            return False
        left.remove(fitting[0])
    return not left


def _fits(expected: Input, given: Input, properties: Mapping[str, Any]) -> bool:
    if any(not _has_value(expected[name], given.get(name)) for name in expected):
        return False
    unexpected = [name for name in given if name not in expected]
    return all(
        "default" in properties.get(name, {}) and properties[name]["default"] == given[name]
        for name in unexpected
    )


def _has_value(expected: Any, given: Any) -> bool:
    if isinstance(expected, Mapping) and expected.keys() == {"any"}:
        return any(_has_value(each, given) for each in expected["any"])
    if isinstance(expected, Mapping) and expected.keys() == {"about"}:
        wanted = _plain(expected["about"]).split()
        return isinstance(given, str) and all(word in _plain(given) for word in wanted)
    if isinstance(expected, str) and isinstance(given, str):
        return _plain(expected) == _plain(given)
    if isinstance(expected, list) and isinstance(given, list):
        same_length = len(expected) == len(given)
        return same_length and all(map(_has_value, expected, given))
    # In Python True equals 1; to a tool they are different arguments.
    return isinstance(expected, bool) == isinstance(given, bool) and bool(expected == given)


def _plain(text: str) -> str:
    """The text in small letters and with single spaces: what differs else is another value."""
    return " ".join(text.casefold().split())
