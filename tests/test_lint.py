"""The rules for good definitions: each finds its fault, and none cries out at good tools."""

import json
import textwrap
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from lint_tools import COMPANION, GOOD, WEAK, defined
from typer.testing import CliRunner

from agentlab import Context, tool
from agentlab.cli import app
from agentlab.descriptions import Finding, QuestionSet, lint, lint_all, shipped
from agentlab.descriptions.definitions import definition_of
from agentlab.descriptions.lint import LOOK_ALIKE, likeness
from agentlab.errors import DefinitionError
from agentlab.practice.choosing import Card


def name_of(given: Any) -> str:
    return str(definition_of(given)["name"])


def rules(findings: list[Finding]) -> set[str]:
    return {each.rule for each in findings}


def test_there_are_25_of_each() -> None:
    assert len(GOOD) == len(WEAK) == 25


@pytest.mark.parametrize(("rule", "weak"), WEAK, ids=[name_of(weak) for _, weak in WEAK])
def test_a_planted_fault_is_found_and_no_other(rule: str, weak: Any) -> None:
    found = rules(lint_all([*GOOD, weak]))
    assert rule in found
    assert found <= {rule, COMPANION.get(rule)}


@pytest.mark.parametrize("good", GOOD, ids=name_of)
def test_nothing_is_found_in_a_good_tool(good: Any) -> None:
    assert lint(good) == []


def test_good_tools_do_not_look_alike() -> None:
    assert lint_all(GOOD) == []
    assert repr(lint_all(GOOD)) == "Nothing found. Measure, to see how it does."


TWINS = [
    (
        ("get_order_status", "Tell how far an order has come, by the order number."),
        ("check_order", "Look up how far an order has come, by its order number."),
    ),
    (
        ("send_message", "Send a message to a colleague."),
        ("write_message", "Write a message to a colleague and send it."),
    ),
    (
        ("get_weather_forecast", "Forecast temperature and rain for a town over the coming days."),
        ("lookup_forecast", "Tell the temperature and rain of the coming days in a town."),
    ),
]


def test_the_threshold_lies_between_neighbours_and_twins() -> None:
    for name in shipped():
        cards = [Card.read(each) for each in QuestionSet.load(name).tools("strong")]
        closest = max(likeness(one, other) for one, other in combinations(cards, 2))
        assert closest < LOOK_ALIKE
    for one, other in TWINS:
        assert likeness(Card(*one, {}), Card(*other, {})) > LOOK_ALIKE


@pytest.mark.parametrize("name", shipped())
def test_shipped_sets_strong_tools_are_clean_and_weak_ones_are_not(name: str) -> None:
    questions = QuestionSet.load(name)
    assert not [each for each in lint_all(questions.tools("strong")) if each.severity != "note"]
    weak = questions.tools("weak")
    assert {each.tool for each in lint_all(weak)} == {each["name"] for each in weak}


# --- one by one ---


def only(rule: str, **changes: Any) -> bool:
    """Whether a good definition with these changes breaks this rule."""
    return rule in rules(lint({**GOOD[0], **changes}))


def test_names_and_schemas_that_the_api_refuses() -> None:
    assert only("invalid-name", name="read file")
    assert only("invalid-schema", input_schema={})
    assert only("invalid-schema", input_schema={"type": "object", "required": ["path"]})
    assert "same-name" in rules(lint_all([GOOD[0], GOOD[0]]))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One of low, normal or high.", True),
        ("Either 'open' or 'closed'.", True),
        ("json | xml", True),
        ("Possible values: red, green, blue.", True),
        ("The town, e.g. Baku, Ganja or Sumgait.", False),
        ("One of the projects that list_projects gives.", False),
        ("A short text, such as a name or a title.", False),
        ("The path of the folder.", False),
    ],
)
def test_values_listed_in_prose(text: str, found: bool) -> None:
    def schema(**more: Any) -> dict[str, Any]:
        return {"type": "object", "properties": {"x": {"type": "string", **more}}}

    assert only("enum-in-prose", input_schema=schema(description=text)) is found
    assert not only("enum-in-prose", input_schema=schema(description=text, enum=["a", "b"]))


def test_functions_are_examined_with_their_docstrings() -> None:
    def get_room(number: int, context: Context) -> str:
        """Tell who sits in a room of the office.

        Use it when someone looks for a colleague. It does not know about meetings.

        Args:
            number: The room's number, e.g. 301.
        """
        return f"{number} {context}"

    def no_words(number: int) -> int:
        return number

    def no_types(number) -> None:  # type: ignore[no-untyped-def]
        """Count to a number."""

    assert lint(get_room) == []
    assert lint(tool(get_room)) == []
    assert "no-purpose" in rules(lint(no_words))
    (finding,) = lint(no_types)
    assert (finding.rule, finding.severity, finding.tool) == ("no-definition", "error", "no_types")
    assert "Annotate it" in finding.fix


def test_findings_come_gravest_first_and_escaped() -> None:
    found = lint(defined("do_it", "<script> $x$", x={"type": "string"}))
    severities = [each.severity for each in found]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)
    assert "<script>" in repr(found)
    assert "<script>" not in found._repr_html_()
    assert str(found[0]).startswith("do_it: warning: ")
    assert str(found[0]).endswith(f"[{found[0].rule}]")


def test_what_is_no_tool() -> None:
    with pytest.raises(DefinitionError, match="needs a name"):
        lint({"description": "?"})
    with pytest.raises(TypeError, match="int"):
        lint(5)  # type: ignore[arg-type]


def test_five_hundred_weak_tools_make_a_table_that_ends() -> None:
    many = [defined(f"tool_{number}", "gets data", x={"type": "string"}) for number in range(500)]
    assert repr(lint_all(many)).splitlines()[-1].startswith("… and ")


# --- the command ---


def lint_command(path: Path, *flags: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["lint", str(path), *flags])
    return result.exit_code, result.output


def python_file(folder: Path, text: str) -> Path:
    path = folder / "my_tools.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def test_a_python_file_with_tools_functions_and_definitions(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("UNIT = 'metre'\n")
    path = python_file(
        tmp_path,
        '''
        from beside import UNIT

        from agentlab import tool

        @tool
        def weather(town: str) -> str:
            """Tell the weather."""

        def data(x: str) -> str:
            """Gets data."""

        def not_a_tool(x: str) -> str:
            """Gets data."""

        tools = [weather, data, {"name": "info", "description": ""}]
        ''',
    )
    code, shown = lint_command(path)
    assert code == 1  # `info` has no description
    assert shown.splitlines()[-1].startswith("3 tools, ")
    assert "weather: warning: The name 'weather' is a single word" in shown
    assert "data: warning: " in shown
    assert "not_a_tool" not in shown


def test_definitions_in_json_and_the_exit_codes(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([definition_of(each) for each in GOOD]))
    assert lint_command(path, "--strict") == (0, "25 tools, 0 findings\n")
    path.write_text(json.dumps({"tools": [{**GOOD[0], "name": "read"}]}))
    assert lint_command(path)[0] == 0
    assert lint_command(path, "--strict")[0] == 1
    path.write_text(json.dumps([{**GOOD[0], "description": ""}]))
    assert lint_command(path)[0] == 1


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.py", "1 / 0", "ZeroDivisionError"),
        ("a.py", "raise SystemExit(0)", "SystemExit"),
        ("a.py", "def f(: pass", "SyntaxError"),
        ("a.py", "x = 1", "holds no tools"),
        ("a.json", "{", "not JSON"),
        ("a.json", '{"tools": 5}', "no list of definitions"),
        ("a.json", "[{}]", "no list of definitions"),
        ("a.json", "[]", "holds no tools"),
        ("a.txt", "", "ends in '.txt'"),
    ],
)
def test_files_without_tools(name: str, content: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    code, shown = lint_command(tmp_path / name)
    assert code == 2
    assert complaint in shown
    assert "Traceback" not in shown


def test_usage() -> None:
    assert CliRunner().invoke(app, ["lint"]).exit_code == 2
    assert lint_command(Path("no-such-file.py"))[0] == 2
