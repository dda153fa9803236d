"""Arguments are taken from the question's words, by the schema, and never invented."""

# ruff: noqa: RUF001 - letters of several alphabets are meant as they are

from typing import Any

import pytest

from agentlab.practice.arguments import every_value, fill
from agentlab.practice.dates import dates, months, times
from agentlab.practice.marks import marks, readings
from agentlab.practice.schema import fits, parameters
from agentlab.practice.values import calculation, core, currencies, names, numbers, shaped


def schema(required: str = "", **properties: Any) -> dict[str, Any]:
    """A schema whose properties are all required, unless `required` names those that are."""
    return {
        "type": "object",
        "properties": {
            name: {"type": given} if isinstance(given, str) else given
            for name, given in properties.items()
        },
        "required": required.split() if required else list(properties),
    }


ORDER = {"type": "string", "description": "The order number, e.g. SP-1024."}
LIBRARY = {"type": "string", "description": "The library's name, e.g. rails."}
UNIT = {"type": "string", "enum": ["km", "miles", "metres"]}
SIZE = {
    "type": "string",
    "enum": ["s", "m", "l"],
    "description": "Size: s (small), m (medium), l (large).",
}


@pytest.mark.parametrize(
    ("properties", "question", "values"),
    [
        # identifiers
        ({"order_id": ORDER}, "Where is SP-1024?", {"order_id": "SP-1024"}),
        ({"order_id": ORDER}, "where is sp1024", {"order_id": "SP-1024"}),
        ({"order_id": ORDER}, "SP 1024, please", {"order_id": "SP-1024"}),
        ({"order_id": ORDER}, "about order 1024", {"order_id": "SP-1024"}),
        ({"order_id": ORDER}, "我的订单SP-1024处理到哪一步了？", {"order_id": "SP-1024"}),
        ({"order_id": ORDER}, "Where is TRK-88213?", {}),
        ({"order_id": ORDER}, "Where is my order?", {}),
        (
            {"code": {"type": "string", "pattern": "^[A-Z]{2}[0-9]{3}$"}},
            "Gate for flight LH-400 or lh401?",
            {"code": "LH400"},
        ),
        ({"user_id": "string"}, "Delete user u-17.", {"user_id": "u-17"}),
        # addresses
        ({"to": {"type": "string", "format": "email"}}, "Mail a.b+c@d.org!", {"to": "a.b+c@d.org"}),
        ({"email": "string"}, "Write to Bob", {}),
        ({"url": "string"}, "Read https://a.example/x?y=1.", {"url": "https://a.example/x?y=1"}),
        ({"urls": {"type": "array", "items": {"type": "string"}}}, "No address", {}),
        # paths
        ({"path": "string"}, "Open src/a.py, please.", {"path": "src/a.py"}),
        ({"path": "string"}, "Show notes.txt.", {"path": "notes.txt"}),
        ({"path": "string"}, "Five km/h and/or 10/07/2026", {}),
        ({"folder": "string"}, "What lies in docs/images?", {"folder": "docs/images"}),
        ({"folder": "string"}, "List the folder assets", {"folder": "assets"}),
        ({"path": "string", "new_path": "string"}, "Call a.md b.md",
         {"path": "a.md", "new_path": "b.md"}),
        ({"path": "string", "content": "string"}, 'A file x.txt with "12 eggs"',
         {"path": "x.txt", "content": "12 eggs"}),
        # single words
        ({"gem": LIBRARY}, "We cannot do without rake", {"gem": "rake"}),
        ({"gem": LIBRARY}, "Add the library rake to this app", {"gem": "rake"}),
        # options
        ({"unit": UNIT}, "Distance in miles", {"unit": "miles"}),
        ({"size": SIZE}, "A large shirt, please", {"size": "l"}),
        ({"size": SIZE}, "A shirt, please", {}),
        (
            {"from_unit": UNIT, "to_unit": UNIT},
            "Convert miles to km",
            {"from_unit": "miles", "to_unit": "km"},
        ),
        (
            {"colours": {"type": "array", "items": {"enum": ["red", "blue", "green"]}}},
            "Paint it green and red",
            {"colours": ["green", "red"]},
        ),
        # numbers
        ({"a": "number", "b": "number"}, "Add 2 and 3.5", {"a": 2, "b": 3.5}),
        ({"a": "number", "b": "number"}, "Subtract 3 from 10", {"a": 10, "b": 3}),
        ({"a": "integer", "b": "integer"}, "minus 5 and twenty five", {"a": 5, "b": 25}),
        ({"n": "integer"}, "2.5 metres", {}),
        ({"minutes": "integer"}, "A timer for 10 minutes", {"minutes": 10}),
        ({"hours": "integer", "minutes": "integer"}, "10 minutes and 2 hours",
         {"hours": 2, "minutes": 10}),
        ({"width": "number", "height": "number"}, "height 3 and width 4",
         {"width": 4, "height": 3}),
        ({"n": {"type": "integer", "maximum": 5}}, "9 or 4", {"n": 4}),
        ({"bill": "number", "tip_percent": "number"}, "15% on 80", {"bill": 80, "tip_percent": 15}),
        (
            {"price": "number", "quantity": "integer"},
            "If one costs 2.99, what do a dozen cost?",
            {"price": 2.99, "quantity": 12},
        ),
        (
            {"price": "number", "quantity": "integer"},
            "five lamps at 30 dollars each",
            {"price": 30, "quantity": 5},
        ),
        (
            {"numbers": {"type": "array", "items": {"type": "number"}}},
            "The mean of 3, 5 and 10",
            {"numbers": [3, 5, 10]},
        ),
        ({"n": "integer"}, "Order SP-1024 on 2026-07-01", {}),
        ({"amount": "number"}, "1,250.50 euros", {"amount": 1250.5}),
        # currencies
        (
            {"from_currency": "string", "to_currency": "string", "amount": "number"},
            "How many manat for 20 dollars?",
            {"from_currency": "USD", "to_currency": "AZN", "amount": 20},
        ),
        (
            {"from_currency": "string", "to_currency": "string"},
            "1欧元等于多少人民币？",
            {"from_currency": "EUR", "to_currency": "CNY"},
        ),
        # dates and times
        ({"date": "string"}, "tomorrow", {"date": "2026-06-16"}),
        ({"day": "string"}, "next Friday", {"day": "2026-06-19"}),
        ({"start_date": {"type": "string", "format": "date"},
          "end_date": {"type": "string", "format": "date"}},
         "from 2026-07-01 until 5 July 2026",
         {"start_date": "2026-07-01", "end_date": "2026-07-05"}),
        ({"date": "string"}, "May I go?", {}),
        ({"time": "string"}, "at 7 pm", {"time": "19:00"}),
        ({"month": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"}}, "last month's bill",
         {"month": "2026-05"}),
        # words
        ({"city": "string"}, "Is it warm in New York?", {"city": "New York"}),
        ({"city": "string"}, "weather in paris please", {"city": "paris"}),
        ({"city": "string"}, "明天巴黎会下雨吗？", {"city": "巴黎"}),
        ({"origin": "string", "destination": "string"}, "A flight to Rome from Oslo",
         {"origin": "Oslo", "destination": "Rome"}),
        ({"query": "string"}, "Search for the best pizza", {"query": "best pizza"}),
        ({"text": "string"}, "Count the words in 'so it goes 😀'", {"text": "so it goes 😀"}),
        ({"expression": "string"}, "What is (2 + 3) * 4?", {"expression": "(2 + 3) * 4"}),
        ({"expression": "string"}, "What is 6 times 7?", {"expression": "6 * 7"}),
        ({"title": "string", "body": "string"}, 'A note titled "Milk", body "Buy two"',
         {"title": "Milk", "body": "Buy two"}),
        ({"items": {"type": "array", "items": {"type": "string"}}}, "Pack: shoes, hat and book",
         {"items": ["shoes", "hat", "book"]}),
        # switches, constants, references, null
        ({"urgent": "boolean"}, "This is urgent!", {"urgent": True}),
        ({"urgent": "boolean"}, "This is not urgent.", {"urgent": False}),
        ({"version": {"const": 2}}, "Anything", {"version": 2}),
        ({"city": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "in Baku", {"city": "Baku"}),
        ({"place": {"type": "object", "properties": {"city": {"type": "string"}},
                    "required": ["city"]}}, "in Baku", {"place": {"city": "Baku"}}),
    ],
)  # fmt: skip
def test_arguments_are_found(properties, question, values):
    filling = fill(schema(**properties), question)
    assert filling.values == values
    assert filling.missing == [name for name in properties if name not in values]


def test_references_are_followed():
    described = schema(order_id={"$ref": "#/$defs/OrderId"}) | {"$defs": {"OrderId": ORDER}}
    assert fill(described, "SP-1024").values == {"order_id": "SP-1024"}


def test_a_type_that_holds_itself_ends():
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    described = schema(node={"$ref": "#/$defs/Node"}) | {"$defs": {"Node": node}}
    assert fill(described, "anything").values == {}


def test_what_need_not_be_given_is_left_out():
    described = schema("city", city="string", days={"type": "integer", "default": 3}, note="string")
    assert fill(described, "The weather in Oslo").values == {"city": "Oslo"}
    assert fill(described, "The weather in Oslo for 5 days").values == {"city": "Oslo", "days": 5}


def test_a_call_that_must_be_made_gets_some_value_of_the_right_type():
    described = schema(order_id=ORDER, n="integer", flag="boolean", unit=UNIT, text="string")
    values = fill(described, "Hello", forced=True).values
    assert all(fits(values[each.name], each.schema) for each in parameters(described))


def test_certainty_speaks_for_a_tool_and_absence_against_it():
    assert fill(schema(order_id=ORDER), "SP-1024").evidence == 1
    assert fill(schema(order_id=ORDER), "my order").evidence == -1
    assert fill(schema(query="string"), "my order").evidence == 0


def test_only_a_shape_that_is_described_identifies():
    assert fill(schema(order_id=ORDER), "SP-1024").identified
    assert not fill(schema(id="string"), "SP-1024").identified


def test_values_are_known_by_their_form_and_read_as_blanks():
    question = 'Send "Hello" and a.txt to bo@example.org tomorrow'
    assert [mark.value for mark in marks(question)][:3] == ["Hello", "a.txt", "bo@example.org"]
    assert readings(question) == (question, "Send X and the file to X tomorrow")
    assert readings("How are you?") == ("How are you?",)


def test_several_values_of_one_kind_are_several_calls():
    assert every_value(schema(order_id=ORDER), "SP-1 and SP-2") == {"order_id": ["SP-1", "SP-2"]}
    assert every_value(schema(city="string"), "Rome and Milan") == {"city": ["Rome", "Milan"]}
    assert every_value(schema(order_id=ORDER), "SP-1 and SP-1") == {}
    assert every_value(schema(start_date="string", end_date="string"), "today, tomorrow") == {}


def test_a_pattern_that_python_cannot_read_is_passed_over():
    assert fill(schema(x={"type": "string", "pattern": "(?<n"}), "hello").evidence <= 0


@pytest.mark.parametrize(
    ("value", "described", "answer"),
    [
        (True, {"type": "integer"}, False),
        (3, {"type": "number"}, True),
        (3.5, {"type": "integer"}, False),
        ("a", {"enum": ["b"]}, False),
        (0, {"exclusiveMinimum": 0}, False),
        (["a", 1], {"type": "array", "items": {"type": "string"}}, False),
        ("SP-1", {"type": "string", "pattern": "^SP"}, True),
        (True, {"type": "boolean"}, True),
    ],
)
def test_a_value_is_held_against_its_schema(value, described, answer):
    assert fits(value, described) is answer


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1 July 2026", ["2026-07-01"]),
        ("10.07.2026", ["2026-07-10"]),
        ("in two weeks", ["2026-06-29"]),
        ("3 days ago", ["2026-06-12"]),
        ("the day after tomorrow", ["2026-06-17"]),
        ("завтра", ["2026-06-16"]),
        ("2026年3月5日", ["2026-03-05"]),
        ("2026-02-31", []),
        ("I may march", []),
    ],
)
def test_dates(text, found):
    assert [each.value.isoformat() for each in dates(text)] == found


def test_months_and_times():
    assert [each.value for each in months("March 2026 and next month")] == ["2026-03", "2026-07"]
    assert [each.value for each in times("12 am, 12:30, 12 pm")] == ["00:00", "12:30", "12:00"]


def test_numbers_know_their_neighbours():
    price, share = numbers("30 dollars each, less 10 percent")
    assert (price.money, price.each, share.percent) == (True, True, True)
    assert numbers("this one, SP-1024 and 2026-07-01") == []


def test_currencies_come_in_the_order_of_an_exchange():
    assert [each.value for each in currencies("How many euros are 5 dollars?")] == ["USD", "EUR"]
    assert [each.value for each in currencies("Canadian dollars")] == ["CAD"]


def test_names_after_a_preposition_come_first():
    assert [each.value for each in names("Does Anna live in Rome on Monday?")] == ["Rome", "Anna"]


def test_the_core_of_a_question_is_what_it_is_about():
    assert core("Do you have a desk lamp in stock?", ["search", "products"]) == "desk lamp"
    assert core("Research RAG best practices and write a report.") == "RAG best practices"


def test_calculations_are_formulas():
    assert calculation("What is 12x7?") == "12 * 7"
    assert calculation("10 divided by 4 plus 1") == "10 / 4 + 1"
    assert calculation("Call me at 5") == ""


def test_identifiers_keep_their_order():
    import re

    found = shaped("SP 2, then sp1", re.compile(r"SP-\d+"), "SP-")
    assert [each.value for each in found] == ["SP-2", "SP-1"]
