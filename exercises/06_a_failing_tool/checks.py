"""A failing tool: cases."""

from collections.abc import Callable
from typing import Any

from agentlab import ToolError
from agentlab.exercises import CLIENT, Case, Evidence, Exercise, Nonce, Scene
from agentlab.language import gettext, ngettext
from agentlab.practice import both, say, use


def described_error(nonce: Nonce) -> Scene:
    """A tool that raises ToolError, with words for the model."""
    order, digits = f"SP-{nonce.number(1000, 9999)}", nonce.number(3, 8)

    def get_order(order_id: str) -> str:
        """Tell how far an order has come.

        Args:
            order_id: the order's number.
        """
        raise ToolError(f"There is no order {order_id}. A number has {digits} digits.")

    return one_failing(
        get_order, {"order_id": order}, (order, f"{digits} digits"), f"Is {order} right?"
    )


def unplanned_error(nonce: Nonce) -> Scene:
    """A tool that raises something nobody thought of."""
    kind = nonce.one_of((ConnectionError, KeyError, OSError, ValueError))
    host = nonce.word()

    def count_stock(product: str) -> int:
        """Count the pieces of a product in stock.

        Args:
            product: the product's number.
        """
        raise kind(f"{host} did not answer")

    product = f"P-{nonce.number()}"
    return one_failing(
        count_stock,
        {"product": product},
        (f"{host} did not answer",),
        f"{host} does not answer, so I cannot count {product}.",
    )


def wordless_error(nonce: Nonce) -> Scene:
    """A tool that raises an exception without a text."""

    def read_sensor(place: str) -> int:
        """Read a sensor.

        Args:
            place: where it is.
        """
        raise TimeoutError

    place = nonce.word()
    return one_failing(read_sensor, {"place": place}, (), f"{place} cannot be read.")


def one_failing(
    function: Callable[..., Any], arguments: dict[str, Any], words: tuple[str, ...], answer: str
) -> Scene:
    """A call that fails, and an answer after it.

    Args:
        function: the tool.
        arguments: what it is called with.
        words: what the model has to read.
        answer: the model's last words.
    """
    name = function.__name__
    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [function], "question": f"Please {name} {arguments}."},
        script=[use(name, arguments), say(answer)],
        secret={"answer": answer, "words": list(words)},
    )


def invented_tool(nonce: Nonce) -> Scene:
    """A name that no tool has."""
    place, invented = nonce.word(), f"get_{nonce.word()}"

    def find_book(title: str) -> str:
        """Find a book.

        Args:
            title: the book's title.
        """
        return f"shelf {nonce.number()}"

    def renew_loan(title: str) -> str:
        """Keep a book for longer.

        Args:
            title: the book's title.
        """
        return "renewed"

    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [find_book, renew_loan], "question": f"How is {place}?"},
        script=[use(invented, place=place), say(f"I cannot look up {place}.")],
        secret={"answer": f"I cannot look up {place}.", "words": ["find_book", "renew_loan"]},
    )


def strange_arguments(nonce: Nonce) -> Scene:
    """Three calls that do not fit: one argument is missing, one unknown, one of the wrong type."""
    product, colour = f"P-{nonce.number()}", nonce.word()

    def reserve(product: str, count: int = 1) -> str:
        """Put pieces of a product aside.

        Args:
            product: the product's number.
            count: how many pieces.
        """
        return f"{count} of {product}"

    asked = both(
        use("reserve", count=2),
        use("reserve", product=product, colour=colour),
        use("reserve", product=product, count="some"),
    )
    answer = f"How many of {product} shall I put aside?"
    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [reserve], "question": f"Put some {colour} {product} aside."},
        script=[asked, say(answer)],
        secret={"answer": answer, "named": ["product", "colour", "count"]},
    )


def one_of_three(nonce: Nonce) -> Scene:
    """Three calls of one reply, of which the second one fails."""
    rooms = [nonce.word() for _ in range(3)]
    heat = {room: nonce.number(10, 40) for room in rooms}

    def read_temperature(room: str) -> int:
        """Read the temperature of a room, in degrees Celsius.

        Args:
            room: the room's name.
        """
        if room == rooms[1]:
            raise ToolError(f"The sensor in {room} is broken.")
        return heat[room]

    answer = f"{heat[rooms[0]]} and {heat[rooms[2]]} degrees; {rooms[1]} cannot be read."
    return Scene(
        "run_agent",
        {
            "client": CLIENT,
            "tools": [read_temperature],
            "question": f"How warm is it in {', '.join(rooms)}?",
        },
        script=[both(*(use("read_temperature", room=room) for room in rooms)), say(answer)],
        secret={
            "answer": answer,
            "results": [str(heat[rooms[0]]), f"in {rooms[1]} is broken", str(heat[rooms[2]])],
        },
    )


def half_done(nonce: Nonce) -> Scene:
    """A tool that has done its work when it fails."""
    guest, seconds = nonce.word(), nonce.number(11, 59)

    def charge(guest: str, amount: int) -> str:
        """Take money from a guest's account.

        Args:
            guest: the guest's name.
            amount: how much, in AZN.
        """
        raise TimeoutError(f"The bank took the order and sent no receipt within {seconds} s.")

    return one_failing(
        charge,
        {"guest": guest, "amount": nonce.number()},
        (f"no receipt within {seconds} s",),
        f"I do not know whether {guest} was charged.",
    )


# --- judging


def answers(evidence: Evidence) -> str | None:
    """Whether the model's last words came back."""
    wanted = evidence.secret["answer"]
    if evidence.returned != wanted:
        return gettext(
            "the run has to go on to the model's last words, {wanted!r}; you returned "
            "{returned!r:.80}",
            wanted=wanted,
            returned=evidence.returned,
        )
    return None


def described(evidence: Evidence, call: dict[str, Any], words: list[str]) -> str | None:
    """Whether the error of a call went back so that a model can use it."""
    result = evidence.result_of(call)
    if result is None:
        return gettext("the model asked for a tool and was never told what became of it")
    text = text_of(result)
    if not text.strip():
        return gettext("the result of a failed call is empty, and the model is left to guess")
    if missing := [each for each in words if each not in text]:
        return gettext(
            "the model has to read about {wanted!r}, and what it read is {found!r:.120}",
            wanted=missing[0],
            found=text,
        )
    if not result.get("is_error"):
        return gettext(
            "the words of an error went back without the error flag, as if they were data"
        )
    return None


def text_of(result: dict[str, Any]) -> str:
    """The text of a tool_result."""
    content = result.get("content") or ""
    blocks = content if isinstance(content, list) else [{"text": content}]
    return "".join(str(block.get("text", "")) for block in blocks)


def told(evidence: Evidence) -> str | None:
    """Whether the model was told of its failed call, and the run went on."""
    if not evidence.calls:
        return gettext("your loop made no request that the model could have answered with a call")
    return described(evidence, evidence.calls[0], evidence.secret["words"]) or answers(evidence)


def ran_and_told(evidence: Evidence) -> str | None:
    """Whether the tool ran, and its error came through."""
    return told(evidence) if evidence.effects else gettext("your loop did not run the tool")


def lists_tools(evidence: Evidence) -> str | None:
    """Whether the model was told which tools there are."""
    if evidence.effects:
        return gettext(
            "the model asked for a tool that does not exist, and another one ran in its place"
        )
    result = evidence.result_of(evidence.calls[0]) if evidence.calls else None
    if result and not all(name in text_of(result) for name in evidence.secret["words"]):
        return gettext(
            "the model asked for a tool that does not exist; it has to be told which ones there are"
        )
    return told(evidence)


def checks_arguments(evidence: Evidence) -> str | None:
    """Whether nothing ran, and each call was told what did not fit."""
    if evidence.effects:
        return gettext(
            "a tool ran with arguments that do not fit its schema: {arguments}",
            arguments=evidence.effects[0].arguments,
        )
    if len(evidence.calls) < 3:
        return gettext("your loop made no request that the model could have answered with a call")
    for call, name in zip(evidence.calls, evidence.secret["named"], strict=False):
        if problem := described(evidence, call, [name]):
            return problem
    return answers(evidence)


def others_run(evidence: Evidence) -> str | None:
    """Whether the calls beside the failed one have their results."""
    if len(evidence.effects) < 3:
        return ngettext(
            "one call of three failed, and only {count} was run",
            "one call of three failed, and only {count} were run",
            len(evidence.effects),
        )
    if len(evidence.calls) < 3:
        return gettext("your loop made no request that the model could have answered with a call")
    first, second, third = evidence.calls[:3]
    texts = evidence.secret["results"]
    if problem := described(evidence, second, [texts[1]]):
        return problem
    for call, text in ((first, texts[0]), (third, texts[2])):
        result = evidence.result_of(call) or {}
        if text not in text_of(result):
            return gettext("a call beside the failed one has not got its own result")
        if result.get("is_error"):
            return gettext("a call that went well carries the error flag")
    return answers(evidence)


def not_repeated(evidence: Evidence) -> str | None:
    """Whether the tool ran once."""
    ran = len(evidence.effects)
    if ran > 1:
        return ngettext(
            "the tool had taken the money when it failed, and your loop ran it {count} time",
            "the tool had taken the money when it failed, and your loop ran it {count} times",
            ran,
        )
    return ran_and_told(evidence)


EXERCISE = Exercise(
    number="06",
    title=gettext("A failing tool"),
    answers=("run_agent",),
    cases=(
        Case(
            "tool_error",
            gettext("a ToolError becomes a described result"),
            described_error,
            ran_and_told,
        ),
        Case(
            "any_exception", gettext("so does any other exception"), unplanned_error, ran_and_told
        ),
        Case("no_words", gettext("and one without a text"), wordless_error, ran_and_told),
        Case("unknown_tool", gettext("an invented tool is answered"), invented_tool, lists_tools),
        Case(
            "arguments", gettext("arguments are checked first"), strange_arguments, checks_arguments
        ),
        Case(
            "others_run", gettext("the other calls of a reply still run"), one_of_three, others_run
        ),
        Case("once", gettext("what was done is not done again"), half_done, not_repeated),
    ),
    hints=(
        gettext(
            "Take the part that runs one call out of the loop, into a function that gives the "
            "text of the result and whether it is an error. Nothing leaves that function "
            "raised."
        ),
        gettext(
            "In it, three things can go wrong before the tool has run or in it: there is no "
            "such tool, the arguments do not fit, the tool raises. Each has other words for "
            "the model."
        ),
        gettext(
            "`tool(function).parse(input)` raises an exception whose text names each argument "
            "that does not fit. Where `str(error)` is empty, the name of its type is all there "
            "is to say."
        ),
    ),
)
