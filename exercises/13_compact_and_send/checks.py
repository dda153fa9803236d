"""Compact and send: cases."""

from collections.abc import Mapping, Sequence
from typing import Any

from agentlab.exercises import CLIENT, Case, Evidence, Exercise, Nonce, Scene
from agentlab.language import gettext
from agentlab.practice import say
from agentlab.practice.script import Reply

Message = dict[str, Any]


def read_page(book: str, page: int) -> str:
    """Read a page of a book.

    Args:
        book: its title.
        page: the page's number.
    """
    return f"page {page} of {book}"


def asked(text: str) -> Message:
    """Something that the user said."""
    return {"role": "user", "content": text}


def step(number: int, facts: Sequence[str]) -> list[Message]:
    """A step with a call for each fact, and the facts as results.

    Args:
        number: of the step, for ids that are used once.
        facts: what the tools returned.
    """
    ids = [f"toolu_{number}_{place}" for place in range(len(facts))]
    calls = [
        {"type": "tool_use", "id": each, "name": "read_page", "input": {"book": "b", "page": place}}
        for place, each in enumerate(ids)
    ]
    results = [
        {"type": "tool_result", "tool_use_id": each, "content": fact}
        for each, fact in zip(ids, facts, strict=True)
    ]
    return [{"role": "assistant", "content": calls}, {"role": "user", "content": results}]


def new_facts(nonce: Nonce, number: int) -> list[str]:
    """What tools may have returned."""
    return [f"{nonce.word()} lives in house {nonce.number()}" for _ in range(number)]


def compacted(
    nonce: Nonce, messages: list[Message], keep: int, kept: int, secret: Mapping[str, Any]
) -> Scene:
    """A transcript that is shortened and sent.

    Args:
        nonce: what the summary and the answer are made of.
        messages: the transcript.
        keep: how many steps are to stay.
        kept: how many messages these are.
        secret: what else the case will look for.
    """
    summary = f"Somebody lives in {nonce.word()}."
    answer = f"It is house {nonce.number()}."

    def reply(request: dict[str, Any]) -> Reply:
        return say(answer if request.get("tools") else summary)

    return Scene(
        "compact_and_send",
        {"client": CLIENT, "messages": messages, "keep": keep, "tools": [read_page]},
        script=reply,
        secret={
            "messages": messages,
            "kept": messages[len(messages) - kept :],
            "summary": summary,
            "answer": answer,
            **secret,
        },
    )


def short(nonce: Nonce) -> Scene:
    """A transcript that has no more steps than are to be kept."""
    question = f"Where does {nonce.word()} live?"
    messages = [asked(question), *step(1, new_facts(nonce, 1)), *step(2, new_facts(nonce, 2))]
    return compacted(nonce, messages, 2, len(messages), {})


def long(nonce: Nonce) -> Scene:
    """Five steps, of which the last two are to be kept."""
    question = f"Where does {nonce.word()} live?"
    facts = [new_facts(nonce, number) for number in (1, 2, 1, 3, 1)]
    steps = [message for n, each in enumerate(facts) for message in step(n, each)]
    gone = [fact for each in facts[:3] for fact in each]
    secret = {"question": question, "gone": gone}
    return compacted(nonce, [asked(question), *steps], 2, 4, secret)


def interrupted(nonce: Nonce) -> Scene:
    """A user who says something in the middle of the steps that are to be kept."""
    question, more = f"Where does {nonce.word()} live?", f"And look for {nonce.word()} as well."
    facts = new_facts(nonce, 5)
    messages = [
        asked(question),
        *step(1, facts[:1]),
        *step(2, facts[1:2]),
        *step(3, facts[2:3]),
        asked(more),
        *step(4, facts[3:]),
    ]
    return compacted(nonce, messages, 2, 5, {"question": more, "gone": facts[:2]})


# --- judging


def sent(evidence: Evidence) -> list[Message]:
    """The messages of the last request: what was left of the transcript."""
    replies = evidence.run.replies
    messages: list[Message] = replies[-1].request["messages"] if replies else []
    return messages


def answered(evidence: Evidence) -> str | None:
    """Whether the short transcript was sent and answered."""
    found = evidence.returned
    if not isinstance(found, dict) or found.get("answer") != evidence.secret["answer"]:
        return gettext("the shortened transcript was not sent, or its answer did not come back")
    return None


def keeps_steps(evidence: Evidence) -> str | None:
    """Whether the last steps are there as they were, and the others are gone."""
    kept = evidence.secret["kept"]
    if sent(evidence)[-len(kept) :] != kept:
        return gettext("the last steps have to be sent as they were, each call with its results")
    for fact in evidence.secret["gone"]:
        if fact in str(sent(evidence)):
            return gettext("a step before the last ones was sent whole; only its summary should be")
    return answered(evidence)


def shortened(evidence: Evidence) -> str | None:
    """Whether something was left out, and not the end."""
    whole = evidence.secret["messages"]
    if len(sent(evidence)) >= len(whole):
        return gettext("nothing was left out: the transcript that was sent is as long as before")
    if sent(evidence)[-1:] != whole[-1:]:
        return gettext("the last message is gone, or another than before")
    return answered(evidence)


def leaves_alone(evidence: Evidence) -> str | None:
    """Whether a short transcript was sent as it is."""
    if sent(evidence) != evidence.secret["messages"]:
        return gettext(
            "there was nothing to leave out, and the transcript was changed all the same"
        )
    if evidence.run.steps != 1:
        return gettext("there was nothing to leave out, and a summary was asked for all the same")
    return answered(evidence)


def keeps_question(evidence: Evidence) -> str | None:
    """Whether the request begins with the user, and with what was asked."""
    if problem := shortened(evidence):
        return problem
    messages = sent(evidence)
    if messages[0]["role"] != "user" or evidence.secret["question"] not in str(messages):
        return gettext("the question is gone: the model has to see it word for word")
    return None


def sums_up(evidence: Evidence) -> str | None:
    """Whether one request made the summary, from what was left out, and it is there."""
    asked_for = [event.request for event in evidence.run.replies[:-1]]
    if len(asked_for) != 1:
        return gettext(
            "one request is enough for a summary, and yours made {made}",
            made=len(asked_for),
        )
    if asked_for[0].get("tools"):
        return gettext("the request for a summary needs no tools")
    if any(fact not in str(asked_for[0]) for fact in evidence.secret["gone"]):
        return gettext("the request for a summary has to hold all results that are left out")
    if evidence.secret["summary"] not in str(sent(evidence)):
        return gettext("the summary that the model wrote did not get into the transcript")
    return answered(evidence)


def changes_nothing(evidence: Evidence) -> str | None:
    """Whether what was handed in is as it was."""
    if problem := shortened(evidence):
        return problem
    if evidence.returned.get("given") != evidence.secret["messages"]:
        return gettext(
            "the list that was handed in was changed; somebody may still want to save it"
        )
    return None


EXERCISE = Exercise(
    number="13",
    title=gettext("Compact and send"),
    answers=("compact",),
    cases=(
        Case("short", gettext("a short transcript stays as it is"), short, leaves_alone),
        Case("last_steps", gettext("the last steps stay as they were"), long, keeps_steps),
        Case("pairs", gettext("no call is parted from its result"), interrupted, keeps_steps),
        Case("question", gettext("the question stays word for word"), long, keeps_question),
        Case("summary", gettext("one request sums up the rest"), long, sums_up),
        Case("unchanged", gettext("what was handed in is not changed"), long, changes_nothing),
    ),
    hints=(
        gettext(
            "Do not count messages. A step begins with an assistant message that follows one "
            "of the user; find the places at which steps begin."
        ),
        gettext(
            "Cut at the place where the last steps to be kept begin: everything from there on "
            "stays as it is, and everything before it goes to the summary as text."
        ),
        gettext(
            "The new transcript is a new list. It begins with one user message: the summary, "
            "then the last thing that the user said, unless the kept steps hold it."
        ),
    ),
)
