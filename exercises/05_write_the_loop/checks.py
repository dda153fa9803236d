"""Write the loop: cases."""

from agentlab.exercises import CLIENT, Case, Evidence, Exercise, Nonce, Scene
from agentlab.language import gettext, ngettext
from agentlab.practice import both, say, use


def one_question(nonce: Nonce) -> Scene:
    """A question that needs no tool."""
    words = f"The word of the day is {nonce.word()}."
    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [], "question": "What is the word of the day?"},
        script=[say(words)],
        secret={"answer": words},
    )


def one_call(nonce: Nonce) -> Scene:
    """One call, and an answer that only its result makes possible."""
    thing, stock = nonce.word(), nonce.number()

    def count_stock(thing: str) -> str:
        """Count how many pieces of a thing are in stock.

        Args:
            thing: what to count.
        """
        return f"{stock} pieces of {thing}"

    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [count_stock], "question": f"How many {thing} are there?"},
        script=[use("count_stock", thing=thing), say(f"There are {stock}.")],
        secret={"answer": f"There are {stock}.", "result": f"{stock} pieces of {thing}"},
    )


def three_calls(nonce: Nonce) -> Scene:
    """Three calls in one reply, two of them of the same tool."""
    rooms = [nonce.word() for _ in range(3)]
    heat = {room: nonce.number(10, 40) for room in rooms}

    def read_temperature(room: str) -> int:
        """Read the temperature of a room, in degrees Celsius.

        Args:
            room: the room's name.
        """
        return heat[room]

    def read_humidity(room: str) -> int:
        """Read the humidity of a room, in percent.

        Args:
            room: the room's name.
        """
        return heat[room] + 40

    first, second, third = rooms
    asked = both(
        use("read_temperature", room=first),
        use("read_temperature", room=second),
        use("read_humidity", room=third),
    )
    answer = f"{heat[first]} and {heat[second]} degrees, {heat[third] + 40} percent."
    return Scene(
        "run_agent",
        {
            "client": CLIENT,
            "tools": [read_temperature, read_humidity],
            "question": f"How is it in {', '.join(rooms)}?",
        },
        script=[asked, say(answer)],
        secret={"answer": answer, "results": [heat[first], heat[second], heat[third] + 40]},
    )


def two_steps(nonce: Nonce) -> Scene:
    """A call whose result leads to the next one."""
    customer, order = nonce.word(), f"SP-{nonce.number(1000, 9999)}"
    place = nonce.word()

    def find_order(customer: str) -> str:
        """Find the order of a customer.

        Args:
            customer: the customer's name.
        """
        return order

    def locate(order_id: str) -> str:
        """Say where an order is.

        Args:
            order_id: the order's number.
        """
        return f"{order_id} is in {place}"

    return Scene(
        "run_agent",
        {
            "client": CLIENT,
            "tools": [find_order, locate],
            "question": f"Where is the order of {customer}?",
        },
        script=[
            use("find_order", customer=customer),
            use("locate", order_id=order),
            say(f"It is in {place}."),
        ],
        secret={"answer": f"It is in {place}.", "order": order},
    )


def no_end(nonce: Nonce) -> Scene:
    """A model that asks for a tool for ever."""

    def look(place: int) -> str:
        """Look somewhere.

        Args:
            place: where.
        """
        return f"nothing at {place}"

    def ask_on(request: dict) -> object:
        return use("look", place=len(request["messages"]))

    return Scene(
        "run_agent",
        {"client": CLIENT, "tools": [look], "question": "Where is it?", "max_steps": 4},
        script=ask_on,
        most_calls=20,
    )


def answers(evidence: Evidence) -> str | None:
    """Whether the last words of the model came back."""
    wanted = evidence.secret["answer"]
    if evidence.returned != wanted:
        found = repr(evidence.returned)
        return gettext(
            "your function has to return the model's last words, {wanted!r}; found {found}",
            wanted=wanted,
            found=found,
        )
    return None


def answers_by_id(evidence: Evidence) -> str | None:
    """Whether the result went back and the tool really ran."""
    if not evidence.effects:
        return gettext("your loop did not run the tool that the model asked for")
    if not evidence.results:
        return gettext("the result of the tool never went back to the model")
    if evidence.secret["result"] not in str(evidence.results[0]["content"]):
        return gettext("what went back is not what the tool returned")
    return answers(evidence)


def answers_all(evidence: Evidence) -> str | None:
    """Whether three results went back, in one message."""
    if len(evidence.effects) < 3:
        return gettext(
            "the model asked for three tools in one reply, and {ran} ran",
            ran=len(evidence.effects),
        )
    messages = {
        id(message)
        for message in evidence.run.messages
        for block in message["content"]
        if isinstance(block, dict) and block.get("type") == "tool_result"
    }
    if len(messages) > 1:
        return gettext(
            "the results of one reply belong in one user message, and yours are spread over more"
        )
    if len(evidence.calls) != 3:
        return gettext("the three calls of the reply are not in what your loop has sent")
    for wanted, call in zip(evidence.secret["results"], evidence.calls, strict=True):
        if str(wanted) not in str(evidence.result_of(call)):
            return gettext("a result went back under the id of another call")
    return answers(evidence)


def goes_on(evidence: Evidence) -> str | None:
    """Whether the loop asked again after the second result."""
    if evidence.run.steps < 3:
        return gettext(
            "after a tool_result the model may ask for another tool; your loop stopped too early"
        )
    second = [effect for effect in evidence.effects if effect.name == "locate"]
    if not second or second[0].arguments != {"order_id": evidence.secret["order"]}:
        return gettext("the second tool has to be called with the input that the model gave")
    if evidence.run.messages[0]["role"] != "user" or len(evidence.run.messages) < 5:
        return gettext("each request has to carry the whole conversation so far")
    return answers(evidence)


def ends(evidence: Evidence) -> str | None:
    """Whether the step limit held, and nothing is left open."""
    if evidence.run.steps != 4:
        return ngettext(
            "max_steps was 4, and your loop made {count} request",
            "max_steps was 4, and your loop made {count} requests",
            evidence.run.steps,
        )
    if len(evidence.effects) > 4:
        return gettext("your loop ran more tools than it was allowed steps")
    if len(evidence.effects) < 3 or len(evidence.results) < 3:
        return gettext("until the limit is reached, each call has to be run and answered")
    return None


EXERCISE = Exercise(
    number="05",
    title=gettext("Write the loop"),
    answers=("run_agent",),
    cases=(
        Case("answers", gettext("an answer without a tool is returned"), one_question, answers),
        Case("one_call", gettext("a tool_use is run and answered"), one_call, answers_by_id),
        Case(
            "three_calls",
            gettext("three calls of one reply are all answered"),
            three_calls,
            answers_all,
        ),
        Case("two_steps", gettext("the loop goes on while the model asks"), two_steps, goes_on),
        Case("max_steps", gettext("the loop ends after max_steps requests"), no_end, ends),
    ),
    hints=(
        gettext(
            "Start with a list `messages` that holds the question, and a `for` over "
            "range(max_steps)."
        ),
        gettext(
            "Append the assistant's content as it came, then one user message with a "
            "tool_result for each tool_use block, in order, each with the tool_use_id of its "
            "call."
        ),
        gettext("The loop is over when a reply's stop_reason is not `tool_use`: return its text."),
    ),
)
