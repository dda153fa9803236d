"""Fills a tool's arguments from the words of a question and the tool's `input_schema`.

It is all rules: a parameter's name, type, pattern, options and description tell what kind of value
it takes, and that kind of value is looked for in the question. What is not there is left out, and
a required argument that is left out is reported as missing, never invented.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentlab.practice import choices, quantities, texts
from agentlab.practice.dates import dates, months, times
from agentlab.practice.schema import Parameter, fits, parameters
from agentlab.practice.values import Found, currencies, emails, numbers, shaped, urls

CERTAIN, GUESSED = 1.0, 0.0
"""How much a filled argument says for its tool: a value of its own kind, or any words at all."""


@dataclass
class Filling:
    """The arguments found for one tool."""

    values: dict[str, Any] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    """Required arguments that the question does not give."""
    evidence: float = 0.0
    """How much the arguments say for the tool, from -1 (nothing it needs) to 1 (all of it)."""
    certain: frozenset[str] = frozenset()
    """The arguments whose values are recognised by their form or named in the question."""
    identified: bool = False
    """Whether the question holds an identifier of the very shape that the tool takes."""


def fill(
    schema: Mapping[str, Any],
    question: str,
    *,
    tool_words: Iterable[str] = (),
    forced: bool = False,
) -> Filling:
    """Fill the arguments of a tool from a question.

    Args:
        schema: the tool's `input_schema`.
        question: what the user asked.
        tool_words: words of the tool's name, which frame a question but are not its content.
        forced: whether missing arguments must get some value, because the call must be made.
    """
    wanted = parameters(schema)
    sure: dict[str, float] = {}
    values: dict[str, Any] = {}
    taken: list[Found] = []
    frame = [*tool_words, *(word for each in wanted if not each.required for word in each.words)]
    for step in (_exact, _of_choice, _amounts, _worded):
        remaining = [each for each in wanted if each.name not in values]
        for name, value, certainty in step(remaining, question, taken, frame):
            values[name], sure[name] = value, certainty
    values = {
        each.name: values[each.name]
        for each in wanted
        if each.name in values and fits(values[each.name], each.schema)
    }
    missing = [each for each in wanted if each.required and each.name not in values]
    evidence = _evidence(wanted, values, sure)
    if forced:
        values |= {each.name: _anything(each, question) for each in missing}
        missing = []
    return Filling(
        values,
        [each.name for each in missing],
        evidence,
        certain=frozenset(name for name in values if sure.get(name) == CERTAIN),
        identified=any(
            each.kind == "code" and each.sure_kind and each.name in sure
            for each in wanted
            if each.required or not any(other.required for other in wanted)
        ),
    )


def every_value(schema: Mapping[str, Any], question: str) -> dict[str, list[Any]]:
    """For each parameter whose kind of value stands in the question more than once, all of them.

    "SP-1024 and SP-1025" are two order numbers, for two calls. Where two parameters share a kind,
    as the two currencies of an exchange do, only what is left over makes more calls.
    """
    repeated: dict[str, list[Any]] = {}
    wanted = [each for each in parameters(schema) if each.required and not each.many]
    for each in wanted:
        ordered = _distinct(_candidates(each, question))
        if each.kind == "place":  # best first is for one; several come in their order
            ordered.sort(key=lambda found: found.start)
        found = [found.value for found in ordered]
        sharing = [other for other in wanted if other.kind == each.kind]
        if each is sharing[-1] and (len(sharing) == 1 or each.kind == "currency"):
            rest = found[len(sharing) - 1 :]
            repeated[each.name] = [value for value in rest if fits(value, each.schema)]
    return {name: found for name, found in repeated.items() if len(found) > 1}


Proposals = list[tuple[str, Any, float]]


def _candidates(parameter: Parameter, text: str) -> Sequence[Found]:
    """The values in `text` of the parameter's own kind, where that kind is unmistakable."""
    match parameter.kind:
        case "code":
            shape, prefix = parameter.shape or (re.compile(r".*\d.*"), "")
            return shaped(text, shape, prefix)
        case "email":
            return emails(text)
        case "path":
            return texts.paths(parameter, text)
        case "url":
            return urls(text)
        case "date":
            return [Found(f.value.isoformat(), f.start, f.end) for f in dates(text)]
        case "month":
            return months(text)
        case "time":
            return times(text)
        case "currency":
            return currencies(text)
        case "place":
            return texts.places(text, avoid=[*dates(text), *currencies(text)])
    return []


EXACT = ("code", "email", "url", "path", "date", "month", "time", "currency")


def _exact(
    wanted: list[Parameter], question: str, taken: list[Found], tool_words: list[str]
) -> Proposals:
    """Values that are recognised by their form."""
    proposals: Proposals = []
    for kind in EXACT:
        alike = [each for each in wanted if each.kind == kind]
        for each, found in _dealt(alike, question):
            proposals.append((each.name, found.value, CERTAIN if each.sure_kind else 0.5))
            taken.append(found)
        for each in alike:
            if each.many:
                found_values = _distinct(_candidates(each, question))
                taken.extend(found_values)
                if found_values:
                    proposals.append((each.name, [f.value for f in found_values], CERTAIN))
    taken.extend(Found(f.value, f.start, f.end) for f in dates(question))
    return proposals


def _dealt(alike: list[Parameter], question: str) -> list[tuple[Parameter, Found]]:
    """Each single parameter with the value that is its own.

    Parameters of one kind and one shape share the values in order; one alone takes the first.
    """
    single = [each for each in alike if not each.many]
    used: list[Found] = []
    dealt = []
    for each in single:
        options = [f for f in _distinct(_candidates(each, question)) if not f.overlaps(used)]
        if each.kind == "currency" and len(single) > 1:
            options = texts.in_direction(each, options, question, alone=not used)
        options = [f for f in options if fits(f.value, each.schema)]
        if options:
            dealt.append((each, options[0]))
            used.append(options[0])
    return dealt


def _of_choice(
    wanted: list[Parameter], question: str, taken: list[Found], tool_words: list[str]
) -> Proposals:
    """Options, booleans and constants."""
    proposals: Proposals = []
    chosen: list[Any] = []
    for each in wanted:
        if each.kind == "option":
            value, certain = choices.option(each, question, chosen, tool_words)
            if value is not None:
                chosen.extend(value if isinstance(value, list) else [value])
                proposals.append((each.name, value, CERTAIN if certain else GUESSED))
        elif each.kind == "flag":
            flag = choices.flag(each, question)
            if flag is not None:
                proposals.append((each.name, flag, GUESSED))
        elif each.kind == "constant":
            proposals.append((each.name, each.schema["const"], GUESSED))
    return proposals


def _amounts(
    wanted: list[Parameter], question: str, taken: list[Found], tool_words: list[str]
) -> Proposals:
    """Numbers, each for the parameter whose name and neighbours fit it best."""
    numeric = [each for each in wanted if each.kind == "number"]
    available = numbers(question, taken)
    proposals: Proposals = []
    for each in numeric:
        if each.many and available:
            fitting = [f.value for f in available if f.whole or each.item_type != "integer"]
            proposals.append((each.name, fitting, CERTAIN))
    single = [each for each in numeric if not each.many]
    for each, number in quantities.dealt(single, available):
        proposals.append((each.name, quantities.typed(number, each), CERTAIN))
    if currencies(question) and not available:
        for each in single:
            if each.required and each.words & {"amount"}:
                proposals.append((each.name, 1, GUESSED))  # a rate is a rate for one
    return proposals


def _worded(
    wanted: list[Parameter], question: str, taken: list[Found], tool_words: list[str]
) -> Proposals:
    """Places, people, titles, searches and free text."""
    proposals: Proposals = []
    worded = [each for each in wanted if each.kind in ("place", "text", "object")]
    for each in worded:
        if each.kind == "object":
            inner = fill(each.schema, question, tool_words=tool_words)
            if inner.values and not inner.missing:
                proposals.append((each.name, inner.values, GUESSED))
            continue
        found = texts.worded(each, question, taken, tool_words, alone=_alone(each, worded))
        if found is not None:
            value, certain = found
            proposals.append((each.name, value, CERTAIN if certain else GUESSED))
            start = question.find(value) if isinstance(value, str) else -1
            if start >= 0:  # so that a second text does not take the same words
                taken.append(Found(value, start, start + len(value)))
    return proposals


def _alone(parameter: Parameter, worded: list[Parameter]) -> bool:
    """Whether this is the one required text, so that what the question is about is meant for it."""
    return parameter.required and sum(each.required for each in worded) == 1


def _distinct(found: Iterable[Found]) -> list[Found]:
    distinct: dict[Any, Found] = {}
    for each in found:
        distinct.setdefault(each.value, each)
    return list(distinct.values())


def _evidence(
    wanted: list[Parameter], values: Mapping[str, Any], sure: Mapping[str, float]
) -> float:
    required = [each for each in wanted if each.required]
    found = [each for each in wanted if not each.required and sure.get(each.name) == CERTAIN]
    if not required:
        return 1.0 if any(each.kind == "code" for each in found) else 0.5 * bool(found)
    total = 0.0
    for each in required:
        if each.name in values:
            total += sure[each.name]
        elif each.recognisable:
            total -= 1.0
    return min(1.0, total / len(required) + 0.125 * bool(found))


def _anything(parameter: Parameter, question: str) -> Any:
    """Some value of the right type, for a call that the caller insists on."""
    schema = parameter.schema
    if "default" in schema:
        return schema["default"]
    if parameter.options:
        value: Any = parameter.options[0]
    elif parameter.kind != "text" and parameter.item_type == "string":
        value = "unknown"
    else:
        value = {
            "integer": int(schema.get("minimum", 1)),
            "number": schema.get("minimum", 1),
            "boolean": False,
            "object": {},
            "null": None,
        }.get(parameter.item_type, question)
    return [value] if parameter.many else value
