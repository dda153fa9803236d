"""What the practice model says: answers made of tool results, questions back, and small talk."""

# ruff: noqa: RUF001 - letters of several alphabets are meant as they are

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentlab.practice.choosing import Card
from agentlab.practice.conversation import Step
from agentlab.practice.encoder import similarity
from agentlab.practice.lexicon import REQUEST_WORDS, words
from agentlab.practice.schema import parameters

LONGEST_TEXT = 700
"""Characters of a text result that are told."""

MOST_ITEMS = 5
LONG_QUESTION = 400
"""Characters from which on a message without a tool is a text to be summed up."""

SUMMARY_SENTENCES = 2
"""Sentences of a summary, where nobody asks for more."""

READING = words("get find search list look lookup check track read fetch show query")
"""First words of tools that look something up and change nothing."""

NOTHING = ("", "(no output)", "[]", "{}", "null", "None")

SMALL_TALK = {
    "Hello! Good morning.": "Hello!",
    "Hi, how are you?": "Hello! I am fine, thank you.",
    "Thank you very much!": "You are welcome.",
    "Goodbye, see you.": "Goodbye!",
    "Who are you? What is your name?": "I am the practice model, not Claude.",
    "Are you a human or a robot?": "I am a program: a sentence encoder and rules.",
    "What can you do for me?": "I choose tools and fill in their arguments.",
    "Tell me a joke.": "I am a practice model and cannot make jokes.",
    "Write a poem or a story.": "I am a practice model and cannot write.",
    "I feel sad and tired today.": "I am sorry to hear that.",
}
"""What people say that asks for nothing, and what is said to it."""

ENDS_THE_TALK = ("You are welcome.", "Goodbye!")
CLOSE_ENOUGH = 0.5


def from_results(steps: Sequence[Step]) -> str:
    """An answer made of what the tools returned, one part for each call."""
    told = [step for step in steps if not _repeated_later(step, steps)]
    return " ".join(dict.fromkeys(_sentence(step, one_of_many=len(told) > 1) for step in told))


def _repeated_later(step: Step, steps: Sequence[Step]) -> bool:
    """Whether a failed call was made again in another way, so that only the last one counts."""
    later = steps[steps.index(step) + 1 :]
    return step.is_error and any(
        other.call.name == step.call.name
        and set(other.call.input.values()) & set(step.call.input.values())
        for other in later
        if all(
            isinstance(v, str | int | float)
            for v in (*other.call.input.values(), *step.call.input.values())
        )
    )


def _sentence(step: Step, *, one_of_many: bool) -> str:
    if step.is_error:
        reason = re.sub(r"^(?:[A-Z]\w*Error|Error): ", "", step.result.strip()) or "no reason given"
        name = step.call.name
        failed = f"I could not {_spoken(name)}" if _is_deed(name) else f"{name} did not work"
        return _ended(f"{failed}: {reason}")
    if step.result.strip() in NOTHING:
        looks_up = step.call.name.split("_")[0] in READING
        return f"{_call(step)} {'found nothing' if looks_up else 'is done'}."
    return _ended(_told(step, one_of_many))


def _told(step: Step, one_of_many: bool) -> str:
    data = step.data
    match data:
        case dict():
            return _record(data, step)
        case list():
            return _list(data)
        case bool():
            return f"The answer of {_call(step)} is {_value(data)}"
        case int() | float():
            return f"The result of {_call(step)} is {_value(data)}"
    if len(step.result.split()) < 4:
        return f"The result of {_call(step)} is {_value(data)}"
    return f"{_call(step)}: {_value(data)}" if one_of_many else _value(data)


def _call(step: Step) -> str:
    """The call as it would be written: `add(2, 3)`."""
    given = (
        ", ".join(map(_value, value)) if isinstance(value, list) else _value(value)
        for value in step.call.input.values()
    )
    return f"{step.call.name}({', '.join(given)})"


def _record(data: Mapping[str, Any], step: Step) -> str:
    """A record as a sentence: "For SP-1024, the status is shipped and the total is 183.9 AZN"."""
    given = step.call.input
    told = {key: value for key, value in data.items() if given.get(key) != value}
    subject = _call(step) if given else ""
    if len(given) == 1 or all(isinstance(value, str) for value in given.values()):
        subject = next((value for value in given.values() if _identifies(value)), subject)
    sentence = _fields(told)
    if not sentence:
        return f"There is nothing more to tell about {subject or step.call.name}"
    return f"For {subject}, {sentence}" if subject else sentence[0].upper() + sentence[1:]


def _identifies(value: Any) -> bool:
    """Whether a value names one thing, as an order number, an address or a name does."""
    if not isinstance(value, str) or len(value) > 60:
        return False
    return bool(re.search(r"\d|@", value) or value[:1].isupper())


def _fields(record: Mapping[str, Any]) -> str:
    """The fields of a record: "the status is shipped, the items are ..."."""
    currency = str(record.get("currency") or "")
    fields = []
    for key, value in record.items():
        if value in (None, "", [], {}) or (key == "currency" and _amounts(record)):
            continue
        if isinstance(value, dict):
            fields.append(f"the {_spoken(key)}: {_fields(value)}")
        else:
            plural = isinstance(value, list) or re.search(r"[^su]s$", key)
            fields.append(
                f"the {_spoken(key)} {'are' if plural else 'is'} {_money(value, currency)}"
            )
    return _joined(fields)


def _amounts(record: Mapping[str, Any]) -> bool:
    """Whether the record's currency can be told with its amounts, which are never whole numbers."""
    return any(isinstance(value, float) for value in record.values())


def _money(value: Any, currency: str) -> str:
    return f"{_value(value)} {currency}" if currency and isinstance(value, float) else _value(value)


def _list(data: Sequence[Any]) -> str:
    shown = [
        _record_in_short(item) if isinstance(item, dict) else _value(item)
        for item in data[:MOST_ITEMS]
    ]
    more = f" and {len(data) - MOST_ITEMS} more" if len(data) > MOST_ITEMS else ""
    if all(isinstance(item, dict) for item in data):
        return f"I found {len(data)}: " + "; ".join(shown) + more
    return "I found " + (_joined(shown) if not more else ", ".join(shown) + more)


def _record_in_short(record: Mapping[str, Any]) -> str:
    """A record as one of a list: its first field, then the others with their names."""
    if set(record) == {"name", "quantity"}:
        return f"{record['quantity']} {record['name']}"
    currency = str(record.get("currency") or "")
    kept = [
        (key, _money(value, currency))
        for key, value in record.items()
        if value not in (None, "", []) and not (key == "currency" and _amounts(record))
    ]
    head = [value for _, value in kept[:1]]
    return ", ".join(head + [f"{_spoken(key)} {value}" for key, value in kept[1:]])


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else str(value)
    if isinstance(value, list):
        parts = [_record_in_short(v) if isinstance(v, dict) else _value(v) for v in value]
        return _joined(parts[:MOST_ITEMS])
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    text = str(value).strip()
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rsplit(" ", 1)[0] + " …"


def _joined(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]])) if parts else ""


def _ended(sentence: str) -> str:
    return sentence if sentence.rstrip()[-1:] in ".!?…" else sentence + "."


def _spoken(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_-]+", " ", name).lower()


def asking(card: Card, missing: Sequence[str]) -> str:
    """A question to the user for the arguments that a tool needs and nobody gave."""
    described = {each.name: each.description for each in parameters(card.input_schema)}
    wanted = _joined([f"the {_spoken(re.sub(r'_id$', '_number', name))}" for name in missing])
    hints = [re.sub(r"\s+", " ", described.get(name, "")).rstrip(". ") for name in missing]
    told = "; ".join(hint for hint in hints if hint)
    told = f" ({told[:1].lower()}{told[1:]})" if told else ""
    purpose = f"To {card.spoken_name}" if _is_deed(card.name) else f"For {card.name}"
    return f"{purpose}, I need {wanted}{told}. Can you tell me?"


def _is_deed(name: str) -> bool:
    """Whether the name begins with a verb that is known here."""
    return _spoken(name).split(" ")[0] in REQUEST_WORDS | READING


def without_tool(question: str, cards: Sequence[Card], sentences: int = SUMMARY_SENTENCES) -> str:
    """A plain answer to what no tool is for: small talk, or what the tools can do instead."""
    if not question.strip():
        return "There is no question to answer."
    closest = max(SMALL_TALK, key=lambda each: similarity(question, each))
    chat = SMALL_TALK[closest] if similarity(question, closest) >= CLOSE_ENOUGH else ""
    if chat in ENDS_THE_TALK:
        return chat
    if len(question) >= LONG_QUESTION:
        return summary(question, sentences)
    if not cards:
        return chat or "I am the practice model: I choose tools, and this request has none."
    abilities = "; ".join(_ability(card) for card in cards)
    return f"{chat or 'I have no tool for that.'} My tools are: {abilities}."


def summary(text: str, sentences: int = SUMMARY_SENTENCES) -> str:
    """The sentences of `text` that are closest in meaning to the whole, in their order."""
    parts = [part.strip() for part in re.split(r"(?<=[.!?。！？])\s+|\n+", text) if part.strip()]
    told = [part for part in parts if part[-1] in ".!?。！？" and not part.startswith("#")] or parts
    if not text[:200].startswith(told[0]) and len(told) > sentences:
        told = told[1:] if told[0].endswith(":") else told
    nearest = sorted(told[:60], key=lambda part: -round(similarity(part, text[:4000]), 4))
    return " ".join(part for part in told if part in nearest[:sentences])


def _ability(card: Card) -> str:
    """The name of a tool, and the beginning of what its description says."""
    told = re.split(r"[:;(,]|\.(?:\s|$)", card.sentences[0])[0].strip() if card.sentences else ""
    return f"{card.name} ({told[:1].lower()}{told[1:]})" if told else card.name
