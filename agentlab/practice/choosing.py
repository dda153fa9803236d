"""Which tool fits a question: nearness of meaning, and whether the question has what it needs."""

# ruff: noqa: RUF001 - letters of several alphabets are meant as they are

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agentlab.practice.arguments import Filling, fill
from agentlab.practice.encoder import similarity
from agentlab.practice.values import stems

WHOLE, SENTENCES, ARGUMENTS, SHARED = 1.25, 1.0, 0.25, 0.05
"""Weights of the whole description, of its single sentences, of the arguments found in the
question, and of each word (two at most) that question and tool share."""

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


def rank(question: str, cards: Sequence[Card]) -> list[Choice]:
    """All tools, the best fitting first; where two fit equally, the one listed first."""
    choices = []
    for card in cards:
        filling = card.fill(question)
        shared = min(2, len(set(stems(question)) & card.stems))
        score = meaning(question, card) + ARGUMENTS * filling.evidence + SHARED * shared
        choices.append(Choice(card, round(score, 4), filling))
    return sorted(choices, key=lambda choice: -choice.score)


def best(question: str, cards: Sequence[Card]) -> Choice | None:
    """The tool for the question, or `None` where no tool fits."""
    ranked = rank(question, cards)
    if not ranked:
        return None
    # Whoever gives an order number is not making small talk, however the sentence sounds.
    least = IDENTIFIED_SCORE if ranked[0].filling.identified else demanded(question)
    return ranked[0] if ranked[0].score >= least else None


def demanded(question: str) -> float:
    """The score a tool must reach: the more a question is like small talk, the higher."""
    chat = max(similarity(question, each) for each in SMALL_TALK)
    return round(max(LEAST_SCORE, SMALL_TALK_FACTOR * chat), 4)


def meaning(question: str, card: Card) -> float:
    """How close the question is in meaning to the tool's name and description."""
    whole = similarity(question, card.text)
    single = [similarity(question, each) for each in card.sentences] or [whole]
    return WHOLE * whole + SENTENCES * (max(single) + sum(single) / len(single)) / 2
