"""An event consumer: cases."""

from typing import Any

from agentlab.exercises import CLIENT, Case, Evidence, Exercise, Nonce, Scene, events_of
from agentlab.language import gettext, ngettext
from agentlab.practice import both, say, use
from agentlab.rules import check_transcript, refused


def counting(nonce: Nonce) -> Scene:
    """A run of three steps whose requests have lengths that nobody knows."""
    shelves = [nonce.word() for _ in range(2)]
    books = "a row of books, " * nonce.number(3, 60)

    def list_books(shelf: str) -> str:
        """List the books of a shelf.

        Args:
            shelf: its name.
        """
        return f"{shelf}: {books}"

    asked = [use("list_books", shelf=shelf) for shelf in shelves]
    events = events_of([list_books], f"What is on {' and '.join(shelves)}?")
    return Scene("total_tokens", {"events": events}, script=[*asked, say("Many books.")])


def well_and_badly(nonce: Nonce) -> Scene:
    """Two calls that go well, though a result speaks of errors, and then one that fails."""
    machine = nonce.word()

    def error_rate(machine: str) -> str:
        """Tell how often a machine fails.

        Args:
            machine: its name.
        """
        return f"Error rate of {machine}: 0 errors, 0 failed, is_error false"

    def speed(machine: str) -> int:
        """Tell how fast a machine is, in pieces an hour.

        Args:
            machine: its name.
        """
        return 40

    def stop(machine: str) -> str:
        """Stop a machine.

        Args:
            machine: its name.
        """
        raise RuntimeError(f"{machine} does not answer")

    asked = both(use("error_rate", machine=machine), use("speed", machine=machine))
    return watching(
        [error_rate, speed, stop],
        [asked, use("stop", machine=machine), say(f"{machine} goes on.")],
        {"word": machine, "kinds": kinds(2, 1, 0)},
    )


def failing(nonce: Nonce) -> Scene:
    """Four calls, of which two fail: one tool raises, and one does not exist."""
    light, heavy, lost = (nonce.word() for _ in range(3))

    def weigh(parcel: str) -> str:
        """Weigh a parcel.

        Args:
            parcel: its name.
        """
        if parcel == heavy:
            raise ValueError(f"{parcel} is too heavy for the scales")
        return f"{parcel} weighs 2 kg"

    asked = [use("weigh", parcel=parcel) for parcel in (light, heavy, lost)]
    return watching(
        [weigh],
        [both(*asked, use("measure", parcel=lost)), say("One could not be weighed.")],
        {"word": heavy, "kinds": kinds(4, 0)},
    )


def failing_twice(nonce: Nonce) -> Scene:
    """Two steps; the call of the first fails."""
    first, second = nonce.word(), nonce.word()

    def weigh(parcel: str) -> str:
        """Weigh a parcel.

        Args:
            parcel: its name.
        """
        if parcel == first:
            raise ValueError(f"{parcel} is too heavy for the scales")
        return f"{parcel} weighs 2 kg"

    asked = [use("weigh", parcel=parcel) for parcel in (first, second)]
    return watching([weigh], [*asked, say("Done.")], {"word": first, "kinds": kinds(1, 1, 0)})


def failing_display(nonce: Nonce) -> Scene:
    """A failing call, and a `tell` that fails itself."""
    parcel = nonce.word()

    def weigh(parcel: str) -> str:
        """Weigh a parcel.

        Args:
            parcel: its name.
        """
        raise ValueError(f"{parcel} is too heavy for the scales")

    def tell(tool: str, problem: str) -> None:
        """Show a problem to somebody.

        Args:
            tool: the tool that failed.
            problem: what it said.
        """
        raise ConnectionError("the display is switched off")

    events = events_of([weigh], f"How heavy is {parcel}?")
    return Scene(
        "watch_errors",
        {"events": events, "tell": tell},
        script=[use("weigh", parcel=parcel), say("I do not know.")],
        secret={"word": parcel, "kinds": kinds(1, 0)},
    )


def nobody_asks_on(nonce: Nonce) -> Scene:
    """Three events are asked for, of which the third is an error, and then no more."""
    scene = failing_twice(nonce)
    arguments = {**scene.arguments, "number": 3}
    return Scene("first_events", arguments, scene.script, secret=scene.secret)


def dangerous(nonce: Nonce) -> Scene:
    """A reply with three calls; the run has to end before the second."""
    file, other = nonce.word(), nonce.word()

    def read(file: str) -> str:
        """Read a file.

        Args:
            file: its name.
        """
        return f"the text of {file}"

    def remove(file: str) -> str:
        """Remove a file.

        Args:
            file: its name.
        """
        return f"{file} is gone"

    asked = both(use("read", file=file), use("remove", file=file), use("read", file=other))
    return Scene(
        "stop_before",
        {
            "client": CLIENT,
            "tools": [read, remove],
            "question": f"Tidy up {file} and {other}.",
            "name": "remove",
        },
        script=[asked, say("All tidy.")],
        secret={"file": file, "result": f"the text of {file}"},
    )


def watching(tools: list[Any], script: list[Any], secret: dict[str, Any]) -> Scene:
    """A run with a `tell` beside it."""

    def tell(tool: str, problem: str) -> None:
        """Show a problem to somebody.

        Args:
            tool: the tool that failed.
            problem: what it said.
        """

    events = events_of(tools, "How is everything?")
    return Scene("watch_errors", {"events": events, "tell": tell}, script=script, secret=secret)


def kinds(*calls: int) -> list[str]:
    """The kinds of a run's events, from the number of calls in each of its replies."""
    steps = [["Replied", *["ToolCalled", "ToolReturned"] * number] for number in calls]
    return [*(kind for step in steps for kind in step), "Stopped"]


# --- judging


def adds_up(evidence: Evidence) -> str | None:
    """Whether the tokens of all replies were counted."""
    if evidence.run.steps < 3:
        return gettext(
            "the run has three replies, and {steps} of them were waited for",
            steps=evidence.run.steps,
        )
    counted = evidence.run.usage
    wanted = counted["input_tokens"] + counted["output_tokens"]
    if evidence.returned != wanted:
        return ngettext(
            "the three replies took {count} token, input and output together, and you return "
            "{returned!r:.60}",
            "the three replies took {count} tokens, input and output together, and you return "
            "{returned!r:.60}",
            wanted,
            returned=evidence.returned,
        )
    return None


def hands_on(evidence: Evidence) -> str | None:
    """Whether every event came out, in order."""
    wanted, found = evidence.secret["kinds"], evidence.returned
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        return gettext(
            "your consumer has to hand on the events with yield; found {found!r:.60}", found=found
        )
    if [each.partition("(")[0] for each in found] != wanted:
        if len(found) == len(wanted):
            return gettext("the events came out in another order, or were replaced by others")
        return ngettext(
            "the run had {count} event, and {found} were handed on",
            "the run had {count} events, and {found} were handed on",
            len(wanted),
            found=len(found),
        )
    if evidence.secret["word"] not in str(found):
        return gettext("what you hand on has to be the events themselves, as they came")
    return None


def told(evidence: Evidence) -> list[tuple[str, str]]:
    """What was told, as pairs of a tool and its problem."""
    given = [effect.arguments for effect in evidence.effects_of("tell")]
    return [(each.get("tool", ""), each.get("problem", "")) for each in given]


def failed(evidence: Evidence) -> list[tuple[str, str]]:
    """What should have been told: it is what the model was told."""
    names = {call["id"]: call["name"] for call in evidence.calls}
    errors = [each for each in evidence.results if each.get("is_error")]
    return [(names[each["tool_use_id"]], each["content"]) for each in errors]


def tells_errors(evidence: Evidence) -> str | None:
    """Whether the failed calls were told, and nothing else."""
    wanted, found = failed(evidence), told(evidence)
    if evidence.run.steps < 2:
        return gettext("the run did not come to its end")
    if len(found) != len(wanted):
        return gettext(
            "{failed} of the calls failed, and your consumer told of {told}",
            failed=len(wanted),
            told=len(found),
        )
    if [tool for tool, _ in found] != [tool for tool, _ in wanted]:
        return gettext("your consumer told of a call that did not fail, or named another tool")
    if found != wanted:
        return gettext("the problem has to be the text that the model was given as the result")
    return hands_on(evidence)


def tells_at_once(evidence: Evidence) -> str | None:
    """Whether the error was told before the run went on."""
    happened = [effect.name for effect in evidence.effects]
    if "tell" not in happened:
        return gettext("a call failed, and your consumer told nobody")
    if happened[:2] != ["weigh", "tell"]:
        return gettext(
            "the error was told when the run had already gone on; tell it when it happens"
        )
    return None


def survives(evidence: Evidence) -> str | None:
    """Whether a display that fails left the run alone."""
    if not evidence.effects_of("tell"):
        return gettext("a call failed, and your consumer told nobody")
    return hands_on(evidence)


def waits(evidence: Evidence) -> str | None:
    """Whether nothing happened that nobody had asked for, and the error had been told."""
    happened = [effect.name for effect in evidence.effects]
    if evidence.run.steps > 1 or happened.count("weigh") > 1:
        return ngettext(
            "only the first three events were asked for, and your consumer let {count} request "
            "happen",
            "only the first three events were asked for, and your consumer let {count} requests "
            "happen",
            evidence.run.steps,
        )
    if happened != ["weigh", "tell"]:
        return gettext("the error was handed on before anybody was told of it")
    found = evidence.returned if isinstance(evidence.returned, list) else []
    if [str(each).partition("(")[0] for each in found] != evidence.secret["kinds"][:3]:
        return gettext("the first three events of the run have to come out as they are")
    return None


def stops(evidence: Evidence) -> str | None:
    """Whether the run ended before the call, with a transcript that can be sent."""
    if evidence.effects_of("remove"):
        return gettext("the tool ran that you were to stop before")
    if evidence.run.steps != 1 or len(evidence.effects) != 1:
        return gettext(
            "one reply and the call before it should have happened; there were {requests} and "
            "{calls}",
            requests=ngettext("{count} request", "{count} requests", evidence.run.steps),
            calls=ngettext("{count} call", "{count} calls", len(evidence.effects)),
        )
    return sendable(evidence)


def sendable(evidence: Evidence) -> str | None:
    """Whether the messages that came back are whole."""
    messages = evidence.returned
    if not isinstance(messages, list) or evidence.secret["file"] not in str(messages[:1]):
        return gettext(
            "your function has to return the messages of the run; found {messages!r:.60}",
            messages=messages,
        )
    if broken := refused(check_transcript(messages)):
        return gettext(
            "the messages that you return cannot be sent again: {problem}",
            problem=broken[0].problem,
        )
    if evidence.secret["result"] not in str(messages):
        return gettext("the call before it has run, and its result is not in your messages")
    return None


EXERCISE = Exercise(
    number="09",
    title=gettext("An event consumer"),
    answers=("total_tokens", "watch_errors", "stop_before"),
    cases=(
        Case("tokens", gettext("total_tokens adds up every reply"), counting, adds_up),
        Case(
            "hands_on", gettext("watch_errors hands on every event"), well_and_badly, tells_errors
        ),
        Case(
            "errors",
            gettext("it tells of the calls that failed, and of no other"),
            failing,
            tells_errors,
        ),
        Case(
            "at_once", gettext("it tells of an error when it happens"), failing_twice, tells_at_once
        ),
        Case(
            "waits",
            gettext("it asks for no event before somebody wants one"),
            nobody_asks_on,
            waits,
        ),
        Case(
            "survives", gettext("a tell that fails does not end the run"), failing_display, survives
        ),
        Case("stops", gettext("stop_before leaves messages that can be sent"), dangerous, stops),
    ),
    hints=(
        gettext(
            "A consumer is a `for` loop over the events. Each event has a `kind`; look at what "
            "a replied event and a tool_returned event carry, in the worked example."
        ),
        gettext(
            "An outcome knows by itself whether it is an error, so its words need no reading. "
            "Tell first, then yield, and let nothing that tell raises leave your loop."
        ),
        gettext(
            "A tool_called event comes before the tool runs. Close the events there: that puts "
            "the whole step into the messages, and only then are they ready to be returned."
        ),
    ),
)
