"""The nouns of a gradebook."""

from dataclasses import dataclass, field

from agentlab.grading.collecting import HandIn
from agentlab.grading.marking import Result
from agentlab.grading.sandbox import Tier


@dataclass(frozen=True)
class Marked:
    """A hand-in and its result."""

    hand_in: HandIn
    result: Result
    key: str = field(default="", compare=False)


@dataclass(frozen=True)
class Batch:
    """All hand-ins of a class with their results, in the order of their names."""

    marked: tuple[Marked, ...]
    tier: Tier

    @property
    def broken(self) -> list[Marked]:
        """Those that could not be marked, which is no fault of theirs; they are tried again."""
        return [each for each in self.marked if each.result.state == "infra_error"]
