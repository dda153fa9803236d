"""Exercises that are checked by what a loop sends and does.

from agentlab.exercises import check, hint, progress

check("05")  # all cases of an exercise, on the answer in this notebook
hint("05")  # one hint more
progress()  # the map of the course
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentlab.exercises.case import (
        CLIENT,
        Case,
        Effect,
        Evidence,
        Exercise,
        Nonce,
        Scene,
        Verdict,
        agent_of,
        events_of,
    )
    from agentlab.exercises.checking import check, hint, progress

__all__ = [
    "CLIENT",
    "Case",
    "Effect",
    "Evidence",
    "Exercise",
    "Nonce",
    "Scene",
    "Verdict",
    "agent_of",
    "check",
    "events_of",
    "hint",
    "progress",
]


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: where answers are graded, most of them never are."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in ("check", "hint", "progress"):
        from agentlab.exercises import checking

        return getattr(checking, name)
    from agentlab.exercises import case

    return getattr(case, name)
