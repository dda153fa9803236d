"""Dates in a sentence; what is relative, such as "tomorrow", counts from one fixed day."""

# ruff: noqa: RUF001 - letters of several alphabets are meant as they are

import datetime
import re
from typing import Any

from agentlab.practice.lexicon import MONTHS, NUMBER_WORDS, WEEKDAYS
from agentlab.practice.values import CLOCK, Found

TODAY = datetime.date(2026, 6, 15)
"""The day on which the practice model answers, always: a clock would change the lessons daily."""

ISO_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
ISO_MONTH = re.compile(r"\b(\d{4})-(\d{2})\b(?!-)")
RELATIVE = {
    "day after tomorrow": 2, "day before yesterday": -2, "tomorrow": 1, "yesterday": -1,
    "last night": -1, "tonight": 0, "today": 0, "this morning": 0, "this evening": 0,
    "this afternoon": 0, "sabah": 1, "bu gün": 0, "bugün": 0, "dünən": -1, "послезавтра": 2,
    "завтра": 1, "сегодня": 0, "вчера": -1, "后天": 2, "明天": 1, "今天": 0, "今晚": 0, "昨天": -1,
}  # fmt: skip
WEEKDAY = re.compile(
    rf"\b(?:(next|last|this|on|by|until|coming)\s+)?({'|'.join(WEEKDAYS)})\b", re.I
)
DISTANCE = re.compile(
    rf"\b(?:in\s+)?(\d+|a|an|{'|'.join(NUMBER_WORDS)})\s+(day|week)s?(\s+ago|\s+from\s+now)?\b",
    re.I,
)
PERIOD = re.compile(r"\b(last|previous|this|next)\s+(month|week|year)(?:'s)?\b", re.I)
WRITTEN = re.compile(
    r"\d{1,4}[./年]\s?\d{1,2}[./月]\s?\d{1,4}日?|\d{4}年\d{1,2}月|\d{1,2}月\d{1,2}日|"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?:{'|'.join(m[:3] for m in MONTHS)})[a-z]*\.?"
    r"(?:\s+\d{1,2}(?:st|nd|rd|th)?\b)?(?:,?\s+\d{4})?|"
    r"(?:\d{1,2}\s+)?(?:январ|феврал|март|апрел|ма[йя]|июн|июл|август|сентябр|октябр|ноябр|декабр)"
    r"[а-я]*(?:\s+\d{4})?|"
    r"(?:\d{4}\W{1,4}(?:ci|cı|cu|cü)?\s*\w*\s*)?(?:\d{1,2}\s+)?"
    r"(?:yanvar|fevral|mart|aprel|may|iyun|iyul|avqust|sentyabr|oktyabr|noyabr|dekabr)"
    r"(?:\s+\d{4})?",
    re.IGNORECASE,
)


def dates(text: str, today: datetime.date = TODAY) -> list[Found]:
    """The days named in `text`, in order, as `datetime.date`."""
    found: list[Found] = []
    for start, end, day in [*_plain(text), *_relative(text, today), *_written(text, today)]:
        candidate = Found(day, start, end)
        if not candidate.overlaps(found):
            found.append(candidate)
    return sorted(found, key=lambda each: each.start)


def months(text: str, today: datetime.date = TODAY) -> list[Found]:
    """The months named in `text` as `YYYY-MM`."""
    found = [Found(m.group(), m.start(), m.end()) for m in ISO_MONTH.finditer(text)]
    for match in PERIOD.finditer(text):
        if match.group(2).lower() == "month":
            step = {"next": 1, "this": 0}.get(match.group(1).lower(), -1)
            years, month = divmod(today.year * 12 + today.month - 1 + step, 12)
            found.append(Found(f"{years:04}-{month + 1:02}", match.start(), match.end()))
    found += [
        Found(f"{each.value:%Y-%m}", each.start, each.end)
        for each in dates(text, today)
        if not each.overlaps(found)
    ]
    return sorted(found, key=lambda each: each.start)


def times(text: str) -> list[Found]:
    """The times of day in `text` as `HH:MM`."""
    found = []
    for match in CLOCK.finditer(text):
        hour, minute, half_hour, half = match.groups()
        value = int(hour or half_hour) % (12 if half else 24)
        value += 12 if half in ("p", "P") else 0
        found.append(Found(f"{value:02}:{minute or '00'}", match.start(), match.end()))
    return found


def _plain(text: str) -> list[tuple[int, int, datetime.date]]:
    found = []
    for match in ISO_DATE.finditer(text):
        try:
            day = datetime.date(*map(int, match.groups()))
        except ValueError:
            continue  # the 31st of June is no day; the tool will say so better than a guess
        found.append((match.start(), match.end(), day))
    return found


def _relative(text: str, today: datetime.date) -> list[tuple[int, int, datetime.date]]:
    found = []
    for words, days in RELATIVE.items():
        edge = r"\b" if words[0].isascii() or (words[0].isalpha() and words[0] < "一") else ""
        for match in re.finditer(rf"{edge}{words}{edge}", text, re.IGNORECASE):
            found.append((match.start(), match.end(), today + datetime.timedelta(days)))
    for match in WEEKDAY.finditer(text):
        ahead = (WEEKDAYS.index(match.group(2).lower()) - today.weekday()) % 7 or 7
        ahead -= 7 if (match.group(1) or "").lower() == "last" else 0
        found.append((match.start(), match.end(), today + datetime.timedelta(ahead)))
    for match in DISTANCE.finditer(text):
        if match.group(3) or match.group().lower().startswith("in "):
            count = NUMBER_WORDS.get(match.group(1).lower(), 1)
            count = int(match.group(1)) if match.group(1).isdigit() else count
            days = count * (7 if match.group(2).lower() == "week" else 1)
            days *= -1 if (match.group(3) or "").strip().lower() == "ago" else 1
            found.append((match.start(), match.end(), today + datetime.timedelta(days)))
    return found


def _written(text: str, today: datetime.date) -> list[tuple[int, int, datetime.date]]:
    """Dates with a month's name or with dots, which `dateparser` reads in many languages."""
    found = []
    for match in WRITTEN.finditer(text):
        if re.fullmatch(
            r"may|mar|sun|march|mart|dec|май|мая", match.group().strip(), re.IGNORECASE
        ):
            continue  # "may" is mostly no month; nor does "march" without a day say a date
        day = _parsed(match.group().strip(), today)
        if day is not None:
            found.append((match.start(), match.end(), day))
    return found


def _parsed(words: str, today: datetime.date) -> datetime.date | None:
    import dateparser  # type: ignore[import-untyped]  # loaded late: few texts need it

    noon = datetime.datetime.combine(today, datetime.time(12))
    settings: Any = {
        "RELATIVE_BASE": noon,
        "PREFER_DATES_FROM": "future",
        "PREFER_DAY_OF_MONTH": "first",
        "DATE_ORDER": "DMY",
    }
    parsed = dateparser.parse(words, languages=["en", "ru", "az", "zh"], settings=settings)
    return parsed.date() if parsed else None
