"""Schema from a signature: cases."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agentlab.exercises import Case, Evidence, Exercise, Nonce, Scene
from agentlab.language import gettext
from agentlab.schemas import Schema, is_schema

REQUIRED = inspect.Parameter.empty
KEYWORDS = {
    "$schema",
    "additionalProperties",
    "anyOf",
    "const",
    "default",
    "description",
    "enum",
    "examples",
    "items",
    "oneOf",
    "properties",
    "required",
    "title",
    "type",
}
"""What a schema of such functions may say."""
DEEPEST = 5
"""Schemas inside each other."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function that is made for a case."""

    name: str
    annotation: Any
    about: str
    default: Any = REQUIRED


def function_of(name: str, purpose: str, parameters: Sequence[Parameter]) -> Callable[..., Any]:
    """A function of that name with these parameters, described as people describe functions."""

    def function(**given: Any) -> str:
        return "done"

    lines = [purpose]
    if parameters:
        lines += ["", "Args:", *(f"    {each.name}: {each.about}" for each in parameters)]
    function.__name__ = name
    function.__doc__ = "\n".join(lines)
    function.__annotations__ = {each.name: each.annotation for each in parameters}
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                each.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=each.default,
                annotation=each.annotation,
            )
            for each in parameters
        ]
    )
    return function


def scene(
    nonce: Nonce,
    parameters: Sequence[Parameter],
    takes: Sequence[dict[str, Any]],
    refuses: Sequence[dict[str, Any]],
) -> Scene:
    """A call of `definition` with a function that has these parameters.

    Args:
        nonce: where the other names come from.
        parameters: what the function takes.
        takes: inputs that fit it.
        refuses: inputs that do not.
    """
    name = f"count_{nonce.word()}"
    purpose = f"Count the {nonce.word()} of a {nonce.word()}. Use it for {nonce.word()}."
    secret = {
        "name": name,
        "purpose": purpose,
        "about": {each.name: each.about for each in parameters},
        "takes": list(takes),
        "refuses": list(refuses),
    }
    function = function_of(name, purpose, parameters)
    return Scene("definition", {"function": function}, secret=secret)


def parameter(nonce: Nonce, kind: str, annotation: Any, default: Any = REQUIRED) -> Parameter:
    """A parameter whose name nobody can know."""
    return Parameter(
        f"{kind}_{nonce.word()}", annotation, f"The {nonce.word()} of it.", default=default
    )


def one_text(nonce: Nonce) -> Scene:
    """A function with one text."""
    text = parameter(nonce, "of", str)
    return scene(nonce, [text], [{text.name: "a"}], [{text.name: 5}, {}])


def four_types(nonce: Nonce) -> Scene:
    """A whole number, a number, a yes or no, and a list of texts."""
    whole = parameter(nonce, "most", int)
    number = parameter(nonce, "share", float)
    switch = parameter(nonce, "also", bool)
    texts = parameter(nonce, "among", list[str])
    right = {whole.name: 3, number.name: 2.5, switch.name: True, texts.name: ["a", "b"]}
    others = [
        (whole, 2.5),
        (whole, "3"),
        (number, "2.5"),
        (switch, 1),
        (switch, "true"),
        (texts, "a, b"),
        (texts, [1, 2]),
    ]
    return scene(
        nonce,
        sorted([whole, number, switch, texts], key=lambda _: nonce.number()),
        [right, {**right, number.name: 2}, {**right, texts.name: []}],
        [{**right, each.name: value} for each, value in others],
    )


def with_defaults(nonce: Nonce) -> Scene:
    """Two parameters that a call needs, and two that it can do without."""
    first, second = parameter(nonce, "in", str), parameter(nonce, "from", int)
    third = parameter(nonce, "up_to", int, default=nonce.number())
    fourth = parameter(nonce, "only", bool, default=False)
    needed = {first.name: "a", second.name: 1}
    return scene(
        nonce,
        [first, second, third, fourth],
        [needed, {**needed, third.name: 7}, {**needed, third.name: 7, fourth.name: True}],
        [{first.name: "a"}, {second.name: 1}, {third.name: 7, fourth.name: True}, {}],
    )


def a_choice(nonce: Nonce) -> Scene:
    """A choice among three words."""
    words = [nonce.word() for _ in range(3)]
    choice = parameter(nonce, "by", Literal[words[0], words[1], words[2]])
    return scene(
        nonce,
        [choice],
        [{choice.name: word} for word in words],
        [{choice.name: "".join(words)}, {choice.name: words[0].upper()}, {choice.name: words}, {}],
    )


def or_nothing(nonce: Nonce) -> Scene:
    """Two texts that may be None: one has to be given, the other one has a default."""
    needed = parameter(nonce, "under", str | None)
    spare = parameter(nonce, "over", str | None, default=None)
    return scene(
        nonce,
        [needed, spare],
        [{needed.name: None}, {needed.name: "a"}, {needed.name: "a", spare.name: None}],
        [{}, {spare.name: "a"}, {needed.name: 5}],
    )


def described_parameters(nonce: Nonce) -> Scene:
    """Parameters whose descriptions hold a colon, and the name of another parameter."""
    first = Parameter(
        f"code_{nonce.word()}", str, f"The code: two letters and a dash, e.g. {nonce.word()}-x."
    )
    second = Parameter(
        f"size_{nonce.word()}", int, f"How many {nonce.word()}; never more than {first.name} has."
    )
    return scene(nonce, [first, second], [{first.name: "a", second.name: 1}], [{}])


def nothing_else(nonce: Nonce) -> Scene:
    """A function that a model gives an argument that does not exist."""
    text = parameter(nonce, "of", str)
    invented = f"other_{nonce.word()}"
    return scene(
        nonce,
        [text],
        [{text.name: "a"}],
        [{text.name: "a", invented: "b"}, {text.name: "a", f"{text.name}s": "b"}],
    )


# --- judging


def form(evidence: Evidence) -> str | None:
    """What keeps the answer from being a definition."""
    found = evidence.returned
    if not isinstance(found, dict):
        return gettext("definition has to return a dict; found {found!r:.60}", found=found)
    if missing := sorted({"name", "description", "input_schema"} - found.keys()):
        return gettext(
            "the definition has no {key}",
            key=missing[0],
        )
    if strange := sorted(found.keys() - {"name", "description", "input_schema"}):
        return gettext(
            "the API refuses a definition that also has {key!r:.40}",
            key=strange[0],
        )
    if found["name"] != evidence.secret["name"]:
        return gettext(
            "the name has to be the function's own; found {found!r:.60}", found=found["name"]
        )
    schema = found["input_schema"]
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return gettext("the outermost type of input_schema has to be object")
    if unusable := next(faults_in(schema), None):
        return unusable
    if not is_schema(schema):
        return gettext("the API refuses your input_schema: it is no JSON Schema")
    return None


def faults_in(schema: Any, depth: int = 0) -> Iterator[str]:
    """What a schema of such functions has no need of."""
    if depth > DEEPEST:
        yield gettext("your input_schema is nested deeper than the function's parameters are")
        return
    if not isinstance(schema, dict):
        if not isinstance(schema, bool):
            yield gettext(
                "a schema has to be a dict; found {found!r:.60}",
                found=schema,
            )
        return
    for key, value in schema.items():
        if key not in KEYWORDS:
            yield gettext("the function says nothing that needs {key!r:.40} in the schema", key=key)
        inner: Any = ()
        if key == "properties" and isinstance(value, dict):
            inner = value.values()
        elif key in ("anyOf", "oneOf") and isinstance(value, list):
            inner = value
        elif key in ("items", "additionalProperties"):
            inner = [value]
        for each in inner:
            yield from faults_in(each, depth + 1)


def fits(evidence: Evidence) -> str | None:
    """Whether the schema takes what the function takes, and nothing else."""
    if problem := form(evidence):
        return problem
    schema = Schema(evidence.returned["input_schema"])
    for value in evidence.secret["takes"]:
        if not schema.takes(value):
            return gettext("the function takes {value}, and your schema does not", value=value)
    for value in evidence.secret["refuses"]:
        if schema.takes(value):
            return gettext("your schema takes {value}, and the function does not", value=value)
    return None


def plain(evidence: Evidence) -> str | None:
    """Whether the schema fits and the description says what the tool is for."""
    if problem := fits(evidence):
        return problem
    if evidence.secret["purpose"] not in spaced(evidence.returned["description"]):
        return gettext("the description has to say what the docstring says before its Args section")
    return None


def describes(evidence: Evidence) -> str | None:
    """Whether each text of the docstring stands where it belongs."""
    if problem := plain(evidence):
        return problem
    found, about = evidence.returned, evidence.secret["about"]
    if any(text in spaced(found["description"]) for text in about.values()):
        return gettext(
            "what is said of the parameters belongs to them, and not into the tool's description"
        )
    for name, text in about.items():
        schema = found["input_schema"].get("properties", {}).get(name)
        said = spaced(schema.get("description")) if isinstance(schema, dict) else ""
        if said != text:
            return gettext(
                "the docstring says of {name!r}: {wanted!r}; your schema says {found!r:.80}",
                name=name,
                wanted=text,
                found=said,
            )
    return None


def spaced(text: Any) -> str:
    """A text with single spaces for every white space."""
    return " ".join(str(text or "").split())


EXERCISE = Exercise(
    number="03",
    title=gettext("Schema from a signature"),
    answers=("definition",),
    cases=(
        Case("plain", gettext("name, description, one text"), one_text, plain),
        Case("types", gettext("numbers, a yes or no, a list"), four_types, fits),
        Case("optional", gettext("a default makes a parameter optional"), with_defaults, fits),
        Case("choices", gettext("a Literal becomes a choice"), a_choice, fits),
        Case("nullable", gettext("None is a value, not a default"), or_nothing, fits),
        Case(
            "descriptions", gettext("each parameter is described"), described_parameters, describes
        ),
        Case("closed", gettext("no other arguments"), nothing_else, fits),
    ),
    hints=(
        gettext(
            "`inspect.signature(function).parameters` has each parameter's annotation and "
            "default; `inspect.getdoc(function)` has the docstring without its indentation."
        ),
        gettext(
            "Write a function of its own that gives the schema of one annotation. For Literal, "
            "for a list and for `str | None`, `typing.get_args(annotation)` says what is "
            "inside."
        ),
        gettext(
            "Whether a parameter is required depends on its default alone: compare it with "
            "`inspect.Parameter.empty`. A line of the Args section is split at its first colon."
        ),
    ),
)
