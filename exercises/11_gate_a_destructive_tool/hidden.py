"""Gate a destructive tool: cases that are kept for grading."""

from agentlab_exercise_11_gate_a_destructive_tool_checks import guarded, read_file, says

from agentlab import tool
from agentlab.exercises import Case, Evidence, Nonce, Scene
from agentlab.language import gettext, ngettext
from agentlab.practice import overloaded, rate_limited, say, use


def busy_api(nonce: Nonce) -> Scene:
    """An API that is overloaded after the call has run."""
    path, words = f"{nonce.word()}.txt", f"It is gone, number {nonce.number()}."
    return guarded(
        lambda name, arguments: True,
        [use("delete_file", path=path), say(words)],
        {"words": words},
        faults={1: [overloaded(), rate_limited()]},
    )


def broken_deed(nonce: Nonce) -> Scene:
    """A destructive tool that fails when it may already have done something."""
    path, words = f"{nonce.word()}.txt", f"I cannot tell, number {nonce.number()}."
    scene = guarded(
        lambda name, arguments: True,
        [use("delete_file", path=path), say(words)],
        {"words": words},
    )

    @tool(destructive=True)
    def delete_file(path: str) -> str:
        """Delete a file for good.

        Args:
            path: where it is.
        """
        raise TimeoutError(f"the disk did not answer about {path}")

    arguments = {**scene.arguments, "tools": [read_file, delete_file]}
    return Scene(scene.call, arguments, scene.script, secret=scene.secret)


def once(evidence: Evidence) -> str | None:
    """Whether the call ran once."""
    ran = len(evidence.effects_of("delete_file"))
    if ran != 1:
        return ngettext(
            "one call had its yes, and it ran {count} time",
            "one call had its yes, and it ran {count} times",
            ran,
        )
    return says(evidence)


def told(evidence: Evidence) -> str | None:
    """Whether the failure went back, and was not tried again."""
    if problem := once(evidence):
        return problem
    if not evidence.results[0].get("is_error"):
        return gettext("the tool failed, and its result went back without is_error")
    return None


HIDDEN = (
    Case("busy", gettext("a call runs once, also where the API is overloaded"), busy_api, once),
    Case("failed_deed", gettext("a deed that failed is told and not repeated"), broken_deed, told),
)
