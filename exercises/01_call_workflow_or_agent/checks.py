"""Call, workflow or agent: cases."""

from itertools import pairwise
from typing import Any

from agentlab.exercises import CLIENT, Case, Evidence, Exercise, Nonce, Scene
from agentlab.language import gettext, ngettext
from agentlab.practice import say, use
from agentlab.practice.script import Reply

Task = dict[str, Any]

KINDS = ("call", "workflow", "agent")
TITLES = ("Look after", "Report on", "Prepare", "Sort out", "Explain")


def one_of_each_kind(nonce: Nonce) -> Scene:
    """Tasks of all three kinds, each as plain as it can be."""
    makers = {"call": one_thought, "workflow": steps_in_a_row, "agent": open_steps}
    return tasks_of([(kind, makers[kind]) for kind in mixed(nonce, KINDS)], nonce)


def thoughts_and_steps(nonce: Nonce) -> Scene:
    """Tasks of many steps, some of which a model takes in its stride."""
    makers = {"call": many_thoughts, "workflow": two_steps}
    return tasks_of([(kind, makers[kind]) for kind in mixed(nonce, ("call", "workflow"))], nonce)


def rules_and_findings(nonce: Nonce) -> Scene:
    """Tasks whose way parts: by a rule that is known, or by what is found."""
    makers = {"workflow": steps_with_a_rule, "agent": open_at_the_end}
    return tasks_of([(kind, makers[kind]) for kind in mixed(nonce, ("workflow", "agent"))], nonce)


def mixed(nonce: Nonce, kinds: tuple[str, ...]) -> list[str]:
    """Nine kinds in no order, each of them there at least once."""
    drawn = [*kinds, *(nonce.one_of(kinds) for _ in range(9 - len(kinds)))]
    return sorted(drawn, key=lambda _: nonce.number())


def tasks_of(made: list[tuple[str, Any]], nonce: Nonce) -> Scene:
    """A call of `choose` with one task for each of these makers."""
    return Scene(
        "choose",
        {"tasks": [make(nonce) for _, make in made]},
        secret={"kinds": [kind for kind, _ in made]},
    )


def title(nonce: Nonce) -> str:
    """A title that does not give away what kind of task it is."""
    return f"{nonce.one_of(TITLES)} {nonce.word()}"


def step(does: str, by: str, then: Any) -> dict[str, Any]:
    """One step of a task."""
    return {"does": does, "by": by, "then": then}


def one_thought(nonce: Nonce) -> Task:
    """One step that a model takes."""
    return {"title": title(nonce), "steps": [step("explain", "model", None)]}


def many_thoughts(nonce: Nonce) -> Task:
    """Several steps that a model takes without anything from outside."""
    names = [f"{nonce.word()} {number}" for number in range(nonce.number(2, 4))]
    return {"title": title(nonce), "steps": in_a_row(names, ["model"])}


def two_steps(nonce: Nonce) -> Task:
    """A step of the code and a step of a model, in a fixed order."""
    names = [f"fetch {nonce.word()}", f"describe {nonce.word()}"]
    return {"title": title(nonce), "steps": in_a_row(names, ["code", "model"])}


def steps_in_a_row(nonce: Nonce) -> Task:
    """Three or four steps in a fixed order, most of them of the code."""
    names = [f"{nonce.word()} {number}" for number in range(nonce.number(3, 4))]
    return {
        "title": title(nonce),
        "steps": in_a_row(names, ["code", "model", "code"]),
    }


def in_a_row(names: list[str], by: list[str]) -> list[dict[str, Any]]:
    """Steps that follow each other."""
    following = [*names[1:], None]
    return [
        step(name, by[number % len(by)], then)
        for number, (name, then) in enumerate(zip(names, following, strict=True))
    ]


def steps_with_a_rule(nonce: Nonce) -> Task:
    """A step after which a rule that was written beforehand says what follows."""
    small, large = f"book {nonce.word()}", f"ask {nonce.word()}"
    limit = nonce.number()
    rule = {f"below {limit}": small, f"from {limit} on": large}
    steps = [
        step("read the sum", "model", "compare"),
        step("compare", "code", rule),
        step(small, "code", None),
        step(large, "code", None),
    ]
    return {"title": title(nonce), "steps": steps}


def open_steps(nonce: Nonce) -> Task:
    """One step, and only its result will show what comes next."""
    return {"title": title(nonce), "steps": [step("look", "code", "?")]}


def open_at_the_end(nonce: Nonce) -> Task:
    """Known steps, and then nobody knows beforehand."""
    names = [f"search {nonce.word()}", f"read {nonce.word()}", "compare"]
    steps = in_a_row(names, ["code", "code", "model"])
    steps[-1]["then"] = "?"
    return {"title": title(nonce), "steps": steps}


def one_summary(nonce: Nonce) -> Scene:
    """A text, and a model that has its summary at once."""
    text = f"The {nonce.word()} of {nonce.word()} was built in {nonce.number(1000, 1999)}."
    summary = f"It is about {nonce.word()}."

    def answer_request(request: dict[str, Any]) -> Reply:
        return say("It is a good summary." if summary in str(request["messages"]) else summary)

    return Scene(
        "one_call",
        {"client": CLIENT, "text": text},
        script=answer_request,
        secret={"text": text, "answer": summary},
    )


def fixed_workflow(nonce: Nonce) -> Scene:
    """A text, two replies that build on each other, and a place to save the last."""
    text = f"The {nonce.word()} meets on day {nonce.number()}."
    summary, translation = f"Summary {nonce.word()}.", f"Perevod {nonce.word()}."

    def save(text: str) -> str:
        """Save a text where the readers find it.

        Args:
            text: the text.
        """
        return "saved"

    def answer_request(request: dict[str, Any]) -> Reply:
        return say(translation if summary in str(request["messages"]) else summary)

    return Scene(
        "workflow",
        {"client": CLIENT, "text": text, "save": save},
        script=answer_request,
        secret={"text": text, "summary": summary, "translation": translation},
    )


def open_question(nonce: Nonce) -> Scene:
    """Boxes that name the next box; how many there are is known to nobody."""
    boxes = [f"{nonce.word()}{number}" for number in range(nonce.number(3, 5))]
    found = f"the number {nonce.number()}"
    inside = {box: f"a note: look into {following}" for box, following in pairwise(boxes)}
    inside[boxes[-1]] = found
    return asking_for_boxes(boxes, inside, found)


def asking_for_boxes(boxes: list[str], inside: dict[str, str], found: str) -> Scene:
    """A question, and a model that opens one box after the other until there is no other."""

    def open_box(name: str) -> str:
        """Open a box and tell what is inside.

        Args:
            name: the box's name.
        """
        return inside[name]

    def next_box(request: dict[str, Any]) -> Reply:
        opened = len(request["messages"]) // 2
        return use("open_box", name=boxes[opened]) if opened < len(boxes) else say(answer)

    answer = f"In the last box is {found}."
    first = boxes[0] if boxes else "that is not there"
    return Scene(
        "agent",
        {"client": CLIENT, "tools": [open_box], "question": f"What does box {first} lead to?"},
        script=next_box,
        secret={"answer": answer, "boxes": boxes},
    )


# --- judging


def chosen(evidence: Evidence, confused: str) -> str | None:
    """Whether each task got its kind."""
    found, kinds = evidence.returned, evidence.secret["kinds"]
    if not isinstance(found, list) or len(found) != len(kinds):
        return gettext(
            "choose has to return a list with one word for each task; found {found!r:.80}",
            found=found,
        )
    if strange := [each for each in found if each not in KINDS]:
        return gettext(
            "each word has to be call, workflow or agent; found {found!r:.40}",
            found=strange[0],
        )
    wrong = [(kind, each) for kind, each in zip(kinds, found, strict=True) if kind != each]
    if wrong:
        kind, each = wrong[0]
        return ngettext(
            "{count} of {total} tasks differ, one is {kind} and yours {chosen}: {confused}",
            "{count} of {total} tasks differ, one is {kind} and yours {chosen}: {confused}",
            len(wrong),
            total=len(kinds),
            kind=kind,
            chosen=each,
            confused=confused,
        )
    return None


def tells_apart(evidence: Evidence) -> str | None:
    """Whether plain tasks are told apart."""
    return chosen(
        evidence, gettext("look at who decides what comes next: nobody, your code, or the model")
    )


def sees_thoughts(evidence: Evidence) -> str | None:
    """Whether steps that need nothing from outside were taken for one call."""
    return chosen(evidence, gettext("a model takes steps that are all its own in one reply"))


def sees_rules(evidence: Evidence) -> str | None:
    """Whether a known rule was told from what only a result shows."""
    return chosen(evidence, gettext("a rule that is known beforehand is followed by code"))


def in_one_request(evidence: Evidence) -> str | None:
    """Whether one request did it."""
    steps, wanted = evidence.run.steps, evidence.secret["answer"]
    if steps != 1:
        return gettext("one_call has to make one request, and yours made {steps}", steps=steps)
    request = evidence.run.replies[0].request
    if request.get("tools"):
        return gettext("all that the task needs is in the request: it takes no tools")
    if evidence.secret["text"] not in str(request):
        return gettext("the text that is to be summarised is not in your request")
    if evidence.returned != wanted:
        return gettext(
            "one_call has to return the model's words, {wanted!r}; found {returned!r:.80}",
            wanted=wanted,
            returned=evidence.returned,
        )
    return None


def in_two_requests(evidence: Evidence) -> str | None:
    """Whether the second request built on the first, and the code saved what came of it."""
    secret, run = evidence.secret, evidence.run
    if run.steps != 2:
        return gettext("the workflow has two requests, and yours made {steps}", steps=run.steps)
    first, second = (str(reply.request) for reply in run.replies)
    if secret["text"] not in first:
        return gettext("the first request has to carry the text")
    if secret["summary"] not in second:
        return gettext("the second request has to carry the summary that the first one gave")
    saved = evidence.effects_of("save")
    if len(saved) != 1:
        return ngettext(
            "your code has to save once, whatever the model says; it saved {count} time",
            "your code has to save once, whatever the model says; it saved {count} times",
            len(saved),
        )
    if saved[0].arguments.get("text") != secret["translation"]:
        return gettext("what was saved is not what the second request gave")
    if evidence.returned != secret["translation"]:
        return gettext(
            "workflow has to return what it saved; found {returned!r:.80}",
            returned=evidence.returned,
        )
    return None


def goes_on(evidence: Evidence) -> str | None:
    """Whether every box was opened, in order."""
    opened = [effect.arguments.get("name") for effect in evidence.effects_of("open_box")]
    boxes, wanted = evidence.secret["boxes"], evidence.secret["answer"]
    if opened != boxes:
        return ngettext(
            "each result led to another box, {count} in all, and {opened} were opened",
            "each result led to another box, {count} in all, and {opened} were opened",
            len(boxes),
            opened=len(opened),
        )
    if evidence.returned != wanted:
        return gettext(
            "agent has to return the model's last words, {wanted!r}; found {returned!r:.80}",
            wanted=wanted,
            returned=evidence.returned,
        )
    return None


EXERCISE = Exercise(
    number="01",
    title=gettext("Call, workflow or agent"),
    answers=("choose", "one_call", "workflow", "agent"),
    cases=(
        Case("tells_apart", gettext("plain tasks of three kinds"), one_of_each_kind, tells_apart),
        Case(
            "many_steps",
            gettext("many steps are not always a workflow"),
            thoughts_and_steps,
            sees_thoughts,
        ),
        Case("branches", gettext("a known rule needs no agent"), rules_and_findings, sees_rules),
        Case("one_call", gettext("a summary in one request"), one_summary, in_one_request),
        Case(
            "workflow",
            gettext("two fixed requests, and a step of code"),
            fixed_workflow,
            in_two_requests,
        ),
        Case(
            "open_task", gettext("the next call depends on the last result"), open_question, goes_on
        ),
    ),
    hints=(
        gettext(
            "For each step ask who decides what comes next. Where only its result will show, "
            "no code could be written beforehand: that is the agent."
        ),
        gettext(
            "Ask in this order: is any `then` the mark '?'? Is any step done by code? What is "
            "left is one call, however many steps it has."
        ),
        gettext(
            "For `one_call` and `workflow` use `client.messages.create` once and twice; the "
            "text of a reply is in `reply.content[0].text`. For `agent`, lesson 01 has `Agent` "
            "and `ask`."
        ),
    ),
)
