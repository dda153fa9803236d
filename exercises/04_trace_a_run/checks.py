"""Trace a run: cases."""

import json
from collections.abc import Sequence
from typing import Any

from agentlab.exercises import Case, Evidence, Exercise, Nonce, Scene
from agentlab.language import gettext, ngettext
from agentlab.rules import check_transcript, refused

Block = dict[str, Any]
Message = dict[str, Any]
Step = dict[str, Any]


def step(nonce: Nonce, calls: int, failing: int | None = None) -> Step:
    """What a model asked for in one reply, and what came of it in the order in which it was ready.

    Args:
        nonce: where the names, inputs and texts come from.
        calls: how many calls the reply holds.
        failing: the place of the call that fails; `None` where none does.
    """
    asked = [
        {
            "id": f"toolu_{nonce.word()}{number}",
            "name": f"find_{nonce.word()}",
            "input": {"name": nonce.word(), "most": nonce.number()},
        }
        for number in range(calls)
    ]
    results = [
        {"id": call["id"], "text": f"{nonce.word()} {nonce.number()}", "failed": number == failing}
        for number, call in enumerate(asked)
    ]
    return {"calls": asked, "results": results[1:] + results[:1]}


def tracing(nonce: Nonce, steps: Sequence[Step]) -> Scene:
    """A call of `trace` with these steps."""
    given = {
        "question": f"What is known about {nonce.word()}?",
        "steps": list(steps),
        "answer": f"It is {nonce.number()}.",
    }
    return Scene("trace", given, secret=given)


def one_call(nonce: Nonce) -> Scene:
    """A run with one call."""
    return tracing(nonce, [step(nonce, 1)])


def three_calls(nonce: Nonce) -> Scene:
    """Three calls of one reply, whose results are ready in another order."""
    return tracing(nonce, [step(nonce, 3)])


def failed_call(nonce: Nonce) -> Scene:
    """Two calls of one reply, of which one fails, and another step."""
    return tracing(nonce, [step(nonce, 2, failing=nonce.number(0, 1)), step(nonce, 1)])


def transcript(question: str, steps: Sequence[Step], answer: str) -> list[Message]:
    """The messages of a run, from the question to the answer."""
    messages: list[Message] = [{"role": "user", "content": question}]
    for each in steps:
        results = {result["id"]: result for result in each["results"]}
        messages.append(
            {"role": "assistant", "content": [{"type": "tool_use", **c} for c in each["calls"]]}
        )
        answered = [result_block(results[call["id"]]) for call in each["calls"]]
        messages.append({"role": "user", "content": answered})
    return [*messages, {"role": "assistant", "content": [{"type": "text", "text": answer}]}]


def result_block(result: dict[str, Any]) -> Block:
    """The tool_result of a call."""
    block = {"type": "tool_result", "tool_use_id": result["id"], "content": result["text"]}
    return {**block, "is_error": True} if result["failed"] else block


def whole_transcript(nonce: Nonce) -> Scene:
    """A finished run of two, three or four requests."""
    steps = [step(nonce, nonce.number(1, 2)) for _ in range(nonce.number(1, 3))]
    messages = transcript(f"What is {nonce.word()}?", steps, f"It is {nonce.word()}.")
    requests = [messages[:end] for end in range(1, len(messages), 2)]
    return Scene("requests_of", {"messages": messages}, secret={"requests": requests})


def sent_parcel(nonce: Nonce) -> Scene:
    """A question about an order that has a parcel."""
    return asking_for_parcel(nonce, f"TRK-{nonce.number(10000, 99999)}")


def no_parcel(nonce: Nonce) -> Scene:
    """A question about an order that has no parcel yet."""
    return asking_for_parcel(nonce, None)


def asking_for_parcel(nonce: Nonce, tracking: str | None) -> Scene:
    """A question, and a harness that runs what the model asks for."""
    order = f"SP-{nonce.number(1000, 9999)}"
    status, place = f"{nonce.word()}ed", f"{nonce.word()} depot"
    known = {
        ("get_order_status", order): {
            "order_id": order,
            "status": status,
            "tracking_number": tracking,
        },
        ("track_shipment", tracking): {"tracking_number": tracking, "location": place},
    }

    def harness(content: list) -> list:
        """Run the calls of a reply and give back the user's next content.

        Args:
            content: the blocks of the reply, with tool_use blocks among them.
        """
        calls = [block for block in content if is_call(block)]
        if not calls:
            raise ValueError("A reply without a whole tool_use block ends the run.")
        return [answer_to(call, known) for call in calls]

    question = nonce.one_of(("Where is the parcel of {}?", "Is {} on its way, and where?"))
    return Scene(
        "play_model",
        {"question": question.format(order), "harness": harness},
        secret={
            "order": order,
            "tracking": tracking,
            "said": place if tracking else status,
        },
        most_calls=8,
    )


def is_call(block: Any) -> bool:
    """Whether something is a tool_use block with all its parts."""
    return (
        isinstance(block, dict)
        and block.get("type") == "tool_use"
        and isinstance(block.get("id"), str)
        and isinstance(block.get("name"), str)
        and isinstance(block.get("input"), dict)
    )


def answer_to(call: Block, known: dict[tuple[str, str | None], Any]) -> Block:
    """The tool_result of a call of one of the two tools."""
    (value,) = call["input"].values() if len(call["input"]) == 1 else (None,)
    found = known.get((call["name"], value)) if isinstance(value, str) else None
    text = json.dumps(found) if found else f"There is nothing to find with {call['input']}."
    return result_block({"id": call["id"], "text": text, "failed": found is None})


# --- judging


def traced(evidence: Evidence) -> str | None:
    """Whether the messages are those of the run."""
    found, secret = evidence.returned, evidence.secret
    if not isinstance(found, list) or not all(map(is_message, found)):
        return gettext("trace has to return a list of messages, each a dict with role and content")
    wanted = transcript(secret["question"], secret["steps"], secret["answer"])
    if problem := wrong_roles([each["role"] for each in found], [each["role"] for each in wanted]):
        return problem
    if broken := refused(check_transcript(found)):
        return gettext("the API would refuse these messages: {problem}", problem=broken[0].problem)
    for mine, right in zip(found, wanted, strict=True):
        if problem := difference(blocks_of(mine), blocks_of(right)):
            return problem
    return None


def is_message(value: Any) -> bool:
    """Whether something has a role and content."""
    return isinstance(value, dict) and isinstance(value.get("content"), str | list)


def wrong_roles(found: list[Any], wanted: list[str]) -> str | None:
    """What is wrong with the order of the messages."""
    if found == wanted:
        return None
    if len(found) > len(wanted) and found.count("user") > wanted.count("user"):
        return gettext(
            "all results of one reply belong in one user message, and yours are spread over more"
        )
    if found[:1] != ["user"]:
        return gettext("the first message is the user's question")
    if found[-1] != "assistant":
        return gettext("the last message is the model's answer, and your trace ends before it")
    if len(found) != len(wanted):
        return ngettext(
            "this run has {count} message, and your trace has {found}",
            "this run has {count} messages, and your trace has {found}",
            len(wanted),
            found=len(found),
        )
    return gettext(
        "a result is something that the user's side says, and a call something of the assistant"
    )


def blocks_of(message: Message) -> list[Any]:
    """The content of a message as blocks."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def difference(found: list[Any], wanted: list[Block]) -> str | None:
    """What is wrong with the content of a message."""
    kind = wanted[0]["type"]
    mine = [block for block in found if block.get("type") == kind]
    if kind == "text":
        said = "".join(str(block.get("text")) for block in mine)
        text = wanted[0]["text"]
        if said != text:
            return gettext("the words {words!r} are missing where they were said", words=text)
        return None
    if kind == "tool_use":
        keys = ("id", "name", "input")
        sent = [[block[key] for key in keys] for block in wanted]
        if [[block.get(key) for key in keys] for block in mine] != sent:
            return gettext("the calls have to stand there as the model sent them, all of them")
        return None
    return wrong_results(mine, wanted)


def wrong_results(found: list[Block], wanted: list[Block]) -> str | None:
    """What is wrong with the results of a reply."""
    texts = {block.get("tool_use_id"): words_of(block) for block in found}
    for block in wanted:
        if texts.get(block["tool_use_id"]) != block["content"]:
            return gettext("a result stands under the id of another call, or without its text")
    ids = [block["tool_use_id"] for block in wanted]
    if [block.get("tool_use_id") for block in found] != ids:
        return gettext(
            "the results of a reply come in the order of its calls, whichever was ready first"
        )
    for mine, right in zip(found, wanted, strict=True):
        if right.get("is_error") and mine.get("is_error") is not True:
            return gettext("a call failed, and its result does not carry the error flag")
        if mine.get("is_error") and not right.get("is_error"):
            return gettext("a call went well, and its result carries the error flag")
    return None


def words_of(block: Block) -> str:
    """The text of a tool_result."""
    content = block.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    return "".join(str(part.get("text")) for part in parts if isinstance(part, dict))


def carried(evidence: Evidence) -> str | None:
    """Whether each request is there, with all that it carried."""
    found, wanted = evidence.returned, evidence.secret["requests"]
    if not isinstance(found, list) or not all(isinstance(each, list) for each in found):
        return gettext("requests_of has to return a list with the messages of each request")
    if len(found) != len(wanted):
        return ngettext(
            "this run took {count} request, and you found {found}",
            "this run took {count} requests, and you found {found}",
            len(wanted),
            found=len(found),
        )
    if found != wanted:
        return gettext("each request carries all messages up to then, from the question on")
    return None


def asked(evidence: Evidence) -> list[Block]:
    """The calls that reached the harness."""
    contents = (effect.arguments.get("content") for effect in evidence.effects_of("harness"))
    blocks = (block for each in contents if isinstance(each, list) for block in each)
    return [block for block in blocks if is_call(block)]


def played(evidence: Evidence) -> str | None:
    """Whether the calls were those that the question and the results led to."""
    secret, calls = evidence.secret, asked(evidence)
    wanted = [("get_order_status", {"order_id": secret["order"]})]
    if secret["tracking"]:
        wanted.append(("track_shipment", {"tracking_number": secret["tracking"]}))
    for call, due in zip(calls, wanted, strict=False):
        if (call["name"], call["input"]) != due:
            made = f"{call['name']} with {call['input']}"
            return gettext(
                "your call of {call:.120} does not follow from what was known at that moment",
                call=made,
            )
    if len(calls) > len(wanted):
        return gettext("the results had told all that there is, and you asked for another tool")
    if evidence.raised:
        return gettext("your code raised {raised}", raised=evidence.raised)
    if not calls:
        return gettext("the model cannot know this without a tool, and you never asked for one")
    if len(calls) < len(wanted):
        return gettext("the first result names a parcel, and you did not ask where it is")
    if len({call["id"] for call in calls}) < len(calls):
        return gettext("each call of a run has an id of its own, and two of yours are the same")
    if not isinstance(evidence.returned, str) or secret["said"] not in evidence.returned:
        return gettext(
            "the answer has to hold what the last result told; found {returned!r:.80}",
            returned=evidence.returned,
        )
    return None


EXERCISE = Exercise(
    number="04",
    title=gettext("Trace a run"),
    answers=("trace", "requests_of", "play_model"),
    cases=(
        Case("one_call", gettext("question, call, result, answer"), one_call, traced),
        Case("three_calls", gettext("three results in one message, in order"), three_calls, traced),
        Case("failed_call", gettext("a failed call among others"), failed_call, traced),
        Case("requests", gettext("what each request carried"), whole_transcript, carried),
        Case(
            "play_model",
            gettext("the model's part, with a parcel"),
            sent_parcel,
            played,
            tolerates=("exceptions",),
        ),
        Case(
            "reads_result",
            gettext("the model's part, without a parcel"),
            no_parcel,
            played,
            tolerates=("exceptions",),
        ),
    ),
    hints=(
        gettext(
            "Write the messages of the worked example as a list first, with real values, and "
            "mark in it what came from the question, from the model and from a tool."
        ),
        gettext(
            "For each step, `trace` adds two messages: the calls as the assistant's, the "
            "results as the user's. Look each call's result up by its id. A request ends "
            "before a reply."
        ),
        gettext(
            "In `play_model`, take the order number out of the question, send one tool_use "
            "block, read the JSON in the result, and only then decide whether there is a "
            "second call."
        ),
    ),
)
