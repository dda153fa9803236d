"""Schema from a signature: cases that are kept for grading."""

from typing import Literal

from agentlab_exercise_03_schema_from_a_signature_checks import (
    describes,
    fits,
    parameter,
    scene,
)

from agentlab.exercises import Case, Nonce, Scene
from agentlab.language import gettext


def nothing_at_all(nonce: Nonce) -> Scene:
    """A function without parameters."""
    return scene(nonce, [], [{}], [{nonce.word(): 1}])


def numbers_and_words(nonce: Nonce) -> Scene:
    """A choice among numbers and a word, with a default."""
    number, word = nonce.number(), nonce.word()
    choice = parameter(nonce, "most", Literal[number, word], default=number)
    return scene(
        nonce,
        [choice],
        [{}, {choice.name: number}, {choice.name: word}],
        [{choice.name: str(number)}, {choice.name: number + 1}, {choice.name: None}],
    )


def everything(nonce: Nonce) -> Scene:
    """Parameters of several kinds in one function."""
    text, numbers = parameter(nonce, "of", str), parameter(nonce, "in", list[int])
    word = nonce.word()
    choice = parameter(nonce, "by", Literal["up", word], default=word)
    share = parameter(nonce, "share", float, default=0.5)
    right = {text.name: "a", numbers.name: [1, 2], choice.name: "up", share.name: 0.2}
    return scene(
        nonce,
        [text, numbers, choice, share],
        [right, {text.name: "a", numbers.name: []}],
        [
            {**right, numbers.name: ["1"]},
            {**right, choice.name: "down"},
            {**right, text.name: None},
            {**right, word: 1},
            {numbers.name: [1]},
        ],
    )


HIDDEN = (
    Case("no_parameters", gettext("a function without parameters"), nothing_at_all, fits),
    Case("mixed_choices", gettext("a choice of numbers and words"), numbers_and_words, fits),
    Case("together", gettext("several kinds in one function"), everything, describes),
)
