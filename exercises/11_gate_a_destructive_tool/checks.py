"""Gate a destructive tool: cases."""

import re
from collections.abc import Callable
from typing import Any

from agentlab import tool
from agentlab.exercises import CLIENT, Case, Evidence, Exercise, Nonce, Scene
from agentlab.language import gettext, ngettext
from agentlab.practice import both, say, use
from agentlab.practice.script import Script

NOT_DONE = re.compile(r"n[o']t\b|never|denied|declined|refused|rejected|\bno\b", re.IGNORECASE)
"""What the result of a call says in some way when the call did not run."""


def read_file(path: str) -> str:
    """Read a file.

    Args:
        path: where it is.
    """
    return f"the text of {path}"


@tool(destructive=True)
def delete_file(path: str) -> str:
    """Delete a file for good.

    Args:
        path: where it is.
    """
    return f"{path} is gone"


def guarded(
    answer: Callable[[str, dict], Any], script: Script, secret: dict[str, Any], **more: Any
) -> Scene:
    """A run in which a person answers as `answer` does."""

    def approve(name: str, arguments: dict) -> bool:
        """Ask a person whether a call may run.

        Args:
            name: the tool's name.
            arguments: what it would be called with.
        """
        return answer(name, arguments)

    return Scene(
        "guarded_run",
        {
            "client": CLIENT,
            "tools": [read_file, delete_file],
            "question": "Tidy up my files, please.",
            "approve": approve,
        },
        script=script,
        secret=secret,
        **more,
    )


def yes(nonce: Nonce) -> Scene:
    """One call, and a yes."""
    path, words = f"{nonce.word()}.txt", f"It is gone, number {nonce.number()}."
    return guarded(
        lambda name, arguments: True,
        [use("delete_file", path=path), say(words)],
        {"words": words, "path": path},
    )


def neighbours(nonce: Nonce) -> Scene:
    """A harmless call, a no and a yes in one reply."""
    kept, gone = f"{nonce.word()}.txt", f"{nonce.word()}.txt"
    words = f"One of the two is gone, number {nonce.number()}."
    asked = both(
        use("read_file", path=kept), use("delete_file", path=kept), use("delete_file", path=gone)
    )
    return guarded(
        lambda name, arguments: arguments.get("path") == gone,
        [asked, say(words)],
        {"words": words, "kept": kept, "gone": gone},
    )


def nobody_there(nonce: Nonce) -> Scene:
    """Asking fails."""

    def raise_timeout(name: str, arguments: dict) -> bool:
        raise TimeoutError("nobody answered")

    words = f"Nothing was deleted, number {nonce.number()}."
    asked = use("delete_file", path=f"{nonce.word()}.txt")
    return guarded(raise_timeout, [asked, say(words)], {"words": words, "calls": 1})


def no_real_yes(nonce: Nonce) -> Scene:
    """Three answers, none of which is `True`."""
    answers = {f"{nonce.word()}.txt": each for each in (None, "no, please keep it", 1)}
    words = f"Nothing was deleted, number {nonce.number()}."
    asked = both(*(use("delete_file", path=path) for path in answers))
    return guarded(
        lambda name, arguments: answers.get(str(arguments.get("path"))),
        [asked, say(words)],
        {"words": words, "calls": 3},
    )


def invalid(nonce: Nonce) -> Scene:
    """A call that does not fit the schema, and the same one repaired."""
    path, words = f"{nonce.word()}.txt", f"It is gone, number {nonce.number()}."
    return guarded(
        lambda name, arguments: True,
        [use("delete_file", path=[path]), use("delete_file", path=path), say(words)],
        {"words": words, "path": path},
    )


# --- judging


def says(evidence: Evidence) -> str | None:
    """Whether the run came to its end, with the model's last words."""
    wanted = evidence.secret["words"]
    if evidence.returned != wanted:
        return gettext(
            "your function has to return the model's last words, {wanted!r}; found "
            "{returned!r:.80}",
            wanted=wanted,
            returned=evidence.returned,
        )
    return None


def asked_about(evidence: Evidence) -> list[dict[str, Any]]:
    """What the person was shown, in order."""
    return [effect.arguments for effect in evidence.effects_of("approve")]


def deleted(evidence: Evidence) -> list[Any]:
    """The files that are gone."""
    return [effect.arguments.get("path") for effect in evidence.effects_of("delete_file")]


def denied_well(result: dict[str, Any] | None) -> str | None:
    """Whether a result tells the model that its call did not run."""
    if result is None:
        return gettext("a call that was denied got no tool_result")
    if not result.get("is_error"):
        return gettext("the result of a denied call has to be flagged as an error")
    said = str(result.get("content"))
    if said.isascii() and not NOT_DONE.search(said):  # other languages are taken at their word
        return gettext("the result of a denied call has to say that the call did not run")
    return None


def runs_after_yes(evidence: Evidence) -> str | None:
    """Whether the person was asked first, about the very call, and it ran once."""
    path = evidence.secret["path"]
    happened = [effect.name for effect in evidence.effects]
    if "approve" not in happened:
        return gettext("nobody was asked before a destructive call")
    if asked_about(evidence) != [{"name": "delete_file", "arguments": {"path": path}}]:
        return gettext(
            "the person has to be asked once, and to see the name and the arguments of the "
            "call; yours saw {found!r:.150}",
            found=asked_about(evidence),
        )
    if happened != ["approve", "delete_file"]:
        return gettext(
            "after a yes the call runs once; what happened was {happened}",
            happened=", ".join(happened),
        )
    return says(evidence)


def decides_each(evidence: Evidence) -> str | None:
    """Whether each call got its own decision."""
    kept, gone = evidence.secret["kept"], evidence.secret["gone"]
    if not asked_about(evidence):
        return gettext("nobody was asked before a destructive call")
    if kept in deleted(evidence):
        return gettext("a call ran that the person had said no to")
    if not evidence.effects_of("read_file"):
        return gettext("a harmless call did not run because its neighbour was denied")
    if deleted(evidence) != [gone]:
        return gettext("a call that had its yes did not run because its neighbour was denied")
    if "read_file" in [each.get("name") for each in asked_about(evidence)]:
        return gettext("the person was asked about a call that destroys nothing")
    if len(evidence.results) < 3:
        return ngettext(
            "three calls were made, and {count} was answered",
            "three calls were made, and {count} were answered",
            len(evidence.results),
        )
    answers = [evidence.result_of(call) for call in evidence.calls]
    if problem := denied_well(answers[1]):
        return problem
    if any(each is None or each.get("is_error") for each in (answers[0], answers[2])):
        return gettext("a call that ran well was answered as if it had not")
    return says(evidence)


def fails_closed(evidence: Evidence) -> str | None:
    """Whether nothing ran, and the model was told so each time."""
    if deleted(evidence):
        return gettext("a call ran although nobody had said yes to it; only True is a yes")
    if not asked_about(evidence):
        return gettext("nobody was asked before a destructive call")
    if len(evidence.results) < evidence.secret["calls"]:
        return gettext("a call that was denied got no tool_result")
    for result in evidence.results:
        if problem := denied_well(result):
            return problem
    return says(evidence)


def checks_first(evidence: Evidence) -> str | None:
    """Whether a call that cannot run was turned down without asking anybody."""
    path = evidence.secret["path"]
    if [path] in deleted(evidence):
        return gettext("a call ran whose arguments do not fit the tool's schema")
    if {"path": [path]} in [each.get("arguments") for each in asked_about(evidence)]:
        return gettext(
            "the person was asked about a call whose arguments do not fit the tool's schema"
        )
    if len(evidence.results) < 2:
        return gettext(
            "a call that does not fit was not answered, so the model could not repair it"
        )
    first = evidence.results[0]
    if not first.get("is_error") or "path" not in str(first.get("content")):
        return gettext("the result of a call that does not fit is an error that names the argument")
    if deleted(evidence) != [path]:
        return gettext("the repaired call had its yes, and did not run once")
    return says(evidence)


EXERCISE = Exercise(
    number="11",
    title=gettext("Gate a destructive tool"),
    answers=("guarded_run",),
    cases=(
        Case("approved", gettext("after a yes the call runs once"), yes, runs_after_yes),
        Case("neighbours", gettext("each call has its own yes or no"), neighbours, decides_each),
        Case(
            "nobody", gettext("where nobody can be asked, nothing runs"), nobody_there, fails_closed
        ),
        Case("no_yes", gettext("only True is a yes"), no_real_yes, fails_closed),
        Case(
            "invalid",
            gettext("nobody is asked about a call that cannot run"),
            invalid,
            checks_first,
        ),
    ),
    hints=(
        gettext(
            "Answer one call in a function of its own, which gives a tool_result whatever "
            "happens. The loop around it is the one of exercise 05."
        ),
        gettext(
            "Keep an order: is there such a tool, do the arguments fit, is a yes needed and "
            "there, run. Each of the four can end in a result that is flagged as an error."
        ),
        gettext(
            "`tool(each).parse(input)` checks arguments, and `tool(each).destructive` says "
            "whether to ask. Around approve stands a try; after it the answer is compared with "
            "`is True`."
        ),
    ),
)
