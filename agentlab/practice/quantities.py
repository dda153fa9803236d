"""Which number of a question belongs to which parameter."""

from collections.abc import Sequence
from itertools import product

from agentlab.practice.schema import Parameter, fits
from agentlab.practice.values import Number, stem


def _stemmed(words: str) -> frozenset[str]:
    return frozenset(words.split()) | {stem(word) for word in words.split()}


PERCENT = _stemmed("percent percentage discount tip")
PRICE = _stemmed("price cost amount money fee budget salary total sum")
COUNT = _stemmed("quantity count number pieces copies limit people guests persons nights")

NEVER = -100
FILLED = 3
"""Points for each required parameter that gets a number at all."""

MOST_NUMBERS, MOST_PARAMETERS = 6, 4
"""More of either are left out: every way of dealing them is tried."""


def dealt(
    wanted: Sequence[Parameter], available: Sequence[Number]
) -> list[tuple[Parameter, Number]]:
    """Each parameter with its number, dealt so that together they fit best.

    Where several ways fit equally, the numbers go to the parameters in order. A parameter that is
    not required takes a number only if something says that it is meant.
    """
    wanted, available = wanted[:MOST_PARAMETERS], available[:MOST_NUMBERS]
    hands = [_possible(parameter, available) for parameter in wanted]
    best: list[tuple[Parameter, Number]] = []
    best_points = float("-inf")
    for hand in product(*hands):
        places = [place for place, _ in hand if place is not None]
        if len(set(places)) < len(places):
            continue  # one number for two parameters
        points = sum(points for _, points in hand)
        if points > best_points:
            best_points = points
            best = [
                (parameter, available[place])
                for parameter, (place, _) in zip(wanted, hand, strict=True)
                if place is not None
            ]
    return best


def _possible(parameter: Parameter, available: Sequence[Number]) -> list[tuple[int | None, int]]:
    """The places of the numbers that the parameter may take, each with its points."""
    least = -2 if parameter.required else 2
    scored = [(place, fitness(parameter, number)) for place, number in enumerate(available)]
    bonus = FILLED if parameter.required else 0
    return [(place, points + bonus) for place, points in scored if points >= least] + [(None, 0)]


def typed(number: Number, parameter: Parameter) -> int | float:
    """The number in the type the schema asks for."""
    return int(number.value) if parameter.item_type == "integer" else number.value


def fitness(parameter: Parameter, number: Number) -> int:
    """How well the number and its neighbours fit the parameter's name, type and description."""
    if parameter.item_type == "integer" and not number.whole:
        return NEVER
    if not fits(typed(number, parameter), parameter.schema):
        return NEVER
    score = _named(parameter, number)
    if parameter.words & PERCENT:
        return score + _as_percent(number)
    if number.percent:
        return NEVER
    if parameter.words & PRICE:
        return score + _as_price(number)
    if parameter.words & COUNT or parameter.item_type == "integer":
        return score + _as_count(number)
    return score


def _named(parameter: Parameter, number: Number) -> int:
    """Points for the parameter's own word beside the number: `width 4`, `5 kilometres`."""
    score = 0
    if number.before and stem(number.before) in parameter.words:
        score += 4
    if number.after and stem(number.after[0]) in parameter.words:
        score += 4
    elif number.after and stem(number.after[0]) in parameter.about:
        score += 2
    return score


def _as_percent(number: Number) -> int:
    if number.percent:
        return 6
    if "discount" in (number.before, *number.after[:2]):
        return 3
    return -3


def _as_price(number: Number) -> int:
    score = 2 * number.money + 2 * number.each + (not number.whole)
    score -= number.value == 1 and number.spelled and not number.money
    return score + (number.before in ("for", "costs", "cost", "is", "at", "of", "back"))


def _as_count(number: Number) -> int:
    score = 1 - 2 * number.money - 3 * number.each
    score += bool(number.after) and not number.after[0][0].isdigit()
    if number.value == 1 and number.spelled:
        score -= 2
    return score
