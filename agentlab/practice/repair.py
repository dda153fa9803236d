"""What was learned from results: missing arguments found in them, and failed calls put right."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from agentlab.practice.choosing import Card
from agentlab.practice.conversation import Step
from agentlab.practice.dates import dates
from agentlab.practice.encoder import similarity
from agentlab.practice.lexicon import words
from agentlab.practice.schema import Parameter, fits, parameters
from agentlab.practice.values import currencies, quotes, shaped, urls

TELLS_NOTHING = words("id name type status title value key number text")
"""Names too common to say that two values are the same thing."""

ALIKE = 0.4
"""How alike an allowed value must be to the refused one to be taken for it."""


def from_results(card: Card, missing: Iterable[str], steps: Sequence[Step]) -> dict[str, Any]:
    """Values for missing arguments that stand in earlier results under the same name.

    Of several different values none is taken, except where the parameter takes a list.
    """
    found: dict[str, Any] = {}
    wanted = {each.name: each for each in parameters(card.input_schema)}
    for name in missing:
        parameter = wanted[name]
        values = list(dict.fromkeys(_known(parameter, steps)))
        if parameter.many and values:
            found[name] = values
        elif len(values) == 1:
            found[name] = values[0]
    return found


def _known(parameter: Parameter, steps: Sequence[Step]) -> Iterator[Any]:
    """The values in the results that fit the parameter by name and type."""
    for step in steps:
        if step.is_error:
            continue
        for key, value in _fields(step.data):
            if _same_name(parameter.name, key) and fits(value, parameter.item):
                yield value
        if isinstance(step.data, str) and parameter.kind == "code" and parameter.shape:
            yield from (each.value for each in shaped(step.data, *parameter.shape))
        if isinstance(step.data, str) and parameter.kind == "url":
            yield from (each.value for each in urls(step.data))


def _fields(data: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                yield key, value
            else:
                yield from _fields(value)
    elif isinstance(data, list):
        for each in data:
            yield from _fields(each)


def _same_name(name: str, key: str) -> bool:
    """Whether two names mean the same: `urls` and `url`, `customer_email` and `email`."""
    one, other = (re.sub(r"[\s_-]+", "_", text.lower()).rstrip("s") for text in (name, key))
    if one == other:
        return True
    shorter, longer = sorted((one, other), key=len)
    return shorter not in TELLS_NOTHING and longer.endswith("_" + shorter)


def repaired(card: Card, step: Step, question: str) -> dict[str, Any] | None:
    """Other arguments for a failed call, where the error says what was expected.

    `None` where it says nothing that helps, or nothing that the question supports.
    """
    arguments = dict(step.call.input)
    wanted = parameters(card.input_schema)
    for each in _blamed(wanted, step):
        value = _expected(each, arguments.get(each.name), step.result, question)
        if value is not None and fits(value, each.schema):
            arguments[each.name] = value
    known = {each.name for each in wanted}
    if re.search(r"no such argument|unexpected", step.result):
        arguments = {name: value for name, value in arguments.items() if name in known}
    return arguments if arguments != step.call.input else None


def _blamed(wanted: Sequence[Parameter], step: Step) -> list[Parameter]:
    """The parameters the error is about: named in it, or their value is; or the only one."""
    error = step.result
    named = [each for each in wanted if re.search(rf"\b{re.escape(each.name)}\b", error)]
    valued = [
        each
        for each in wanted
        if each.name in step.call.input and str(step.call.input[each.name]) in error
    ]
    return named or valued or list(wanted if len(wanted) == 1 else ())


def _expected(parameter: Parameter, refused: Any, error: str, question: str) -> Any:
    """The value that the error asks for in place of the refused one, where that is clear."""
    if re.search(r"YYYY-MM-DD|ISO|date", error):
        days = dates(f"{refused or ''}") or dates(question)
        iso = days[0].value.isoformat() if days else None
        if iso is not None and iso != refused and "-" in str(iso):
            return iso
    if parameter.item_type in ("integer", "number") and isinstance(refused, str):
        digits = re.sub(r"[^\d.-]", "", refused)
        return float(digits) if re.fullmatch(r"-?\d+(\.\d+)?", digits) else None
    if parameter.kind == "code" and parameter.shape and refused is not None:
        codes = shaped(str(refused), *parameter.shape)
        return codes[0].value if codes and codes[0].value != refused else None
    return _allowed_alike(refused, error, question) if refused is not None else None


def _allowed_alike(refused: Any, error: str, question: str) -> Any:
    """Of the values that the error lists, the one most like the refused one."""
    options = [
        each for each in _listed(error) if each.lower() != str(refused).lower() or each != refused
    ]
    same = [each for each in options if each.lower() == str(refused).lower()]
    money = {found.value for found in currencies(f"{refused}") + currencies(question)}
    same += [each for each in options if each in money]
    if same:
        return same[0]
    scored = [(round(similarity(str(refused), each), 4), each) for each in options]
    best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return best[1] if best[0] >= ALIKE else None


def _listed(error: str) -> list[str]:
    """The values that an error names: in quotes, or in a list after a colon or `one of`."""
    named = [each.value for each in quotes(error)]
    for match in re.finditer(
        r"(?:one of|choose from|known \w+|allowed(?: values)?|valid \w+|options|must be|expected)"
        r"(?: are| is)?:?\s+\(?\[?([^.;()\[\]]+)",
        error,
        re.IGNORECASE,
    ):
        named += [
            part.strip(" '\"`")
            for part in re.split(r",\s*(?:or |and )?| or | and ", match.group(1))
        ]
    return [each for each in dict.fromkeys(named) if each and len(each) <= 40]
