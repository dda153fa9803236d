"""An event consumer: cases that are kept for grading."""

from agentlab_exercise_09_an_event_consumer_checks import sendable

from agentlab.exercises import CLIENT, Case, Evidence, Nonce, Scene
from agentlab.language import gettext
from agentlab.practice import say, use


def harmless(nonce: Nonce) -> Scene:
    """A run in which the tool to stop before is never called, though the model speaks of it."""
    file = nonce.word()

    def read(file: str) -> str:
        """Read a file.

        Args:
            file: its name.
        """
        return f"remove nothing from {file}"

    def remove(file: str) -> str:
        """Remove a file.

        Args:
            file: its name.
        """
        return f"{file} is gone"

    return Scene(
        "stop_before",
        {
            "client": CLIENT,
            "tools": [read, remove],
            "question": f"Read {file}.",
            "name": "remove",
        },
        script=[use("read", file=file), say(f"I will remove nothing of {file}.")],
        secret={"file": file, "result": f"remove nothing from {file}"},
    )


def comes_to_its_end(evidence: Evidence) -> str | None:
    """Whether nothing stopped the run."""
    if evidence.run.steps != 2:
        return gettext("the tool was never called, and the run ended early all the same")
    if problem := sendable(evidence):
        return problem
    if evidence.returned[-1]["role"] != "assistant":
        return gettext("the messages of a run that came to its end have its last reply in them")
    return None


HIDDEN = (
    Case(
        "goes_on", gettext("a run without that call comes to its end"), harmless, comes_to_its_end
    ),
)
