"""A failing tool: cases that are kept for grading."""

from agentlab_exercise_06_a_failing_tool_checks import answers, described, text_of

from agentlab import ToolError
from agentlab.exercises import CLIENT, Case, Evidence, Nonce, Scene
from agentlab.language import gettext
from agentlab.practice import both, say, use


def repaired(nonce: Nonce) -> Scene:
    """A call that fails, and the same tool with a better input."""
    wrong, right, rate = nonce.word(), nonce.word().upper(), nonce.number()

    def get_rate(currency: str) -> int:
        """Tell what a currency is worth.

        Args:
            currency: its code.
        """
        if currency != right:
            raise ToolError(f"There is no rate for {currency}. Use {right}.")
        return rate

    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [get_rate], "question": f"What is a {wrong} worth?"},
        script=[
            use("get_rate", currency=wrong),
            use("get_rate", currency=right),
            say(f"It is {rate}."),
        ],
        secret={"answer": f"It is {rate}.", "words": f"Use {right}", "rate": str(rate)},
    )


def invented_among_others(nonce: Nonce) -> Scene:
    """An invented name beside a tool that there is."""
    title, shelf = nonce.word(), nonce.number()

    def find_book(title: str) -> str:
        """Find a book.

        Args:
            title: the book's title.
        """
        return f"shelf {shelf}"

    asked = both(use(f"get_{nonce.word()}", title=title), use("find_book", title=title))
    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [find_book], "question": f"Where is {title}?"},
        script=[asked, say(f"On shelf {shelf}.")],
        secret={"answer": f"On shelf {shelf}.", "words": "find_book", "rate": f"shelf {shelf}"},
    )


def both_told(evidence: Evidence) -> str | None:
    """Whether the first call has its error and the second one its data."""
    if len(evidence.calls) < 2:
        return gettext("after an error the model may call again, and your loop did not let it")
    first, second = evidence.calls[:2]
    if problem := described(evidence, first, [evidence.secret["words"]]):
        return problem
    result = evidence.result_of(second) or {}
    if evidence.secret["rate"] not in text_of(result):
        return gettext("the call that went well has not got its own result")
    if result.get("is_error"):
        return gettext("a call that went well carries the error flag")
    return answers(evidence)


HIDDEN = (
    Case("repaired", gettext("after an error the model tries again"), repaired, both_told),
    Case(
        "invented", gettext("an invented tool beside a real one"), invented_among_others, both_told
    ),
)
