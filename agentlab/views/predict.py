"""A guess beside the fact: what one expected before a run, and what came of it."""

from dataclasses import dataclass
from typing import Any

from agentlab.language import gettext


@dataclass(frozen=True)
class Prediction:
    """A guess and the fact it was about."""

    question: str
    guess: Any
    fact: Any

    @property
    def verdict(self) -> str:
        """How the two compare, in words."""
        if self.guess is None or self.guess is ...:
            return gettext("no guess yet: write one above and run both cells again")
        return (
            gettext("as you guessed") if self.guess == self.fact else gettext("not as you guessed")
        )

    def __repr__(self) -> str:
        guess = "-" if self.guess is None or self.guess is ... else repr(self.guess)
        return "\n  ".join(
            [
                self.question,
                gettext("your guess: {guess}", guess=guess),
                gettext("in fact:    {fact!r}", fact=self.fact),
                self.verdict,
            ]
        )


def predict(question: str, *, guess: Any, fact: Any) -> Prediction:
    """Show a guess beside the fact.

    Args:
        question: what was asked, in a few words.
        guess: what was expected; `None` or `...` counts as no guess.
        fact: what the run showed.
    """
    return Prediction(question, guess, fact)
