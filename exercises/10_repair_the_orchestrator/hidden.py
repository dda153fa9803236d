"""Repair the orchestrator: cases that are kept for grading."""

from agentlab_exercise_10_repair_the_orchestrator_checks import has_report, research

from agentlab.exercises import Case, Evidence, Nonce, Scene
from agentlab.language import gettext
from agentlab.practice import say, use


def bare_text(nonce: Nonce) -> Scene:
    """A model that writes a text in place of a report."""
    word = nonce.word()
    text = f"There are {nonce.number()} of {word}."
    return research(
        f"Research {word}.", [use("search_web", query=word), say(text)], {"report": text}
    )


def keeps_text(evidence: Evidence) -> str | None:
    """Whether the text was kept as a fallback."""
    if evidence.run.steps > 2:
        return gettext("a text without a call ends the run, and yours went on")
    return has_report(evidence)


HIDDEN = (Case("fallback", gettext("a text in place of a report is kept"), bare_text, keeps_text),)
