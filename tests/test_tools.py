"""A function's signature and docstring become a definition; the SDK's `beta_tool` is the oracle."""

import functools
import json
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from anthropic import beta_tool
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from agentlab import Agent, Context, Tool, tool
from agentlab.calls import ToolCall, perform
from agentlab.errors import DefinitionError


def call(function: Any, arguments: dict[str, Any]) -> Any:
    made = tool(function)
    return perform(ToolCall("t1", made.name, arguments), Agent("a", "", [made]), Context())


class Unit(Enum):
    C = "celsius"
    F = "fahrenheit"


class Item(TypedDict):
    sku: str
    qty: NotRequired[int]


class Address(BaseModel):
    street: str
    city: str = "Baku"


def plain(city: str, days: int = 1, metric: bool = True) -> str:
    """Say the weather.

    Call this for questions on weather.

    Args:
        city: The city, in English.
        days: How many days.
    """
    return f"{city} {days} {metric}"


def optional(seat: str | None, note: str | None = None, n: int = 1) -> str:
    """Book a seat."""
    return f"{seat}/{note}/{n}"


def choices(u: Unit = Unit.C, size: Literal[1, 2, "max"] = 1) -> str:
    """Show."""
    return f"{u.name}{size!r}"


def nested(where: Address, tags: list[str], weights: dict[str, float]) -> str:
    """Send it."""
    return where.city


def nothing() -> str:
    """Do nothing."""
    return ""


def by_numpy(q: str, k: int = 5) -> str:
    """Find notes.

    Parameters
    ----------
    q : str
        Query text.
    k : int, optional
        How many.
    """
    return q


def by_rest(q: str) -> str:
    """Find notes.

    :param q: Query text: words only.
    :returns: hits"""
    return q


def as_written(word: str, order: str = "new") -> str:
    """List the notes.
    Args:

        word (str): What they must contain.
        order (str): Sorted by date:
            - "new": latest on top
            - "old": earliest on top
    Returns:
        str: the list
    """
    return word


@pytest.mark.parametrize(
    "function",
    [plain, optional, choices, nested, nothing, by_numpy, by_rest, as_written],
    ids=lambda function: function.__name__,
)
def test_the_definition_is_the_sdks_own(function: Any) -> None:
    assert tool(function).to_param() == beta_tool(function).to_dict()


def test_presence_comes_from_the_default_and_null_from_the_type() -> None:
    schema = tool(optional).input_schema
    validator = Draft202012Validator(schema)
    assert schema["required"] == ["seat"]
    assert validator.is_valid({"seat": None, "note": None})
    assert validator.is_valid({"seat": "4a"})
    assert not validator.is_valid({"seat": 5})
    assert not validator.is_valid({"seat": "4a", "note": 5})
    assert call(optional, {"seat": None}).content == "None/None/1"
    missing = call(optional, {})
    assert missing.is_error
    assert "seat: missing" in missing.text


def test_a_text_in_annotated_wins_over_the_docstring() -> None:
    def brew(
        bean: Annotated[str, "Kind of bean"],
        cups: Annotated[int, Field(description="2 to 6", ge=2, le=6)] = 4,
    ) -> str:
        """Brew coffee.

        Args:
            bean: docstring text that must lose
            cups: also must lose
        """
        return f"{bean}:{cups}"

    definition = tool(brew).to_param()
    properties = definition["input_schema"]["properties"]
    assert properties["bean"]["description"] == "Kind of bean"
    assert properties["cups"] == {
        "type": "integer",
        "title": "Cups",
        "description": "2 to 6",
        "default": 4,
        "minimum": 2,
        "maximum": 6,
    }
    assert definition["description"] == "Brew coffee."
    assert "must lose" not in json.dumps(definition)
    assert call(brew, {"bean": "X", "cups": 9}).status == "invalid_arguments"


def test_positional_only_parameters_are_named_in_the_schema() -> None:
    def shelf(no: int, /, side: str = "left") -> str:
        """Name a shelf."""
        return f"{side}{no}"

    schema = tool(shelf).input_schema
    assert schema["type"] == "object"
    assert list(schema["properties"]) == ["no", "side"]
    assert schema["required"] == ["no"]
    assert call(shelf, {"no": 7, "side": "right"}).content == "right7"


def test_star_parameters_are_refused_by_name() -> None:
    def total(x: int, *rest: int, **opts: str) -> int:
        """Add up."""
        return x + sum(rest)

    with pytest.raises(DefinitionError, match=r"'total' takes \*rest and \*\*opts") as caught:
        tool(total)
    assert "functools.wraps" not in str(caught.value)


def test_a_wrapper_without_wraps_is_told_about_wraps() -> None:
    def logged(function: Any) -> Any:
        def w(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return w

    @logged
    def greet(name: str) -> str:
        """Greet."""
        return name

    with pytest.raises(DefinitionError, match=r"'w'.*functools\.wraps"):
        tool(greet)


def test_a_wrapper_with_wraps_keeps_the_definition() -> None:
    @functools.wraps(plain)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return plain(*args, **kwargs)

    assert tool(wrapped).to_param() == tool(plain).to_param()


def test_a_parameter_without_a_type_and_a_missing_docstring_are_both_told() -> None:
    def bare(x, y=3):  # type: ignore[no-untyped-def]
        return x

    with pytest.raises(DefinitionError) as caught:
        tool(bare)
    assert "'bare'" in str(caught.value)
    assert "'x'" in str(caught.value)
    assert "description is missing" in str(caught.value)
    assert "_empty" not in str(caught.value)


def test_a_missing_docstring_is_refused() -> None:
    def silent(x: int) -> int:
        return x

    with pytest.raises(DefinitionError, match=r"'silent' has no description"):
        tool(silent)


class Shop:
    """A shop object (not a tool description)."""

    def __init__(self) -> None:
        self.sold: list[str] = []

    def sell(self, item: str) -> int:
        """Sell one item."""
        self.sold.append(item)
        return len(self.sold)

    def __call__(self, item: str) -> str:
        """Ask for an item."""
        return item


def test_bound_methods_keep_their_own_state() -> None:
    first, second = Shop(), Shop()
    definition = tool(first.sell).to_param()
    assert definition["name"] == "sell"
    assert list(definition["input_schema"]["properties"]) == ["item"]
    assert call(first.sell, {"item": "x"}).content == "1"
    assert call(second.sell, {"item": "y"}).content == "1"


def test_a_callable_object_is_described_by_its_call() -> None:
    made = tool(Shop())
    assert (made.name, made.description) == ("Shop", "Ask for an item.")
    assert call(Shop(), {"item": "tea"}).content == "tea"


def test_a_partial_leaves_out_what_it_has_bound() -> None:
    made = tool(functools.partial(plain, days=3))
    assert made.name == "plain"
    assert call(functools.partial(plain, days=3), {"city": "Oslo"}).content == "Oslo 3 True"


def test_names_that_the_api_refuses_are_refused_with_the_reason() -> None:
    def prüfe_weg(x: int) -> int:
        """Check."""
        return x

    def long_one(x: int) -> int:
        """Long."""
        return x

    long_one.__name__ = "a" * 70
    for function, found in (
        (prüfe_weg, "ü"),
        (long_one, "70 characters"),
        (lambda q: q, "<"),
        (functools.partial(lambda q: q), ">"),
    ):
        with pytest.raises(DefinitionError, match=found) as caught:
            tool(function)
        assert "^[a-zA-Z0-9_-]{1,64}$" in str(caught.value)
    assert tool(name="check_way")(prüfe_weg).name == "check_way"


def test_two_tools_with_one_name_are_refused_and_one_twice_is_not() -> None:
    def twin(x: int) -> int:
        """One."""
        return 1

    first = twin

    def twin(x: int) -> int:  # type: ignore[no-redef]
        """Two."""
        return 2

    with pytest.raises(DefinitionError, match="'twin'"):
        Agent("a", "", [first, twin])
    assert list(Agent("a", "", [first, first, tool(first)]).toolbox) == ["twin"]


def test_enum_members_go_in_and_other_values_are_refused() -> None:
    schema = tool(choices).input_schema
    assert "celsius" in json.dumps(schema)
    assert schema["properties"]["u"]["default"] == "celsius"
    assert schema["properties"]["size"]["enum"] == [1, 2, "max"]
    assert call(choices, {"u": "fahrenheit", "size": 2}).content == "F2"
    refused = call(choices, {"u": "kelvin"})
    assert refused.is_error
    assert "'celsius'" in refused.text
    assert "'fahrenheit'" in refused.text


def test_typed_dicts_keep_their_structure() -> None:
    def order(items: list[Item], stock: dict[str, int]) -> str:
        """Order."""
        return f"{items[0]['sku']}{sum(stock.values())}"

    validator = Draft202012Validator(tool(order).input_schema)
    assert validator.is_valid({"items": [{"sku": "a"}], "stock": {"a": 1}})
    assert not validator.is_valid({"items": [{"qty": 1}], "stock": {}})
    assert not validator.is_valid({"items": [], "stock": {"a": "x"}})
    assert call(order, {"items": [{"sku": "a"}], "stock": {"a": 1}}).content == "a1"


def test_what_cannot_be_described_is_refused_by_parameter() -> None:
    class Odd:
        pass

    def takes_odd(fine: int, thing: Odd) -> str:
        """Take it."""
        return ""

    def names_nothing(x: "Nowhere") -> str:  # type: ignore[name-defined]  # noqa: F821
        """Take it."""
        return ""

    with pytest.raises(DefinitionError, match=r"'takes_odd'.*'thing'"):
        tool(takes_odd)
    with pytest.raises(DefinitionError, match=r"'names_nothing'.*'x'.*'Nowhere'"):
        tool(names_nothing)


def test_arguments_are_never_guessed() -> None:
    seen = []

    def top(n: int, tags: list[str], label: str = "") -> str:
        """Top n."""
        seen.append((n, tags, label))
        return f"{n + 1}:{len(tags)}"

    text = call(top, {"n": "5", "tags": '["a", "b"]'}).text
    assert "n: Input should be a valid integer" in text
    assert "tags: Input should be a valid array" in text
    assert "n: " in call(top, {"n": "five", "tags": []}).text
    assert call(top, {"n": 5, "tags": ["a"], "label": "[1]"}).content == "6:1"
    assert seen == [(5, ["a"], "[1]")]


def test_whole_numbers_are_integers_however_they_are_written() -> None:
    def top(n: int, share: float, more: list[int]) -> str:
        """Top n."""
        return f"{n!r} {share!r} {more!r}"

    assert call(top, {"n": 5.0, "share": 2.0, "more": [1.0]}).content == "5 2.0 [1]"
    assert call(top, {"n": 5.5, "share": 2, "more": []}).status == "invalid_arguments"
    assert call(top, {"n": True, "share": 2, "more": []}).status == "invalid_arguments"


def test_missing_extra_and_the_tools_own_type_error_are_three_things() -> None:
    ran = []

    def weather(city: str, days: int = 1) -> str:
        """Weather."""
        ran.append(city)
        if city == "bug":
            return "n" + 1  # type: ignore[operator]
        return city

    misnamed = call(weather, {"town": "Rome"}).text
    assert "city: missing" in misnamed
    assert "town: there is no such argument" in misnamed
    extra = call(weather, {"city": "Rome", "country": "IT"})
    assert "country" in extra.text
    assert "city, days" in extra.text
    assert ran == []
    own = call(weather, {"city": "bug"})
    assert own.status == "failed"
    assert "can only concatenate str" in own.text


def test_the_context_is_given_and_never_shown() -> None:
    def greet(greeting: str, context: Context) -> str:
        """Greet."""
        context["greeted"] = True
        return f"{greeting}, {context['name']}"

    made = tool(greet)
    context = Context(name="Leyla")
    assert list(made.input_schema["properties"]) == ["greeting"]
    outcome = perform(ToolCall("t", "greet", {"greeting": "Hi"}), Agent("a", "", [made]), context)
    assert outcome.content == "Hi, Leyla"
    assert context["greeted"] is True
    assert call(greet, {"greeting": "Hi", "context": {}}).is_error


def test_a_tool_is_still_a_function() -> None:
    @tool(destructive=True, name="wipe", description="Wipe it.")
    def erase(path: str) -> str:
        """Erase."""
        return path

    assert isinstance(erase, Tool)
    assert erase("a") == "a"
    assert erase.to_param()["description"] == "Wipe it."
    assert repr(erase) == "Tool(wipe(path), destructive=True)"
    assert tool(erase) is erase
