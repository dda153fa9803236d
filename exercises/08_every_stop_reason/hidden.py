"""Every stop reason: cases that are kept for grading."""

from agentlab_exercise_08_every_stop_reason_checks import ended, ending_with, ends_at_once

from agentlab.exercises import CLIENT, Case, Evidence, Nonce, Scene
from agentlab.language import gettext, ngettext
from agentlab.practice import say, use


def stop_sequence(nonce: Nonce) -> Scene:
    """A text at which the model was told to stop."""
    return ending_with("stop_sequence", nonce)


def full_window(nonce: Nonce) -> Scene:
    """A conversation that has filled the model's window."""
    return ending_with("model_context_window_exceeded", nonce)


def long_silence(nonce: Nonce) -> Scene:
    """A model that says nothing, reminded or not."""
    thing = nonce.word()
    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [], "question": f"What is a {thing}?"},
        script=lambda request: say(""),
        secret={"question": thing},
    )


def many_pages(nonce: Nonce) -> Scene:
    """A healthy run that calls one tool often, each time with another input."""
    book, pages = nonce.word(), 5

    def read_page(book: str, page: int) -> str:
        """Read a page of a book.

        Args:
            book: its title.
            page: the page's number.
        """
        return f"page {page} of {book}"

    asked = [use("read_page", book=book, page=page) for page in range(1, pages + 1)]
    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [read_page], "question": f"Read {book} to me."},
        script=[*asked, say(f"That was {book}.")],
        secret={"question": book, "text": f"That was {book}.", "pages": pages},
    )


def too_many_steps(nonce: Nonce) -> Scene:
    """A model that has not finished when the limit is reached."""
    book = nonce.word()

    def read_page(page: int) -> str:
        """Read a page.

        Args:
            page: the page's number.
        """
        return f"page {page}"

    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [read_page], "question": f"Read {book}.", "max_steps": 2},
        script=lambda request: use("read_page", page=len(request["messages"])),
        secret={"question": book},
    )


def one_reminder(evidence: Evidence) -> str | None:
    """Whether the run ended after the second silence."""
    if evidence.run.steps != 2:
        return gettext(
            "a model that says nothing is reminded once, which makes two requests; yours "
            "made {steps}",
            steps=evidence.run.steps,
        )
    return ended(evidence, "end_turn", "")


def reads_on(evidence: Evidence) -> str | None:
    """Whether every call ran."""
    pages = evidence.secret["pages"]
    if len(evidence.effects) != pages:
        return gettext(
            "calls with different inputs are no repetition: {asked} were asked for, and {ran} ran",
            asked=pages,
            ran=len(evidence.effects),
        )
    return ended(evidence, "end_turn", evidence.secret["text"])


def stops(evidence: Evidence) -> str | None:
    """Whether the limit held and is the reason."""
    if evidence.run.steps != 2:
        return ngettext(
            "max_steps was 2, and yours made {count} request",
            "max_steps was 2, and yours made {count} requests",
            evidence.run.steps,
        )
    return ended(evidence, "max_steps")


HIDDEN = (
    Case("stop_sequence", gettext("stop_sequence ends the run"), stop_sequence, ends_at_once),
    Case("window", gettext("a full window ends the run"), full_window, ends_at_once),
    Case("long_silence", gettext("a second empty reply ends the run"), long_silence, one_reminder),
    Case("many_pages", gettext("other inputs are no repetition"), many_pages, reads_on),
    Case("max_steps", gettext("the limit is a reason of its own"), too_many_steps, stops),
)
