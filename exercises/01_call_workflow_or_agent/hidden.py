"""Call, workflow or agent: cases that are kept for grading."""

import agentlab_exercise_01_call_workflow_or_agent_checks as checks

from agentlab.exercises import Case, Evidence, Nonce, Scene
from agentlab.language import gettext


def all_of_them(nonce: Nonce) -> Scene:
    """Tasks of every form that the other cases have."""
    made = [
        ("call", checks.one_thought),
        ("call", checks.many_thoughts),
        ("workflow", checks.two_steps),
        ("workflow", checks.steps_in_a_row),
        ("workflow", checks.steps_with_a_rule),
        ("agent", checks.open_steps),
        ("agent", checks.open_at_the_end),
    ]
    return checks.tasks_of(sorted(made, key=lambda _: nonce.number()), nonce)


def no_box(nonce: Nonce) -> Scene:
    """A question that the model answers without opening anything."""
    return checks.asking_for_boxes([], {}, nonce.word())


def chooses(evidence: Evidence) -> str | None:
    """Whether each task got its kind."""
    return checks.chosen(
        evidence, gettext("a task of another form than in the checks is among them")
    )


HIDDEN = (
    Case("all_forms", gettext("tasks of every form at once"), all_of_them, chooses),
    Case("no_call", gettext("an agent may also answer at once"), no_box, checks.goes_on),
)
