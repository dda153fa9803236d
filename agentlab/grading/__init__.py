"""Grading a class: hand-ins are collected, played in a sandbox, and reported.

from pathlib import Path
from agentlab.grading import grade

report = grade(Path("downloads"), Path("report"))
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentlab.grading.batch import grade

__all__ = ["grade"]


def __getattr__(name: str) -> Any:
    """Load the grader when it is asked for: the sandbox is part of this package and needs none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from agentlab.grading import batch

    return getattr(batch, name)
