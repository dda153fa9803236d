"""Arguments that are words: places, people, titles, searches, messages, formulas."""

# ruff: noqa: RUF001 - letters of several alphabets are meant as they are

import re
from collections.abc import Iterable, Sequence
from typing import Any

from agentlab.practice import values
from agentlab.practice.lexicon import (
    FRAME_WORDS,
    KNOWN_CITIES,
    LANGUAGES,
    NUMBER_WORDS,
    REQUEST_WORDS,
    STOP_WORDS,
    UNITS,
    words,
)
from agentlab.practice.schema import EXAMPLE, Parameter
from agentlab.practice.values import PHONE, Found, calculation, core, names, quotes, stem, stems

MESSAGES = words("text message content body note comment paragraph sentence prompt")
SEARCHES = words(
    """
    query q search keyword keywords topic term subject product item title question name
    ingredient task company movie film book song word phrase dish recipe
    """
)
PEOPLE = words("person name author recipient user contact customer employee")
TOPICS = SEARCHES - {"name", "company"}
"""Those that may be more than a name, so that a name is only part of what is meant."""

SAID_BEFORE = {
    "title": "titled|title",
    "name": "named|called|name is",
    "subject": "subject(?: line)?",
    "body": "body|saying|that says",
    "message": "message|saying|that says",
}
"""What people say before the value of a parameter of that name."""

QUOTED_AFTER = {"body": "text|message|words", "content": "text|words|line"}
"""Further words that people say only before a value in quotes."""

LATER = "today|tomorrow|tonight|now|right|on|at|in|this|next|please|to|and"
LOWER_PLACE = re.compile(
    r"\b(?:in|at|for|near|from|to)\s+(?!(?:the|my|a|me|your)\b)"
    rf"([a-z]+(?:\s(?!(?:{LATER})\b)[a-z]+)?)(?=\s+(?:{LATER})\b|\s*[?.!,;]|\s*$)"
)
"""A place without its capital letter, such as `paris` in "weather in paris tomorrow"."""


def places(text: str, avoid: Iterable[Found] = ()) -> list[Found]:
    """The places in `text`, best first: with a capital letter, or else after `in` or `for`."""
    found = [each for each in names(text, avoid) if each.value.lower() not in LANGUAGES]
    found = [each for each in found if not _begins(each, text) or _may_begin(each, found, text)]
    if found:
        return found
    lower = [Found(m.group(1), m.start(1), m.end(1)) for m in LOWER_PLACE.finditer(text)]
    avoid = list(avoid)
    return [each for each in lower if not each.overlaps(avoid) and not _is_amount(each.value)]


NAMED_PATH = re.compile(
    r"\b(?:folders?|directory|files?)\s+(?:called\s+|named\s+)?"
    r"(?!(?:in|of|from|with)\b)([\w.-]*\w)|"
    r"\b(?!(?:the|a|my|our|this|that|which|what|in|of)\b)([\w.-]*\w)\s+(?:folder|directory)\b"
)
INSIDE = re.compile(r"\b(?:in|inside|under|within)\s+([\w-]+)()")
"""Paths that only a word beside them shows to be such: `the folder assets`, `in src`."""


def paths(parameter: Parameter, text: str) -> list[Found]:
    """The paths in `text` that fit: a folder's name has no ending, and a file's mostly has one."""
    found = values.paths(text)
    if parameter.takes_a_folder:
        found = [each for each in found if not re.search(r"\w\.[a-z]\w*$", each.value)]
        found = found or _named_paths(text, NAMED_PATH) or _named_paths(text, INSIDE)
    return found or _named_paths(text, NAMED_PATH)


def _named_paths(text: str, shape: "re.Pattern[str]") -> list[Found]:
    found = []
    for match in shape.finditer(text):
        group = 1 if match.group(1) else 2
        if match.group(group).lower() not in FRAME_WORDS | REQUEST_WORDS:
            found.append(Found(match.group(group), match.start(group), match.end(group)))
    return found


def in_direction(
    parameter: Parameter, options: Sequence[Found], question: str, *, alone: bool
) -> list[Found]:
    """The options that a parameter such as `from_currency` or `to_city` may take, best first."""
    direction = next((word for word in ("from", "to") if word in parameter.words), "")
    if not direction or len(options) > 1:
        return _after(direction, options, question) or list(options)
    before = question[: options[0].start].lower().rstrip() if options else ""
    target = bool(re.search(r"\b(?:to|into|in)(?: the)?$", before))
    return list(options) if target is (direction == "to") or not alone else []


def _after(direction: str, options: Sequence[Found], question: str) -> list[Found]:
    """The options right after the word `from`, where it is said."""
    if direction != "from":
        return []
    said = [each for each in options if re.search(r"\bfrom\s+(?:the\s+)?$", question[: each.start])]
    return [*said, *(each for each in options if each not in said)] if said else []


def worded(
    parameter: Parameter,
    question: str,
    taken: Sequence[Found],
    tool_words: Sequence[str],
    *,
    alone: bool,
) -> tuple[Any, bool] | None:
    """The words of the question meant for `parameter`, and whether they are surely meant.

    Args:
        parameter: one that takes text.
        question: what the user asked.
        taken: what other parameters have taken; what is used here is to be added by the caller.
        tool_words: words of the tool's name.
        alone: whether the question's content can be meant for no other parameter.
    """
    if parameter.many:
        listed = _listed(question, taken, tool_words)
        return (listed, False) if listed else None
    keyed = _keyed(parameter, question)
    if keyed:
        return keyed, True
    if parameter.kind == "place":
        return _place(parameter, question, taken)
    return _text(parameter, question, taken, tool_words, alone)


def _text(
    parameter: Parameter,
    question: str,
    taken: Sequence[Found],
    tool_words: Sequence[str],
    alone: bool,
) -> tuple[Any, bool] | None:
    own = parameter.words
    for kind, find in KINDS:
        if own & kind:
            value = find(question, taken)
            return (value, True) if value else None
    free = [each for each in quotes(question) if not each.overlaps(taken)]
    if parameter.takes_one_word and not any(" " not in each.value for each in free):
        word = _one_word(parameter, question, taken, tool_words)
        return (word, False) if word and (alone or parameter.required) else None
    if free:
        return free[0].value, False
    message = _message(question) if own & MESSAGES else ""
    if message:
        return message, False
    if own & PEOPLE and not alone:
        people = names(question, taken)
        return (people[0].value, False) if people else None
    if alone or (parameter.required and own & SEARCHES):
        return _content(parameter, question, taken, tool_words)
    return None


def _one_word(
    parameter: Parameter, question: str, taken: Sequence[Found], tool_words: Sequence[str]
) -> str:
    """The word after one that the description uses, as in `the library pandas`, or else the last.

    The last, that is, of those that neither frame the question nor stand in the description.
    """
    told = EXAMPLE.sub("", parameter.description.lower())  # the example may be what is meant
    described = set(re.findall(r"[^\W\d_]+", told)) | parameter.words
    known = described | set(stems(told)) | {*tool_words, *map(stem, tool_words)}
    left = [
        Found(match.group(), match.start(), match.end())
        for match in re.finditer(r"[A-Za-z][\w-]*", question)
        if not known & {match.group().lower(), stem(match.group())}
        and match.group().lower() not in FRAME_WORDS | REQUEST_WORDS
    ]
    left = [each for each in left if not each.overlaps([*taken, *quotes(question)])]
    for each in left:
        before = re.findall(r"[^\W\d_]+", question[: each.start].lower())[-1:]
        if set(before) & (described - STOP_WORDS):
            return str(each.value)
    return str(left[-1].value) if left else ""


def _formula(question: str, taken: Sequence[Found]) -> str:
    return calculation(question)


def _phone(question: str, taken: Sequence[Found]) -> str:
    number = PHONE.search(question)
    return number.group() if number else ""


def _language(question: str, taken: Sequence[Found]) -> str:
    """The last language named: "from English into French" is into French."""
    spoken = [word for word in re.findall(r"\w+", question) if word.lower() in LANGUAGES]
    return spoken[-1] if spoken else ""


def _unit(question: str, taken: Sequence[Found]) -> str:
    """The first unit named that no other parameter has taken."""
    for match in re.finditer(r"[A-Za-z]+", question):
        each = Found(match.group(), match.start(), match.end())
        if match.group().lower() in UNITS and not each.overlaps(taken):
            return match.group()
    return ""


KINDS = (
    (words("expression formula calculation equation expr math"), _formula),
    (words("phone telephone mobile"), _phone),
    (words("language lang languag"), _language),
    (words("unit units"), _unit),
)
"""Words of a parameter's name, and what finds its value; what is not found is not guessed."""


def _content(
    parameter: Parameter, question: str, taken: Sequence[Found], tool_words: Sequence[str]
) -> tuple[Any, bool] | None:
    """A name in the question, or else what the question is about."""
    if not parameter.words & TOPICS:
        named = [each for each in names(question, taken) if not _begins(each, question)]
        if named:
            return named[0].value, False
    topic = core(question, tool_words)
    return (topic, False) if topic else None


def _begins(each: Found, question: str) -> bool:
    before = question[: each.start].rstrip()
    return not before or before[-1] in ".?!"


def _keyed(parameter: Parameter, question: str) -> str:
    """What follows the parameter's own name: `subject: Lunch`, `titled "Dune"`."""
    spoken = re.escape(parameter.name).replace("_", r"[\s_]")
    key = rf"\b(?:{SAID_BEFORE.get(parameter.name, spoken)})"
    quoted = rf"{key}|\b(?:{QUOTED_AFTER.get(parameter.name, '(?!)')})"
    followed_by = [
        rf"(?:{quoted})\b(?:\s+(?:is|of|line))?\s*[:=]?\s*[\"“«'‘]([^\"”»'’]+)",  # in quotes
        rf"{key}\s*[:=]\s*([^,;.?!]+)",  # after a colon
    ]
    if parameter.name in SAID_BEFORE:
        no_value = r"(?!(?:of|is|to|for|and|about)\b)"
        end = r"(?=\s+(?:and|with|to|saying)\b|[,;:.?!]|$)"
        followed_by.append(rf"{key}\s+{no_value}([^,;:.?!]+?){end}")
    found = (re.search(pattern, question, re.IGNORECASE) for pattern in followed_by)
    return next((match.group(1).strip() for match in found if match), "")


def _message(question: str) -> str:
    """What is said after a colon, or after `saying` or `that`."""
    match = re.search(r":\s+(.+)$", question, re.DOTALL) or re.search(
        r"\b(?:saying|telling (?:him|her|them)|that says)\s+(?:that\s+)?(.+?)[.!?]?$", question
    )
    return match.group(1).strip() if match else ""


def _place(parameter: Parameter, question: str, taken: Sequence[Found]) -> tuple[Any, bool] | None:
    found = places(question, taken)
    direction = next((w for w in ("from", "to") if w in parameter.words), "")
    direction = {"origin": "from", "destination": "to"}.get(parameter.name, direction)
    if direction:
        toward = [f for f in found if re.search(rf"\b{direction}\s+$", question[: f.start])]
        return (toward[0].value, True) if toward else None
    if not found:
        return None
    certain = found[0].value[:1].isupper() or not found[0].value.isascii()
    return found[0].value, certain


def _listed(question: str, taken: Sequence[Found], tool_words: Sequence[str]) -> list[str]:
    """Several texts: what is quoted, or what stands between commas and `and`."""
    quoted = [each.value for each in quotes(question) if not each.overlaps(taken)]
    if quoted:
        return quoted
    _, colon, listing = question.partition(":")
    listing = listing if colon else question
    parts = [core(part, tool_words) for part in re.split(r",\s*(?:and\s)?|\sand\s|\sor\s", listing)]
    return [part for part in parts if part]


def _may_begin(each: Found, found: Sequence[Found], text: str) -> bool:
    """Whether a capital letter at the beginning of a sentence belongs to a place all the same.

    Each first word has one, `Compare` and `Sunny` too. So the word must be the only one, or stand
    in a list with another: `Rome and Milan`.
    """
    if each.value.split()[0].lower() in REQUEST_WORDS | FRAME_WORDS:
        return False
    others = [other for other in found if not _begins(other, text)]
    listed = re.match(r"\s*(?:,|and\b|or\b)\s*", text[each.end :])
    if others:
        return bool(listed and any(o.start == each.end + listed.end() for o in others))
    return each.value.isascii() or each.value.lower() in KNOWN_CITIES


def _is_amount(word: str) -> bool:
    return word in NUMBER_WORDS
