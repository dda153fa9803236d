"""Design three tools: cases."""

import json
from collections.abc import Callable
from typing import Any

from agentlab.descriptions import lint
from agentlab.exercises import CLIENT, Case, Evidence, Exercise, Nonce, Scene
from agentlab.language import gettext
from agentlab.practice import both, say, use
from agentlab.practice.script import Reply
from agentlab.schemas import is_schema
from agentlab.shop import shop

Definition = dict[str, Any]
Input = dict[str, Any]

MOST_CHARACTERS = 3_000
"""Of one definition, as JSON."""
NOTHING = ("", "(no output)", "null", "{}", "[]")


def the_definitions(nonce: Nonce) -> Scene:
    """What a model would read of the tools."""
    return Scene("TOOLS", look_at="definitions")


def trying(vary: Callable[[Input, Definition], list[Input]], nonce: Nonce) -> Scene:
    """A model that asks for each tool, with inputs that are made of the learner's own."""
    answer = f"Tried out: {nonce.word()}."

    def call_each(request: dict[str, Any]) -> Reply:
        first = request["messages"][0]["content"]
        if len(request["messages"]) > 1 or not isinstance(first, str):
            return say(answer)
        definitions = {each["name"]: each for each in request.get("tools") or ()}
        calls = [
            use(name, varied)
            for name, given in examples_in(first).items()
            for varied in vary(given, definitions.get(name, {}))
        ]
        return both(*calls) if calls else say(answer)

    return Scene("try_out", {"client": CLIENT}, script=call_each, secret={"answer": answer})


def examples_in(question: str) -> dict[str, Input]:
    """The examples that the question consists of; none where it holds something else."""
    try:
        read = json.loads(question)
    except ValueError:
        return {}
    pairs = read.items() if isinstance(read, dict) else ()
    return {name: given for name, given in pairs if isinstance(given, dict)}


def examples(nonce: Nonce) -> Scene:
    """Each tool with its example."""
    return trying(lambda given, _: [given], nonce)


def without_the_rest(nonce: Nonce) -> Scene:
    """Each tool with its example, without what is not required."""

    def shortened(given: Input, definition: Definition) -> list[Input]:
        required = definition.get("input_schema", {}).get("required", ())
        return [{name: value for name, value in given.items() if name in required}]

    return trying(shortened, nonce)


def other_inputs(nonce: Nonce) -> Scene:
    """Each tool with its example, twice, and with other numbers and texts in it."""
    more, letters = nonce.number(2, 9), nonce.word()

    def changed(given: Input, _: Definition) -> list[Input]:
        numbers = [{**given, name: value + more} for name, value in given.items() if number(value)]
        texts = [
            {**given, name: value + letters}
            for name, value in given.items()
            if isinstance(value, str)
        ]
        return [given, *numbers, *texts, given]

    return trying(changed, nonce)


def number(value: Any) -> bool:
    """Whether a value is a number; for Python, True is one."""
    return isinstance(value, int | float) and not isinstance(value, bool)


# --- judging the definitions


def definitions_of(evidence: Evidence) -> list[Definition] | str:
    """The definitions, or what is wrong with them as a whole."""
    found = evidence.returned
    if not isinstance(found, list) or not all(map(is_definition, found)):
        return gettext("your TOOLS has to be a list of functions")
    if len(found) < 3:
        return gettext(
            "three tools are asked for, and TOOLS holds {found}",
            found=len(found),
        )
    if long := [each["name"] for each in found if len(json.dumps(each)) > MOST_CHARACTERS]:
        return gettext(
            "the definition of {name!r:.70} is too long to be sent with every request",
            name=long[0],
        )
    return found


def is_definition(value: Any) -> bool:
    """Whether a value has the form of a definition."""
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return False
    schema = value.get("input_schema")
    if not isinstance(schema, dict) or not is_schema(schema):
        return False
    described = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    return isinstance(value.get("description"), str) and all(
        isinstance(each, dict) for each in described
    )


def finding(definitions: list[Definition], rules: tuple[str, ...]) -> str | None:
    """The first weakness by one of these rules, in words."""
    for definition in definitions:
        for each in lint(definition):
            if each.rule in rules:
                # Translators: {problem} is the same as {lowered}, and begins with a capital.
                return gettext(
                    "about {name!r}: {lowered} {fix}",
                    name=definition["name"],
                    lowered=each.problem[0].lower() + each.problem[1:],
                    problem=each.problem,
                    fix=each.fix,
                )
    return None


def named(evidence: Evidence) -> str | None:
    """Whether there are three tools, and each name says what it does."""
    definitions = definitions_of(evidence)
    if isinstance(definitions, str):
        return definitions
    names = [each["name"] for each in definitions]
    if len(set(names)) < len(names):
        return gettext("two of your tools have the same name")
    if copied := sorted({each.name for each in shop.tools} & set(names)):
        return gettext(
            "the shop has a tool named {name!r}; design tools of your own work",
            name=copied[0],
        )
    texts = {each["description"].strip().lower() for each in definitions}
    if len(texts) < len(names):
        return gettext(
            "two of your tools have the same description, and a model cannot tell them apart"
        )
    return finding(definitions, ("invalid-name", "vague-name", "one-word-name"))


def described(evidence: Evidence) -> str | None:
    """Whether each description says what, when and what not."""
    definitions = definitions_of(evidence)
    if isinstance(definitions, str):
        return definitions
    return finding(definitions, ("no-purpose", "vague-description", "no-when", "no-limit"))


def parameters_described(evidence: Evidence) -> str | None:
    """Whether each parameter is described, with its values in the schema."""
    definitions = definitions_of(evidence)
    if isinstance(definitions, str):
        return definitions
    for definition in definitions:
        properties = definition["input_schema"].get("properties", {})
        if not properties:
            return gettext(
                "your tool {name!r} takes nothing; give it what a question is about",
                name=definition["name"],
            )
        for name, each in properties.items():
            said = str(each.get("description") or "").lower().strip(" .")
            if said in (name.lower(), name.lower().replace("_", " ")):
                return gettext(
                    "the description of {parameter!r} in {tool!r} only repeats its name",
                    parameter=name,
                    tool=definition["name"],
                )
    return finding(definitions, ("undescribed-parameter", "enum-in-prose"))


# --- judging what the tools do


def tried(evidence: Evidence) -> str | None:
    """What keeps the tools from being tried out at all."""
    replies = evidence.run.replies
    tools = (replies[0].request.get("tools") or ()) if replies else ()
    names = {each.get("name") for each in tools}
    if len(names) < 3:
        return gettext(
            "three tools are asked for, and the model was given {found}",
            found=len(names),
        )
    called = {call["name"] for call in evidence.calls}
    if not called:
        return gettext(
            "your EXAMPLES has to be a dict with one input for each tool, by the tool's name"
        )
    if strange := sorted(called - names):
        return gettext(
            "your EXAMPLES names {name!r:.70}, and there is no tool of that name",
            name=strange[0],
        )
    if left := sorted(names - called):
        return gettext(
            "your EXAMPLES has no input for your tool {name!r}",
            name=left[0],
        )
    return None


def outcomes(evidence: Evidence) -> list[tuple[str, Input, str, bool]]:
    """Each call with its tool, its input, what came back, and whether that is an error."""
    found = []
    for call in evidence.calls:
        result = evidence.result_of(call) or {}
        failed = not result or bool(result.get("is_error"))
        text = str(result.get("content") or "").strip()
        found.append((call["name"], call["input"], text, failed))
    return found


def examples_run(evidence: Evidence) -> str | None:
    """Whether each example ran and gave something."""
    if problem := tried(evidence):
        return problem
    for name, _, text, failed in outcomes(evidence):
        if failed:
            return gettext(
                "your tool {name!r} does not run with its example: {problem:.160}",
                name=name,
                problem=text,
            )
        if text in NOTHING:
            return gettext(
                "your tool {name!r} gives nothing back for its example: the model has to guess",
                name=name,
            )
    return None


def only_required(evidence: Evidence) -> str | None:
    """Whether something is optional, and the tools run without it."""
    if problem := tried(evidence):
        return problem
    tools = evidence.run.replies[0].request["tools"]
    schemas = {each["name"]: each.get("input_schema", {}) for each in tools}
    if all(
        set(each.get("properties", ())) <= set(each.get("required", ()))
        for each in schemas.values()
    ):
        return gettext(
            "every parameter of your tools is required; at least one has to be left out at will"
        )
    for name, given, text, failed in outcomes(evidence):
        if failed:
            sent = ", ".join(given) or gettext("nothing")
            return gettext(
                "your tool {name!r} requires too little: with {sent} alone it does not run: "
                "{problem:.120}",
                name=name,
                sent=sent,
                problem=text,
            )
    return None


def two_kinds(evidence: Evidence) -> str | None:
    """Whether one tool calculates and another one looks something up."""
    if problem := tried(evidence):
        return problem
    by_tool: dict[str, list[tuple[Input, str, bool]]] = {}
    for name, given, text, failed in outcomes(evidence):
        by_tool.setdefault(name, []).append((given, text, failed))
    calculating = [name for name, done in by_tool.items() if calculates(done)]
    looking_up = [name for name, done in by_tool.items() if looks_up(done)]
    if not calculating:
        return gettext(
            "none of your tools calculates: with another number another number has to come out"
        )
    if not set(looking_up) - {calculating[0]} and len(looking_up) < 2:
        return gettext(
            "none of your tools looks something up: for a text that names it, it tells "
            "what is known, the same each time, and for another text something else or an "
            "error"
        )
    return None


def calculates(done: list[tuple[Input, str, bool]]) -> bool:
    """Whether another number in the input made another number come out."""
    (example, result, failed), *others = done
    return not failed and any(
        not other_failed and other != result and has_digits(other) and has_digits(result)
        for given, other, other_failed in others
        if any(number(value) and value != example.get(name) for name, value in given.items())
    )


def looks_up(done: list[tuple[Input, str, bool]]) -> bool:
    """Whether a text was looked up: the same each time, and not so for another text."""
    (example, result, failed), *others = done
    again = [(text, bad) for given, text, bad in others if given == example]
    elsewhere = [
        (text, bad)
        for given, text, bad in others
        if any(
            isinstance(value, str) and value != example.get(name) for name, value in given.items()
        )
    ]
    return (
        not failed
        and again == [(result, False)]
        and any((text, bad) != (result, False) for text, bad in elsewhere)
        and result not in json.dumps(example)
    )


def has_digits(text: str) -> bool:
    """Whether there is a number in a text."""
    return any(letter.isdigit() for letter in text)


EXERCISE = Exercise(
    number="02",
    title=gettext("Design three tools"),
    answers=("TOOLS", "EXAMPLES"),
    cases=(
        Case("names", gettext("three tools whose names say what they do"), the_definitions, named),
        Case(
            "when", gettext("what it does, when to call it, its limits"), the_definitions, described
        ),
        Case(
            "parameters",
            gettext("each parameter is described"),
            the_definitions,
            parameters_described,
        ),
        Case("examples", gettext("each tool runs with its example"), examples, examples_run),
        Case(
            "required",
            gettext("only what is required is required"),
            without_the_rest,
            only_required,
        ),
        Case("kinds", gettext("a lookup and a calculation"), other_inputs, two_kinds),
    ),
    hints=(
        gettext(
            "Begin with a question that you are really asked at work. What would you look up "
            "for it, and what would you work out? These are two of your tools."
        ),
        gettext(
            "A name joins a verb and its object. Its docstring has a sentence on what it does, "
            "one that begins with 'Use it when', one with 'It does not', and an Args section."
        ),
        gettext(
            "A parameter is optional when it has a default with which the function really "
            "works. EXAMPLES maps each tool's name to a dict of arguments, as a model would "
            "send them."
        ),
    ),
)
