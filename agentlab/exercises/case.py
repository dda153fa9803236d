"""The nouns of an exercise: its cases, what is played to an answer, and what was seen of it.

A case is played in two places at once. The judge's side answers the requests of the learner's code
as the Messages API would, and runs the functions that it calls; the learner's side only asks. What
a case looks at is what came over to the judge, never what was printed.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agentlab.events import Run
from agentlab.language import gettext
from agentlab.practice.script import Fault, Script
from agentlab.tools import Tool

State = Literal["passed", "failed", "no_answer", "timeout", "runaway", "died", "flood"]
"""What became of a case; what kept the judge itself from working is no state of the answer."""


class Nonce:
    """Words and numbers that no one can know before a run: constant answers fit none of them.

    Args:
        seed: the same seed gives the same words and numbers in the same order.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def word(self) -> str:
        """A word of six letters that says nothing."""
        letters = [
            self._random.choice("bdfgklmnprstvz" if n % 2 == 0 else "aeiou") for n in range(6)
        ]
        return "".join(letters)

    def number(self, low: int = 100, high: int = 999) -> int:
        """A whole number between `low` and `high`, both included."""
        return self._random.randint(low, high)

    def one_of(self, options: Sequence[Any]) -> Any:
        """One of `options`."""
        return self._random.choice(options)


@dataclass(frozen=True)
class Given:
    """Something that only the learner's side can make, as an argument in a `Scene`."""

    kind: Literal["client", "agent", "events"]
    settings: dict[str, Any] = field(default_factory=dict)


CLIENT = Given("client")
"""An `anthropic.Anthropic` that talks to the judge."""


def agent_of(tools: Sequence[Tool | Callable[..., Any]], instructions: str = "") -> Given:
    """An `agentlab.Agent` whose tools run on the judge's side."""
    return Given("agent", {"tools": list(tools), "instructions": instructions})


def events_of(
    tools: Sequence[Tool | Callable[..., Any]], question: str, max_steps: int = 10
) -> Given:
    """The events of `agentlab.run`, as they happen while somebody asks for them."""
    settings = {"tools": list(tools), "question": question, "max_steps": max_steps}
    return Given("events", settings)


@dataclass(frozen=True)
class Scene:
    """One performance: what the learner's code is called with, and what answers it."""

    call: str
    """The name of the learner's function; a value of that name is looked at as it is."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Values that JSON can hold, functions and tools that run on the judge's side, `Given`s, and
    lists of these."""
    script: Script = ()
    """What the practice API replies."""
    faults: Mapping[int, Sequence[Fault]] = field(default_factory=dict)
    secret: Mapping[str, Any] = field(default_factory=dict)
    """What the case will look for in the evidence."""
    most_calls: int = 30
    """Requests to the API and calls of functions that are allowed, all together."""
    look_at: Literal["result", "definitions"] = "result"
    """Whether a value is sent as it is, or as the definitions of the tools that it holds."""


@dataclass(frozen=True)
class Effect:
    """A function of the judge's side was called."""

    name: str
    arguments: dict[str, Any]
    result: Any = None
    error: str | None = None
    """What it raised, as `Type: message`."""


@dataclass(frozen=True)
class Evidence:
    """All that is known about a performance."""

    secret: Mapping[str, Any] = field(default_factory=dict)
    returned: Any = None
    """What the learner's function gave back, as far as JSON can hold it."""
    raised: str | None = None
    """What it raised, as `Type: message`, with the line."""
    missing: bool = False
    """Whether there was nothing of that name."""
    run: Run = field(default_factory=Run, repr=False)
    """What went over the wire."""
    refusals: tuple[str, ...] = ()
    """What the API said to each request that it refused."""
    effects: tuple[Effect, ...] = ()
    ending: State | None = None
    """Why the performance did not come to its end; `None` where it did."""
    notes: tuple[str, ...] = ()
    """What the learner should know about the cells of the notebook."""

    def effects_of(self, name: str) -> list[Effect]:
        """The calls of one function."""
        return [effect for effect in self.effects if effect.name == name]

    @property
    def results(self) -> list[dict[str, Any]]:
        """The tool_result blocks that were sent, in order."""
        return list(self._blocks("tool_result"))

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The tool_use blocks that the model sent, in order."""
        return list(self._blocks("tool_use"))

    def result_of(self, call: Mapping[str, Any]) -> dict[str, Any] | None:
        """The tool_result that was sent for a tool_use block; `None` where there was none."""
        answers = (each for each in self.results if each.get("tool_use_id") == call["id"])
        return next(answers, None)

    def _blocks(self, kind: str) -> Iterator[dict[str, Any]]:
        for message in self.run.messages:
            content = message["content"]
            blocks = content if isinstance(content, list) else []
            yield from (block for block in blocks if block.get("type") == kind)


@dataclass(frozen=True)
class Case:
    """One thing that an answer has to do."""

    name: str
    criterion: str
    """What is asked for, as the learner reads it."""
    play: Callable[[Nonce], Scene] = field(repr=False)
    judge: Callable[[Evidence], str | None] = field(repr=False)
    """Says in one sentence which behaviour broke; `None` where all is well."""
    points: float = 1
    tolerates: tuple[Literal["refusals", "exceptions"], ...] = ()
    """What does not by itself fail the case."""


@dataclass(frozen=True)
class Exercise:
    """A task with its cases."""

    number: str
    title: str
    answers: tuple[str, ...]
    """The names that the learner defines."""
    cases: tuple[Case, ...]
    hints: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        """The most that can be had."""
        return sum(case.points for case in self.cases)

    def case(self, name: str) -> Case:
        """The case of that name.

        Raises:
            KeyError: naming the cases there are.
        """
        for case in self.cases:
            if case.name == name:
                return case
        known = ", ".join(case.name for case in self.cases)
        raise KeyError(
            gettext(
                "Exercise {number} has no case {name!r}. It has: {known}.",
                number=self.number,
                name=name,
                known=known,
            )
        )


@dataclass(frozen=True)
class Verdict:
    """What an answer gets for a case, and why."""

    case: str
    criterion: str
    points: float
    most: float
    state: State
    message: str = ""
    """Which behaviour broke, in one sentence; empty for a case that was passed."""

    @property
    def passed(self) -> bool:
        """Whether the case was passed."""
        return self.state == "passed"
