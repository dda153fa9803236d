"""Finds values in a sentence: numbers, dates, currencies, identifiers, addresses, names, quotes."""

# ruff: noqa: RUF001 - letters of several alphabets are meant as they are

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from agentlab.practice.lexicon import (
    CHINESE_FRAME,
    CITIES_WITHOUT_CAPITALS,
    CURRENCY,
    FRAME_WORDS,
    NOT_NAMES,
    NUMBER_WORDS,
    REQUEST_WORDS,
    STOP_WORDS,
)

EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
URL = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)]")
PATH = re.compile(  # with a slash between its parts, or with the ending of a file's name
    r"(?<![\w@/.:-])(?:~/|\.{0,2}/)?(?:[\w.-]+/)*"
    r"(?:[\w-][\w.-]*\.[a-z][a-z0-9]{0,5}|\.[a-z][\w-]{3,}|(?<=/)[\w-]+/?)(?![\w/@-]|\.\w)"
)
NO_PATH = re.compile(
    r"and/or|\w{1,2}/\w{1,2}|(?:s?he|his|her)/\w+|(?:[ap]|i\.e|e\.g|p\.s)\.?\w?|[\d/.,-]+", re.I
)
"""What has a dot or a slash inside and is no path: an abbreviation, alternatives, a number."""
CLOCK = re.compile(r"\b(\d{1,2}):(\d{2})\b|\b(\d{1,2})\s*([ap])\.?m\b", re.IGNORECASE)
PHONE = re.compile(r"\+?\d[\d\s()-]{6,}\d")
QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|‘([^’]+)’|(?<!\w)'([^']+)'(?!\w)|`([^`]+)`")
CODE = re.compile(  # ASCII throughout: in Chinese an identifier stands between letters
    r"(?<![A-Za-z0-9_@])[A-Za-z]{1,10}[-_#/]?\d[A-Za-z0-9_-]*|#\d+|(?<![\w-])\d+(?:-\d+)+(?![\w-])"
)
NUMBER = re.compile(r"(?<![A-Za-zА-я0-9_.,/-])[-+]?\d+(?:[.,]\d+)*(?=\D|$)")
ASIDE = (
    rf"\s+(?:and\s+(?:{'|'.join(sorted(REQUEST_WORDS))})\b|"
    r"(?:in stock|for me|at the moment|at present|these days|right now)\b)"
)
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+(?:[.,]\d+)*")
PREPOSITION = re.compile(r"\b(?:in|at|for|to|from|near|of|into|heading for|в|из|для|на)\s+$")


@dataclass(frozen=True)
class Found:
    """A value, and where in the sentence it stands."""

    value: Any
    start: int
    end: int

    def overlaps(self, others: Iterable["Found"]) -> bool:
        """Whether any of `others` shares a character with this one."""
        return any(self.start < other.end and other.start < self.end for other in others)


def emails(text: str) -> list[Found]:
    """The e-mail addresses in `text`."""
    return [Found(m.group(), m.start(), m.end()) for m in EMAIL.finditer(text)]


def urls(text: str) -> list[Found]:
    """The web addresses in `text`."""
    return [Found(m.group(), m.start(), m.end()) for m in URL.finditer(text)]


def quotes(text: str) -> list[Found]:
    """What stands in quotation marks."""
    return [
        Found(next(filter(None, m.groups())).strip(), m.start(), m.end())
        for m in QUOTED.finditer(text)
    ]


def paths(text: str) -> list[Found]:
    """The paths and file names in `text`, such as `src/app.py`, `notes.txt` and `docs/images`."""
    taken = emails(text) + urls(text)
    found = [Found(m.group(), m.start(), m.end()) for m in PATH.finditer(text)]
    return [
        each for each in found if not each.overlaps(taken) and not NO_PATH.fullmatch(each.value)
    ]


def codes(text: str) -> list[Found]:
    """What looks like an identifier: letters with digits, `#12`, or digits with dashes."""
    taken = emails(text) + urls(text)
    found = [Found(m.group(), m.start(), m.end()) for m in CODE.finditer(text)]
    return [each for each in found if not each.overlaps(taken)]


def shaped(text: str, shape: "re.Pattern[str]", prefix: str = "") -> list[Found]:
    """Identifiers that fit `shape`, forgiving about capitals and a missing dash.

    Args:
        text: the sentence.
        shape: what a whole identifier must match.
        prefix: the letters (and dash) to put before bare digits that are called a number.
    """
    spoken = rf"(?<!\w){re.escape(prefix.strip('-_#'))}[\s-]+\d[\d-]*" if prefix else r"(?!)"
    found: list[Found] = []
    for written in (spoken, CODE.pattern, r"[^\s,;!?\"'()]+"):
        for match in re.finditer(written, text, re.IGNORECASE):
            forms = _spellings(match.group().rstrip(".:"), prefix)
            fitting = next((form for form in forms if shape.fullmatch(form)), None)
            each = Found(fitting, match.start(), match.end())
            if fitting is not None and not each.overlaps(found):
                found.append(each)
    found.sort(key=lambda each: each.start)
    if not found and prefix:
        named = re.compile(
            r"(?:number|order|no\.?|nr\.?|id|#)\s*(?:is\s*)?#?(\d+)\b", re.IGNORECASE
        )
        found = [
            Found(prefix + m.group(1), m.start(1), m.end(1))
            for m in named.finditer(text)
            if shape.fullmatch(prefix + m.group(1))
        ]
    return found


def _spellings(token: str, prefix: str) -> Iterator[str]:
    yield token
    if not re.search(r"\d", token):
        return  # a plain word is no code written differently
    bare = re.sub(r"[\s_#-]+", "", token)
    dashed = re.sub(r"(?<=[A-Za-z])[\s_#-]*(?=\d)", "-", token, count=1)
    yield from (token.upper(), token.lower(), bare, bare.upper(), dashed, dashed.upper())
    if prefix and bare.upper().startswith(prefix.strip("-_#").upper()):
        yield prefix + bare[len(prefix.strip("-_#")) :]


@dataclass(frozen=True)
class Number(Found):
    """A number with what its neighbours say about it."""

    percent: bool = False
    money: bool = False
    each: bool = False
    """Whether it is said to be for one piece: `at 5`, `5 each`."""
    spelled: bool = False
    before: str = ""
    after: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether it has no fraction."""
        return float(self.value).is_integer()


def numbers(text: str, taken: Iterable[Found] = ()) -> list[Number]:
    """The numbers in `text` that are no part of an identifier, an address or a date."""
    taken = [*taken, *emails(text), *urls(text), *paths(text), *codes(text)]
    found = [Found(_value(m.group()), m.start(), m.end()) for m in NUMBER.finditer(text)]
    for match in WORD.finditer(text):
        if match.group().lower() in NUMBER_WORDS and not _joined(text, match):
            found.append(Found(NUMBER_WORDS[match.group().lower()], match.start(), match.end()))
    found = [each for each in found if not each.overlaps(taken)]
    found = _counted_in_words(sorted(found, key=lambda each: each.start), text)
    ordered = [_described(each, text) for each in found]
    backwards = re.search(r"\b(?:subtract|take)\b.*\bfrom\b", text, re.IGNORECASE)
    return ordered[::-1] if backwards and len(ordered) == 2 else ordered


def _joined(text: str, match: "re.Match[str]") -> bool:
    """`one` in "this one" or "which one" counts nothing."""
    before = text[: match.start()].split()[-1:]
    return match.group().lower() == "one" and [w.lower() for w in before] in (
        [w] for w in ("this", "that", "which", "the", "no", "any", "another")
    )


def _counted_in_words(found: list[Found], text: str) -> list[Found]:
    """Neighbouring number words as one number: `twenty five`, `two hundred`."""
    joined: list[Found] = []
    for each in found:
        last = joined[-1] if joined else None
        spelled = not text[each.start : each.end].strip("+-")[:1].isdigit()
        if last and spelled and text[last.end : each.start] in (" ", "-"):
            large, small = max(last.value, each.value), min(last.value, each.value)
            if each.value >= 100 or large >= 20:
                value = last.value * each.value if each.value >= 100 else large + small
                joined[-1] = Found(value, last.start, each.end)
                continue
        joined.append(each)
    return joined


def _value(digits: str) -> int | float:
    sign, digits = (digits[0], digits[1:]) if digits[0] in "+-" else ("", digits)
    if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", digits):
        digits = digits.replace(",", "")
    digits = digits.replace(",", ".")
    if digits.count(".") > 1:
        head, _, tail = digits.rpartition(".")
        digits = head.replace(".", "") + "." + tail
    value = float(sign + digits)
    return int(value) if "." not in digits else value


def _described(each: Found, text: str) -> Number:
    before, after = text[: each.start], text[each.end :]
    words = tuple(word.lower() for word in WORD.findall(after[:60]))[:3]
    previous = (WORD.findall(before[-40:]) or [""])[-1].lower()
    currency_after = re.match(rf"\s?(?:{CURRENCY.pattern})", after, re.IGNORECASE)
    currency_before = re.search(rf"(?:{CURRENCY.pattern})\s?$", before, re.IGNORECASE)
    piece = r"\s*(?:\w+\s+)?(?:each|apiece|a piece|per|per piece|一把|每)\b"
    return Number(
        each.value,
        each.start,
        each.end,
        percent=bool(re.match(r"\s*(?:%|percent|per cent|процент|faiz)", after, re.IGNORECASE)),
        money=bool(currency_after or currency_before),
        each=bool(re.match(piece, after) or re.search(r"(?:\bat|@|\bпо|每\w)\s*\W?$", before)),
        spelled=not text[each.start : each.end].strip("+-")[:1].isdigit(),
        before=previous,
        after=words,
    )


def currencies(text: str) -> list[Found]:
    """The currencies named in `text` as three-letter codes.

    They stand in the order in which an exchange names them: the one held, then the one wanted.
    """
    found = [Found(str(m.lastgroup), m.start(), m.end()) for m in CURRENCY.finditer(text)]
    found = [each for each in found if not each.overlaps(emails(text) + codes(text))]
    distinct = {each.value: each for each in reversed(found)}
    ordered = sorted(distinct.values(), key=lambda each: each.start)
    beside_a_number = [each for each in ordered if _has_amount(each, text)]
    if beside_a_number and len(ordered) > 1:
        first = beside_a_number[0]
        return [first, *(each for each in ordered if each is not first)]
    return ordered


def _has_amount(each: Found, text: str) -> bool:
    words = "|".join(map(re.escape, NUMBER_WORDS))
    before = re.search(rf"(?:\d|\b(?:{words}))\s*$", text[: each.start], re.IGNORECASE)
    return bool(before or re.match(r"\s?\d", text[each.end :]))


def names(text: str, avoid: Iterable[Found] = ()) -> list[Found]:
    """Words with a capital letter that name something, best first.

    Those after a preposition come first, then those inside the sentence, and one that only begins
    the sentence comes last, because every first word has a capital letter.
    """
    avoid = [*avoid, *emails(text), *urls(text), *codes(text), *quotes(text)]
    name = r"[^\W\d_a-zа-яёəğıöşüç][\w’'-]*"
    found = []
    for match in re.finditer(rf"{name}(?:[ ]+(?:de |la |of |the )?{name})*", text):
        each = _trimmed(Found(match.group(), match.start(), match.end()))
        if each is not None and not each.overlaps(avoid):
            found.append(each)
    found += [
        Found(city, text.index(city), text.index(city) + len(city))
        for city in CITIES_WITHOUT_CAPITALS
        if city in text
    ]
    return sorted(found, key=lambda each: _likelihood(each, text))


def _trimmed(each: Found) -> Found | None:
    """Without words such as `I` or `Monday` at either end; `None` where nothing is left."""
    words = re.sub(r"[’']s$|(?<=[^\W\d]{3})d[aə](?:kı|ki|n)?$", "", each.value).split(" ")
    while words and words[0].lower() in NOT_NAMES | STOP_WORDS:
        words.pop(0)
    start = each.start + (each.value.find(words[0]) if words else 0)
    while words and words[-1].lower() in NOT_NAMES | STOP_WORDS:
        words.pop()
    value = " ".join(words)
    if not value or "一" <= value[0] <= "鿿":
        return None
    return Found(value, start, start + len(value))


def _likelihood(each: Found, text: str) -> tuple[int, int]:
    before = text[: each.start]
    if PREPOSITION.search(before):
        return (0, each.start)
    begins = not before.strip() or before.rstrip()[-1] in ".?!:"
    return (2 if begins else 1, each.start)


def core(text: str, frame: Iterable[str] = ()) -> str:
    """What a question is about: the question without the words that only frame it.

    Args:
        text: the question.
        frame: further words to take off the edges, such as those of the tool's own name.
    """
    outer = FRAME_WORDS | {stem(word) for word in frame} | set(frame)
    parts = re.split(r"[?!;:？！；：。，]|\.(?:\s|$)|,\s", text)
    best = ""
    for part in parts:
        words = CHINESE_FRAME.sub("", part.replace("“", "").replace("”", "")).split()
        while words and _is_frame(words[0], outer):
            words.pop(0)
        while words and _is_frame(words[-1], outer):
            words.pop()
        candidate = re.split(ASIDE, " ".join(words), flags=re.IGNORECASE)[0].strip(" .,!?\"'")
        if len(candidate) > len(best):
            best = candidate
    return best


def _is_frame(word: str, frame: Iterable[str]) -> bool:
    bare = word.lower().strip(".,!?\"'()’")
    return not bare or bare in frame or stem(bare) in frame


def stem(word: str) -> str:
    """A rough stem, so that `orders`, `ordered` and `order` are the same word."""
    word = word.lower()
    for ending in ("ations", "ation", "ingly", "ings", "ing", "ies", "ied", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            root = word[: -len(ending)]
            return root + "y" if ending in ("ies", "ied") else root.rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


def stems(text: str) -> list[str]:
    """The stems of the words that carry meaning in `text`."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", text)
    words = (word.lower() for word in WORD.findall(text))
    return [stem(word) for word in words if word not in STOP_WORDS]


def calculation(text: str) -> str:
    """The arithmetic in `text` as a formula, such as `12 * 7`; empty where there is none."""
    text = text.replace("×", "*").replace("÷", "/").replace("−", "-").replace("^", "**")
    for words, sign in (
        (r"plus|added to", "+"),
        (r"minus|less", "-"),
        (r"times|multiplied by", "*"),
        (r"divided by|over", "/"),
        (r"to the power of", "**"),
        (r"(?<=\d) ?x(?= ?\d)", "*"),
    ):
        text = re.sub(rf"(?:\b|(?<=\d))(?:{words})(?:\b|(?=\d))", sign, text, flags=re.IGNORECASE)
    candidates: list[str] = re.findall(r"[-(]?[\d.]+(?:\s*[-+*/%()]+\s*\(*[\d.]+\)*)+", text)
    longest = max(candidates, key=len, default="").rstrip(". ")
    longest = re.sub(r"\s*(\*\*|[-+*/%])\s*(?=[\d(])", r" \1 ", longest).strip()
    return longest if re.search(r"[-+*/%]", longest[1:]) else ""
