"""Two desks: cases."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from agentlab.exercises import CLIENT, Case, Evidence, Exercise, Nonce, Scene
from agentlab.language import gettext, ngettext
from agentlab.practice import both, say, use
from agentlab.practice.script import Script

ORDERS = {"order_status", "to_refunds", "close_case"}
REFUNDS = {"pay_back", "to_orders", "close_case"}


def order_status(order_id: str) -> str:
    """Say where an order is.

    Args:
        order_id: the order's number.
    """
    return f"{order_id} left the warehouse on Monday"


def pay_back(order_id: str) -> str:
    """Pay an order back to its customer.

    Args:
        order_id: the order's number.
    """
    return f"{order_id} is paid back"


def support(nonce: Nonce, script: Script, secret: Mapping[str, Any], **more: Any) -> Scene:
    """A conversation with a customer whose name nobody knows before."""
    customer = nonce.word().title()
    return Scene(
        "support",
        {
            "client": CLIENT,
            "order_status": order_status,
            "pay_back": pay_back,
            "question": "There is something about my order.",
            "customer": customer,
            **more,
        },
        script=script,
        secret={**secret, "customer": customer},
    )


def new_order(nonce: Nonce) -> str:
    """The number of an order."""
    return f"SP-{nonce.number(1000, 9999)}"


def one_desk(nonce: Nonce) -> Scene:
    """A question that the first desk can answer."""
    order = new_order(nonce)
    words = f"{order} left on Monday."
    return support(nonce, [use("order_status", order_id=order), say(words)], {"words": words})


def handoff(nonce: Nonce) -> Scene:
    """The first desk hands over, and the second pays back."""
    order = new_order(nonce)
    reason, words = f"the lamp of {order} is {nonce.word()}", f"{order} is paid back to you."
    script = [use("to_refunds", reason=reason), use("pay_back", order_id=order), say(words)]
    return support(nonce, script, {"words": words, "reason": reason, "order": order})


def handoff_and_more(nonce: Nonce) -> Scene:
    """A handoff with another call behind it in the same reply."""
    order = new_order(nonce)
    reason, words = f"the lamp of {order} is {nonce.word()}", f"{order} will be paid back."
    asked = both(use("to_refunds", reason=reason), use("order_status", order_id=order))
    return support(nonce, [asked, say(words)], {"words": words, "order": order})


def there_and_back(nonce: Nonce) -> Scene:
    """To the second desk, and back to the first for another reason."""
    order = new_order(nonce)
    first, second = f"the lamp is {nonce.word()}", f"it is about the {nonce.word()} in {order}"
    words = f"{order} left on Monday."
    script = [
        use("to_refunds", reason=first),
        use("to_orders", reason=second),
        use("order_status", order_id=order),
        say(words),
    ]
    return support(nonce, script, {"words": words, "reason": second})


def for_ever(nonce: Nonce) -> Scene:
    """Two desks that are never in charge."""
    word = nonce.word()

    def hand_over(request: dict[str, Any]) -> Any:
        names = {each["name"] for each in request.get("tools", ())}
        other = "to_refunds" if "to_refunds" in names else "to_orders"
        return use(other, reason=f"{word} {len(request['messages'])}")

    return support(nonce, hand_over, {}, max_steps=6)


def closing(nonce: Nonce) -> Scene:
    """The second desk closes the case."""
    order = new_order(nonce)
    summary = f"{order} needs nothing, says {nonce.word()}"
    script = [
        use("to_refunds", reason=f"about {order}"),
        use("close_case", summary=summary),
        say("Is there anything else?"),
    ]
    return support(nonce, script, {"words": summary})


# --- judging


def tools_at(evidence: Evidence, step: int) -> set[str]:
    """The names of the tools that a request carried; steps are counted from zero."""
    request = evidence.run.replies[step].request
    return {each.get("name", "") for each in request.get("tools", ())}


def told_at(evidence: Evidence, step: int) -> str:
    """The system prompt of a request."""
    return str(evidence.run.replies[step].request.get("system", ""))


def at_desk(evidence: Evidence, step: int, desk: set[str]) -> str | None:
    """Whether a request was that of a desk."""
    name = gettext("orders") if desk is ORDERS else gettext("refunds")
    if evidence.run.steps <= step and evidence.raised:
        return gettext("your code raised {raised}", raised=evidence.raised)
    if evidence.run.steps <= step:
        return ngettext(
            "your function made {count} request, and the {desk} desk should have made one more",
            "your function made {count} requests, and the {desk} desk should have made one more",
            evidence.run.steps,
            desk=name,
        )
    if tools_at(evidence, step) != desk:
        listed = ", ".join(sorted(tools_at(evidence, step))) or gettext("none")
        return gettext(
            "request {number} is one of the {desk} desk, and its tools were: {tools}",
            number=step + 1,
            desk=name,
            tools=listed,
        )
    if evidence.secret["customer"] not in told_at(evidence, step):
        return gettext(
            "the system prompt of request {number} does not name the customer", number=step + 1
        )
    return None


def one_conversation(evidence: Evidence) -> str | None:
    """Whether each request carries all that was said before."""
    sent = [event.request["messages"] for event in evidence.run.replies]
    grows = [after[: len(before)] == before != after for before, after in pairwise(sent)]
    if not all(grows):
        return gettext(
            "a desk that takes over has to see the whole conversation, and yours did not"
        )
    return None


def says(evidence: Evidence) -> str | None:
    """Whether the last words came back."""
    if evidence.raised:
        return gettext("your code raised {raised}", raised=evidence.raised)
    wanted = evidence.secret["words"]
    if evidence.returned != wanted:
        return gettext(
            "your function has to return how the conversation ended, {wanted!r}; found "
            "{returned!r:.80}",
            wanted=wanted,
            returned=evidence.returned,
        )
    return None


def stays(evidence: Evidence) -> str | None:
    """Whether the first desk did it alone."""
    if problem := at_desk(evidence, 0, ORDERS):
        return problem
    return at_desk(evidence, 1, ORDERS) or says(evidence)


def hands_over(evidence: Evidence) -> str | None:
    """Whether the second desk went on with the same conversation, and knew why."""
    if problem := at_desk(evidence, 0, ORDERS) or at_desk(evidence, 1, REFUNDS):
        return problem
    if problem := one_conversation(evidence):
        return problem
    if evidence.secret["reason"] not in told_at(evidence, 1):
        return gettext("the system prompt after a handoff does not say why it was handed over")
    if evidence.raised:
        return gettext("your code raised {raised}", raised=evidence.raised)
    paid = [effect.arguments for effect in evidence.effects_of("pay_back")]
    if paid != [{"order_id": evidence.secret["order"]}]:
        return gettext("the order has to be paid back once, with the input that the model gave")
    return at_desk(evidence, 2, REFUNDS) or says(evidence)


def answers_both(evidence: Evidence) -> str | None:
    """Whether the neighbour of a handoff was run and answered."""
    if problem := at_desk(evidence, 1, REFUNDS) or one_conversation(evidence):
        return problem
    answers = [evidence.result_of(call) for call in evidence.calls]
    if None in answers:
        return gettext("a call beside the handoff was left without a result")
    if "Monday" not in str(answers[1]) or len(evidence.effects) != 1:
        return gettext("a call beside the handoff runs as well, and yours did not")
    return says(evidence)


def comes_back(evidence: Evidence) -> str | None:
    """Whether the first desk was told something else the second time."""
    if problem := one_conversation(evidence):
        return problem
    desks = [ORDERS, REFUNDS, ORDERS, ORDERS]
    for step, desk in enumerate(desks):
        if problem := at_desk(evidence, step, desk):
            return problem
    if evidence.secret["reason"] not in told_at(evidence, 2):
        return gettext("after the second handoff the system prompt has to give the second reason")
    return says(evidence)


def holds_the_limit(evidence: Evidence) -> str | None:
    """Whether the limit counted the steps of both desks together."""
    if evidence.raised:
        return gettext("your code raised {raised}", raised=evidence.raised)
    if evidence.run.steps != 6:
        return ngettext(
            "max_steps was 6 for both desks together, and your function made {count} request",
            "max_steps was 6 for both desks together, and your function made {count} requests",
            evidence.run.steps,
        )
    return at_desk(evidence, 4, ORDERS) or at_desk(evidence, 5, REFUNDS)


def ends(evidence: Evidence) -> str | None:
    """Whether nothing was asked after the case was closed."""
    if problem := at_desk(evidence, 1, REFUNDS) or one_conversation(evidence):
        return problem
    if evidence.run.steps > 2:
        return gettext("the case was closed, and your function asked the model again")
    return says(evidence)


def case(
    name: str,
    criterion: str,
    play: Callable[[Nonce], Scene],
    judge: Callable[[Evidence], str | None],
) -> Case:
    """A case whose judge says what went wrong before an exception came of it."""
    return Case(name, criterion, play, judge, tolerates=("exceptions",))


EXERCISE = Exercise(
    number="12",
    title=gettext("Two desks"),
    answers=("support",),
    cases=(
        case("one_desk", gettext("the orders desk answers with its own tools"), one_desk, stays),
        case("handoff", gettext("the other desk goes on, and knows why"), handoff, hands_over),
        case(
            "beside", gettext("a call beside a handoff is answered"), handoff_and_more, answers_both
        ),
        case(
            "back", gettext("the desk that gets it back is told anew"), there_and_back, comes_back
        ),
        case("limit", gettext("one limit holds for both desks"), for_ever, holds_the_limit),
        case("closed", gettext("a closed case ends the run"), closing, ends),
    ),
    hints=(
        gettext(
            "There is one list of messages and one count of steps. What changes at a handoff "
            "is which system prompt and which tools the next request carries."
        ),
        gettext(
            "The reason is known only when the model has given it: a handoff tool puts it into "
            "the state, and the system prompt is a function of that state, asked before every "
            "request."
        ),
        gettext(
            "With `Agent`: a tool that returns the other agent hands over, a parameter "
            "annotated with `Context` lets it keep the reason, and a tool marked as final "
            "closes the case."
        ),
    ),
)
