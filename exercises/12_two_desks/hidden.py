"""Two desks: cases that are kept for grading."""

from agentlab_exercise_12_two_desks_checks import new_order, says, support

from agentlab.exercises import Case, Evidence, Nonce, Scene
from agentlab.language import gettext
from agentlab.practice import both, say, use


def closed_beside(nonce: Nonce) -> Scene:
    """A case that is closed in the same reply as a look at its order."""
    order = new_order(nonce)
    summary = f"{order} is on its way, says {nonce.word()}"
    asked = both(use("order_status", order_id=order), use("close_case", summary=summary))
    return support(nonce, [asked, say("Is there anything else?")], {"words": summary})


def ends_with_both(evidence: Evidence) -> str | None:
    """Whether the first call ran, and the second ended it."""
    if evidence.run.steps > 1:
        return gettext("the case was closed, and your function asked the model again")
    if len(evidence.effects) != 1:
        return gettext("the call before close_case in the same reply has to run")
    return says(evidence)


HIDDEN = (
    Case(
        "closed_beside",
        gettext("closing ends the run beside other calls"),
        closed_beside,
        ends_with_both,
    ),
)
