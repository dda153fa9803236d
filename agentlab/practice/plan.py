"""From a question to the calls it asks for: its clauses, and the tool and arguments of each."""

# ruff: noqa: RUF001 - letters of several alphabets are meant as they are

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentlab.practice.arguments import every_value
from agentlab.practice.choosing import Card, Choice, best, demanded, rank
from agentlab.practice.conversation import Call, Conversation
from agentlab.practice.lexicon import REQUEST_WORDS
from agentlab.practice.values import EMAIL, QUOTED, URL

SEPARATOR = re.compile(
    r"[;?!？！；]+\s*|\.\s+(?=[^\W\da-z])|,?\s+(?:and|и|və|а также)\s+(?:also\s+|then\s+)?|"
    r",?\s+(?:also|then),?\s+|[,，、]\s*(?:还有)?"
)
MOST_CALLS = 8
"""Calls in one reply; a longer list of values is cut here."""

SURE = 0.6
"""From this score on, a clause is a request of its own even if its tool lacks an argument."""

CHATTING = 0.6
"""From this demand on, a clause is small talk that needs no answer beside others."""

FOLLOW_UP = re.compile(r"^(?:and|what about|how about|а|a bəs|也)\b|^(?:那|还有)", re.IGNORECASE)


@dataclass(frozen=True)
class Wanted:
    """A call that a question asks for, and which required arguments it does not give."""

    card: Card
    arguments: dict[str, Any]
    missing: tuple[str, ...] = ()
    clause: str = ""
    score: float = 0.0

    @property
    def call(self) -> Call:
        """The call itself."""
        return Call(self.card.name, self.arguments)


def planned(conversation: Conversation, cards: Sequence[Card]) -> list[Wanted]:
    """The calls that the question asks for, in its order; empty where no tool fits it."""
    question = conversation.question
    followed = _following_up(conversation, cards)
    if followed and FOLLOW_UP.search(question):
        return followed
    return _of_clauses(question, cards) or _of_whole(question, cards) or followed


def unserved(question: str, cards: Sequence[Card]) -> list[str]:
    """The clauses of a question with several that ask for something no tool is for."""
    parts = clauses(question, _verbs(cards))
    asking = [part for part in parts if len(parts) > 1 and _requests(part, _verbs(cards))]
    return [part for part in asking if best(part, cards) is None and demanded(part) < CHATTING]


def _verbs(cards: Sequence[Card]) -> list[str]:
    return [card.spoken_name.split()[0] for card in cards if card.spoken_name]


def clauses(question: str, verbs: Sequence[str] = ()) -> list[str]:
    """The parts of a question that each ask for something; what only adds to one stays with it.

    Args:
        question: what the user asked.
        verbs: further words that begin a request, such as the first words of the tools' names.
    """
    parts: list[str] = []
    begun = ""
    for piece in _pieces(question):
        if _requests(piece, verbs):
            parts.append(begun + piece)
            begun = ""
        elif parts:
            parts[-1] += piece
        else:
            begun += piece
    if begun:
        parts.append(begun)
    return [part.strip(" ,;") for part in parts if part.strip(" ,;")]


def _pieces(question: str) -> list[str]:
    """The question cut after each separator, but never inside quotes, addresses or numbers."""
    protected = [m.span() for finder in (QUOTED, EMAIL, URL) for m in finder.finditer(question)]
    pieces, start = [], 0
    for match in SEPARATOR.finditer(question):
        inside = any(first < match.end() and match.start() < last for first, last in protected)
        between_digits = re.search(r"\d$", question[: match.start()]) and re.match(
            r"\d", question[match.end() :]
        )
        if not inside and not between_digits:
            pieces.append(question[start : match.end()])
            start = match.end()
    return [piece for piece in [*pieces, question[start:]] if piece.strip()]


def _requests(piece: str, verbs: Sequence[str]) -> bool:
    words = re.findall(r"[^\W\d_]+(?:['’][a-z]+)?|\d+", piece.lower())
    if re.search(r"[А-Яа-яəƏışğ]", piece):
        return len(words) > 1
    if re.search(r"[一-鿿]", piece):
        return True
    words = [word for word in words if word not in ("please", "also", "then", "and", "so")]
    first = re.sub(r"['’](?:s|re|d|ll)$", "", words[0]) if words else ""
    if re.match(r"\W*(?:order|book)\b\W+\S*\d", piece, re.IGNORECASE):
        return False  # the thing and its number, not the wish to order or to book one
    wishes = re.search(r"\bi (?:want|need|would like|wish)\b|\bi['’]d like\b", piece.lower())
    return len(words) > 1 and bool(first in REQUEST_WORDS or first in verbs or wishes)


def _of_clauses(question: str, cards: Sequence[Card]) -> list[Wanted]:
    """The calls of a question that asks for several things; empty where it asks for one."""
    parts = clauses(question, _verbs(cards))
    if len(parts) < 2:
        return []
    found: list[Wanted] = []
    for part in parts:
        choice = best(part, cards)
        if choice is not None:
            wanted = _completed(choice, part, question)
            if not wanted.missing or wanted.score >= SURE:
                found.append(wanted)
    names = {each.card.name for each in found}
    if len(found) == 1:
        return [] if best(question, cards) else _repeated(found[0], found[0].clause)
    if len(names) > 1:
        return _unrepeated(found)
    return found if _all_different(found) else []


def _of_whole(question: str, cards: Sequence[Card]) -> list[Wanted]:
    choice = best(question, cards)
    return _repeated(_wanted(choice, question), question) if choice else []


def _wanted(choice: Choice, clause: str) -> Wanted:
    filling = choice.filling
    return Wanted(choice.card, filling.values, tuple(filling.missing), clause, choice.score)


def _completed(choice: Choice, part: str, question: str) -> Wanted:
    """The call of one clause, with what it lacks taken from the rest of the question."""
    wanted = _wanted(choice, part)
    if not wanted.missing:
        return wanted
    whole = choice.card.fill(question).values
    extra = {name: whole[name] for name in wanted.missing if name in whole}
    missing = tuple(name for name in wanted.missing if name not in extra)
    return replace(wanted, arguments={**wanted.arguments, **extra}, missing=missing)


def _unrepeated(found: Sequence[Wanted]) -> list[Wanted]:
    """The calls of the clauses, each repeated for its values, and none of them twice."""
    calls: dict[str, Wanted] = {}
    for each in found:
        for repeated in _repeated(each, each.clause):
            calls.setdefault(repeated.call.key, repeated)
    return list(calls.values())


def _all_different(found: Sequence[Wanted]) -> bool:
    """Whether the clauses name different values for their one tool, each all that it needs."""
    for each in found:
        own = each.card.fill(each.clause)
        if own.missing or own.evidence <= 0:
            return False
    return len({each.call.key for each in found}) == len(found)


def _repeated(wanted: Wanted, clause: str) -> list[Wanted]:
    """The call once for each of several values, as in "SP-1024 and SP-1025"."""
    for name, values in every_value(wanted.card.input_schema, clause).items():
        return [
            replace(wanted, arguments={**wanted.arguments, name: value})
            for value in values[:MOST_CALLS]
        ]
    return [wanted]


def _following_up(conversation: Conversation, cards: Sequence[Card]) -> list[Wanted]:
    """The last call once more with another value: "and SP-1025?"."""
    question = conversation.question
    short = len(question.split()) <= 4 or FOLLOW_UP.search(question)
    if not conversation.earlier or not short:
        return []
    last = conversation.earlier[-1].call
    card = next((card for card in cards if card.name == last.name), None)
    if card is None:
        return []
    filling = card.fill(question)
    changed = {name: filling.values[name] for name in filling.values if name in filling.certain}
    if not changed or changed.items() <= last.input.items():
        return []
    return _repeated(Wanted(card, {**last.input, **changed}, clause=question), question)


def most_likely(conversation: Conversation, cards: Sequence[Card]) -> list[Wanted]:
    """The calls to make when one must be made: the best tools, each with whatever can be filled."""
    question = conversation.question
    return [
        Wanted(choice.card, choice.card.fill(question, forced=True).values, (), question)
        for choice in rank(question, cards)
    ]
