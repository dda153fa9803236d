"""Good descriptions: measure how often a model picks the right tool, and what to write better.

    from agentlab import descriptions

    shop = descriptions.QuestionSet.load("shop")
    weak = descriptions.measure(shop.tools("weak"), shop.questions(toolset="weak"))
    strong = descriptions.measure(shop.tools("strong"), shop.questions())
    strong.against(weak)
    descriptions.lint_all(shop.tools("weak"))

Nothing is executed here: a description is all that a model has when it picks a tool.
"""

from typing import TYPE_CHECKING, Any

from agentlab.descriptions.charts import Chart
from agentlab.descriptions.lint import Finding, Findings, lint, lint_all
from agentlab.descriptions.measure import measure
from agentlab.descriptions.measurement import Change, Measurement, Selection
from agentlab.descriptions.rungs import ladder
from agentlab.descriptions.sets import Question, QuestionSet, shipped

if TYPE_CHECKING:
    from agentlab.descriptions.lab import DescriptionLab

__all__ = [
    "Change",
    "Chart",
    "DescriptionLab",
    "Finding",
    "Findings",
    "Measurement",
    "Question",
    "QuestionSet",
    "Selection",
    "ladder",
    "lint",
    "lint_all",
    "measure",
    "shipped",
]


def __getattr__(name: str) -> Any:
    if name == "DescriptionLab":  # it loads the notebook's widgets, which measuring does without
        from agentlab.descriptions.lab import DescriptionLab

        return DescriptionLab
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
