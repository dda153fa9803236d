"""Trace a run: cases that are kept for grading."""

from agentlab_exercise_04_trace_a_run_checks import step, traced, tracing

from agentlab.exercises import Case, Nonce, Scene
from agentlab.language import gettext


def no_step(nonce: Nonce) -> Scene:
    """A question that the model answers at once."""
    return tracing(nonce, [])


def three_steps(nonce: Nonce) -> Scene:
    """Three steps with several calls, of which one fails."""
    return tracing(nonce, [step(nonce, 2), step(nonce, 3, failing=1), step(nonce, 2)])


HIDDEN = (
    Case("no_step", gettext("an answer without a tool"), no_step, traced),
    Case("three_steps", gettext("several steps with several calls"), three_steps, traced),
)
