"""Which tool fits a question: nearness of meaning, and whether the question has what it needs."""

# ruff: noqa: RUF001 - letters of several alphabets are meant as they are

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agentlab.practice.arguments import Filling, fill
from agentlab.practice.encoder import similarity
from agentlab.practice.marks import marks, readings
from agentlab.practice.schema import parameters
from agentlab.practice.values import stems

WHOLE, SENTENCES, ARGUMENTS, SHARED, CLAIMED = 1.25, 1.0, 0.25, 0.05, 0.4
"""Weights of the whole description, of its single sentences, of the arguments found in the
question, of each word (two at most) that question and tool share, and of the share of the
question's values that the tool's described parameters take."""

SMALL_TALK_FACTOR, LEAST_SCORE = 1.2, 0.15
"""No tool is called unless the best score is above both of what these two demand."""

IDENTIFIED_SCORE = 0.1
"""The score demanded where the question holds an identifier of the shape that the tool takes."""

SMALL_TALK = (
    "Hello, how are you?",
    "Thank you very much, goodbye.",
    "Who are you, a human or a robot?",
    "What can you do for me?",
    "Tell me a joke or write a poem.",
    "What is the capital of France?",
    "I feel sad and tired today.",
)
"""What people say that asks for no tool; a question close to one of these needs a better tool."""

NEGATIVE = re.compile(r"^(?:\S+\s+){0,3}(?:not|never|cannot|no|\w+n't)\b", re.IGNORECASE)
"""A sentence that says within its first four words what is not done."""


OCCASION = re.compile(
    r"^(?:(?:please )?(?:use|call|choose)\s+(?:it|this|this tool)\s+(?:only\s+)?"
    r"(?:whenever|when|if|for|to|as soon as)\s+)?"
    r"(?:(?:someone|somebody|the (?:user|customer|person))\s+"
    r"(?:asks?|wants?(?: to know)?|looks?|gives?)\s+(?:(?:for|about|that|whether|if)\s+)?)?",
    re.IGNORECASE,
)
"""How a sentence begins that says when a tool is for use, with nothing about for what."""

LISTING = r"[,:;]\s+(?:(?:or|and)\s+)?|\s+or\s+|[、，；：]"
"""What stands between the occasions of one sentence."""


@dataclass(frozen=True)
class Card:
    """A tool as the practice model reads it in a request."""

    name: str
    description: str
    input_schema: dict[str, Any]

    @classmethod
    def read(cls, tool: Mapping[str, Any]) -> "Card":
        """The card of a tool as a request carries it."""
        schema = tool.get("input_schema") or {"type": "object", "properties": {}}
        return cls(str(tool.get("name", "")), str(tool.get("description") or ""), dict(schema))

    @cached_property
    def spoken_name(self) -> str:
        """The name in words: `get_order_status` is `get order status`."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_-]+", " ", self.name).lower().strip()

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences that say what the tool does.

        Those that say what it does not do are left out: to the encoder, "does not track parcels"
        is about parcels like any other sentence.
        """
        text = re.sub(r"\s+", " ", self.description.replace("e.g.", "for example"))
        parts = [part.strip() for part in re.split(r"(?<=[.!?。！？])\s*(?=\D)", text)]
        return tuple(part for part in parts if part and not NEGATIVE.search(part))

    @cached_property
    def occasions(self) -> tuple[str, ...]:
        """What the sentences list, each by itself and without the words that lead to it.

        "Use it when someone asks for points, rewards or credit" is three occasions. A question is
        about one of them, and the other two would only blur how well that one fits.
        """
        told = (OCCASION.sub("", sentence) for sentence in self.sentences)
        parts = [part.strip() for each in told for part in re.split(LISTING, each)]
        return tuple(part for part in parts if len(part.split()) > 1 or "一" <= part[:1] <= "鿿")

    @cached_property
    def text(self) -> str:
        """Name and positive sentences together."""
        return f"{self.spoken_name}: {' '.join(self.sentences)}"

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words in name and positive sentences."""
        return frozenset(stems(self.text))

    def fill(self, question: str, *, forced: bool = False) -> Filling:
        """The tool's arguments as far as `question` gives them."""
        words = stems(self.spoken_name) + self.spoken_name.split()
        return fill(self.input_schema, question, tool_words=words, forced=forced)


@dataclass(frozen=True)
class Choice:
    """One tool for one question: how well it fits, and its arguments."""

    card: Card
    score: float
    filling: Filling
    claimed: float = 0.0
    """The share of the question's values that it takes."""


def rank(question: str, cards: Sequence[Card]) -> list[Choice]:
    """All tools, the best fitting first; where two fit equally, the one listed first."""
    choices = []
    for card in cards:
        filling = card.fill(question)
        shared = min(2, len(set(stems(question)) & card.stems))
        score = meaning(question, card) + ARGUMENTS * filling.evidence + SHARED * shared
        share = claimed(question, card, filling)
        choices.append(Choice(card, round(score + CLAIMED * share, 4), filling, share))
    return sorted(choices, key=lambda choice: -choice.score)


def best(question: str, cards: Sequence[Card]) -> Choice | None:
    """The tool for the question, or `None` where no tool fits."""
    ranked = rank(question, cards)
    if not ranked:
        return None
    # Whoever gives an order number is not making small talk, however the sentence sounds.
    least = IDENTIFIED_SCORE if ranked[0].filling.identified else demanded(question)
    # The values that it takes tell it from other tools, and not whether a tool is wanted at all.
    reached = round(ranked[0].score - CLAIMED * ranked[0].claimed, 4)
    return ranked[0] if reached >= least else None


def demanded(question: str) -> float:
    """The score a tool must reach: the more a question is like small talk, the higher."""
    chat = max(nearness(question, each) for each in SMALL_TALK)
    return round(max(LEAST_SCORE, SMALL_TALK_FACTOR * chat), 4)


def meaning(question: str, card: Card) -> float:
    """How close the question is in meaning to the tool's name and description."""
    whole = nearness(question, card.text)
    single = [nearness(question, each) for each in card.sentences] or [whole]
    sentences = (max(single) + sum(single) / len(single)) / 2
    closest = max((nearness(question, each) for each in card.occasions), default=max(single))
    return WHOLE * whole + SENTENCES * (closest + sentences) / 2


def nearness(question: str, text: str) -> float:
    """How close a text is to the question, as it is and without its values, on average."""
    read = readings(question)
    return sum(similarity(each, text) for each in read) / len(read)


def claimed(question: str, card: Card, filling: Filling) -> float:
    """The share of the question's values that the tool takes and says that it does.

    Whoever gives a title, a day and a time does not want the tool that takes a day only. What an
    undescribed parameter takes does not count: any words would do for it.
    """
    described = {each.name for each in parameters(card.input_schema) if each.says_what_it_takes}
    given = [filling.values[name] for name in filling.values if name in described]
    taken = {
        str(one).lower()
        for value in given
        for one in (value if isinstance(value, list) else [value])
    }
    found = marks(question)
    return sum(str(mark.value).lower() in taken for mark in found) / len(found) if found else 0.0
