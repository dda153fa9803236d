"""Every stop reason: cases."""

from typing import Any

from agentlab.exercises import CLIENT, Case, Evidence, Exercise, Nonce, Scene
from agentlab.language import gettext, ngettext
from agentlab.practice import cut_off, overloaded, pause, rate_limited, refuse, say, use
from agentlab.practice.script import Reply
from agentlab.rules import check_transcript, refused

KEYS = {"text", "reason", "messages"}


def overloaded_api(nonce: Nonce) -> Scene:
    """A tool that changes something, and an API that is overloaded twice after it has run."""
    guest, room = nonce.word(), nonce.number()

    def book_room(guest: str) -> str:
        """Book a room for a guest.

        Args:
            guest: the guest's name.
        """
        return f"room {room} is booked for {guest}"

    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [book_room], "question": f"A room for {guest}, please."},
        script=[use("book_room", guest=guest), say(f"You have room {room}.")],
        faults={1: [overloaded(), rate_limited()]},
        secret={"text": f"You have room {room}.", "question": guest},
    )


def half_call(nonce: Nonce) -> Scene:
    """A call that was cut off in its middle: what is left of it is a valid call."""
    order, amount = f"SP-{nonce.number(1000, 9999)}", nonce.number(2, 9)
    half = cut_off(use("pay_back", order_id=order, amount=amount))
    return Scene(
        "run_agent",
        {
            "client": CLIENT,
            "tools": [pay_back],
            "question": f"Pay back {amount} AZN of the order {order}.",
        },
        script=[half, say("It is paid back.")],
        secret={"question": order},
    )


def pay_back(order_id: str, amount: int = 500) -> str:
    """Pay money back to a customer.

    Args:
        order_id: the order's number.
        amount: how much, in AZN; the whole order when it is left out.
    """
    return f"{amount} AZN paid back for {order_id}"


def paused(nonce: Nonce) -> Scene:
    """A reply that pauses in the middle of a search at the API."""
    thing = nonce.word()
    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [], "question": f"What is new about {thing}?"},
        script=[pause(), say(f"There is a new {thing}.")],
        secret={"text": f"There is a new {thing}.", "question": thing},
    )


def refusal(nonce: Nonce) -> Scene:
    """A step that goes well, and a refusal after it."""
    name, phone = nonce.word(), nonce.number(1000, 9999)

    def find_phone(name: str) -> str:
        """Find a phone number.

        Args:
            name: whose it is.
        """
        return f"{name} has the number {phone}"

    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [find_phone], "question": f"How can I call {name}?"},
        script=[use("find_phone", name=name), refuse()],
        secret={"question": name, "result": str(phone)},
    )


def unknown_reason(nonce: Nonce) -> Scene:
    """A stop reason that nobody has heard of."""
    return ending_with(nonce.word(), nonce)


def ending_with(reason: str, nonce: Nonce) -> Scene:
    """A text reply that ends for `reason`, and another one that nobody should ask for."""
    thing, number = nonce.word(), nonce.number()
    text = f"There are {number} of {thing}"
    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [], "question": f"How many of {thing} are there?"},
        script=[say(text, stop_reason=reason), say("Anything else?")],
        secret={"text": text, "reason": reason, "question": thing},
    )


def silence(nonce: Nonce) -> Scene:
    """An empty reply, and an answer once the model is reminded."""
    thing = nonce.word()
    question = f"What is a {thing}?"
    text = f"A {thing} is number {nonce.number()}."

    def answer_when_reminded(request: dict[str, Any]) -> Reply:
        first = request["messages"] == [{"role": "user", "content": question}]
        return say("" if first else text)

    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [], "question": question},
        script=answer_when_reminded,
        secret={"text": text, "question": thing},
    )


def repeating(nonce: Nonce) -> Scene:
    """A model that makes the same call again and again."""
    order = f"SP-{nonce.number(1000, 9999)}"

    def track(order_id: str) -> str:
        """Say where an order is.

        Args:
            order_id: the order's number.
        """
        return f"{order_id} is on its way"

    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [track], "question": f"Where is {order}?", "max_steps": 12},
        script=lambda request: use("track", order_id=order),
        secret={"question": order},
    )


# --- judging


def ended(evidence: Evidence, reason: str, text: str | None = None) -> str | None:
    """Whether the run says what it has to say, and left a transcript that can be sent again."""
    if not evidence.run.steps:
        return gettext("your function never asked the model")
    found = evidence.returned
    if not isinstance(found, dict) or not found.keys() >= KEYS:
        return gettext(
            "your function has to return a dict with text, reason and messages; found "
            "{found!r:.80}",
            found=found,
        )
    messages = found["messages"]
    if not isinstance(messages, list) or evidence.secret["question"] not in str(messages[:1]):
        return gettext("the messages that you return have to begin with the question")
    if broken := refused(check_transcript(messages)):
        return gettext(
            "the messages that you return cannot be sent again: {problem}",
            problem=broken[0].problem,
        )
    if found["reason"] != reason:
        return gettext(
            "the run ended for the reason {reason!r}, and yours says {found!r}",
            reason=reason,
            found=found["reason"],
        )
    if text is not None and found["text"] != text:
        return gettext(
            "the model's last words were {wanted!r}, and you return {found!r}",
            wanted=text,
            found=found["text"],
        )
    return None


def once(evidence: Evidence) -> str | None:
    """Whether the tool ran once, whatever the API did."""
    ran = len(evidence.effects)
    if ran > 1:
        return ngettext(
            "the tool that changes something ran {count} time because the API was overloaded",
            "the tool that changes something ran {count} times because the API was overloaded",
            ran,
        )
    if evidence.raised:
        return gettext("your code raised {raised}", raised=evidence.raised)
    if not ran:
        return gettext("your loop did not run the tool that the model asked for")
    return ended(evidence, "end_turn", evidence.secret["text"])


def not_run(evidence: Evidence) -> str | None:
    """Whether the half-written call was answered and not run."""
    if evidence.effects:
        return gettext(
            "a call that was cut off by max_tokens was run, without the part that was cut"
        )
    if evidence.run.steps > 1:
        return gettext("a reply that ended with max_tokens ends the run, and yours went on")
    problem = ended(evidence, "max_tokens")
    if problem:
        return problem
    results = [
        block
        for message in evidence.returned["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    if not results or not results[0].get("is_error"):
        return gettext(
            "the call that was not run has to be answered by a tool_result flagged as an error"
        )
    return None


def resumed(evidence: Evidence) -> str | None:
    """Whether the paused reply went back as it had come."""
    if evidence.run.steps < 2:
        return gettext("after pause_turn the model wants to go on, and nobody asked it")
    replies = evidence.run.replies
    sent = replies[1].request["messages"]
    if sent[1:] != [{"role": "assistant", "content": replies[0].reply["content"]}]:
        return gettext("after pause_turn the reply goes back as it came, and nothing else with it")
    return ended(evidence, "end_turn", evidence.secret["text"])


def not_kept(evidence: Evidence) -> str | None:
    """Whether the refusal ended the run and left nothing behind."""
    if evidence.run.steps > 2:
        return gettext("after a refusal your loop asked again")
    if problem := ended(evidence, "refusal"):
        return problem
    messages = evidence.returned["messages"]
    if messages[-1]["role"] == "assistant":
        return gettext("a refused reply must not stay in the messages: it would be refused again")
    if evidence.secret["result"] not in str(messages):
        return gettext("the steps before the refusal went well, and your messages lost them")
    return None


def ends_at_once(evidence: Evidence) -> str | None:
    """Whether the run ended with the reason it was given."""
    if evidence.run.steps > 1:
        return gettext(
            "a reply that ended with {reason!r} ends the run, and your loop asked again",
            reason=evidence.secret["reason"],
        )
    return ended(evidence, evidence.secret["reason"], evidence.secret["text"])


def reminded(evidence: Evidence) -> str | None:
    """Whether one reminder was sent."""
    if evidence.run.steps < 2:
        return gettext("the model said nothing, and your loop did not remind it")
    if evidence.run.steps > 2:
        return gettext(
            "one reminder is enough, and your loop sent {sent}",
            sent=evidence.run.steps - 1,
        )
    return ended(evidence, "end_turn", evidence.secret["text"])


def gives_up(evidence: Evidence) -> str | None:
    """Whether the repetition was noticed."""
    ran = len(evidence.effects)
    if ran > 2:
        return ngettext(
            "the same call with the same input ran {count} time; two are enough",
            "the same call with the same input ran {count} times; two are enough",
            ran,
        )
    if not ran:
        return gettext("your loop did not run the tool that the model asked for")
    if evidence.run.steps > 4:
        return ngettext(
            "the model repeated one call for {count} step before the run ended",
            "the model repeated one call for {count} steps before the run ended",
            evidence.run.steps,
        )
    return ended(evidence, "repeating")


EXERCISE = Exercise(
    number="08",
    title=gettext("Every stop reason"),
    answers=("run_agent",),
    cases=(
        Case(
            "overloaded",
            gettext("a tool runs once, also where the API is overloaded"),
            overloaded_api,
            once,
            tolerates=("exceptions",),
        ),
        Case(
            "half_call",
            gettext("a call that was cut off is answered and not run"),
            half_call,
            not_run,
        ),
        Case("paused", gettext("a paused reply goes back as it came"), paused, resumed),
        Case("refusal", gettext("a refusal ends the run and is not kept"), refusal, not_kept),
        Case(
            "unknown", gettext("an unknown stop reason ends the run"), unknown_reason, ends_at_once
        ),
        Case("silence", gettext("an empty reply gets one reminder"), silence, reminded),
        Case("repeating", gettext("a call that repeats itself ends the run"), repeating, gives_up),
    ),
    hints=(
        gettext(
            "Look at `reply.stop_reason` before anything else, and ask two questions apart: "
            "may its calls run, and must its calls be answered?"
        ),
        gettext(
            "Calls run only after tool_use, and every call is answered. Only tool_use, "
            "pause_turn and a first empty reply go on; every other reason ends the run, known "
            "or not."
        ),
        gettext(
            "An empty reply and a refusal are never appended. Count each call by its name and "
            "its input as JSON; the third time it is answered as not run, and the reason is "
            "'repeating'."
        ),
    ),
)
