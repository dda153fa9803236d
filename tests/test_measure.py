"""Measuring descriptions: verdicts, statistics, comparisons, charts, and the command."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from practising import user
from small_set import SMALL, question, small, store
from typer.testing import CliRunner

from agentlab import client, descriptions, tool
from agentlab.cli import app
from agentlab.descriptions import Measurement, Question, QuestionSet, Selection, ladder, measure
from agentlab.descriptions.definitions import AnyTool, definition_of
from agentlab.descriptions.figures import (
    BEGIN,
    END,
    as_markdown,
    figures_in,
    measure_sets,
    with_figures,
)
from agentlab.descriptions.matching import arguments_fit, verdict_on
from agentlab.descriptions.significance import mcnemar, wilson_interval
from agentlab.errors import BatchFailed, ConfigurationError, DefinitionError, SpendingCapReached
from agentlab.practice import both, cut_off, say, use
from agentlab.practice.serve import served
from agentlab.spending import SESSION

asking = importlib.import_module("agentlab.descriptions.asking")


@tool
def get_order_status(order_id: str) -> str:
    """Tell how far an order has come. Use it when someone gives an order number.

    Args:
        order_id: The order's number, e.g. SP-1024.
    """
    return order_id


def get_weather(town: str) -> str:
    """Forecast the weather of a town: rain, wind and temperature. Use it for weather questions.

    Args:
        town: The town, e.g. Baku.
    """
    return town


TOOLS: list[AnyTool] = [get_order_status, get_weather]
QUESTIONS = [
    Question("Where is order SP-1024?", "get_order_status", {"order_id": "SP-1024"}),
    Question("Will it rain in Baku?", "get_weather", {"town": "Baku"}),
    Question("Thank you, goodbye."),
]


def measured(*verdicts: str, samples: int = 1) -> Measurement:
    """A measurement with these verdicts, of questions called 0, 1, 2, ..."""
    selections = [
        Selection(
            Question(str(number // samples), "wanted"),
            {"right": ("wanted",), "wrong": ("other",), "none": ()}[verdict],
            verdict,  # type: ignore[arg-type]
        )
        for number, verdict in enumerate(verdicts)
    ]
    tokens = {"input_tokens": 1, "output_tokens": 1}
    return Measurement(tuple(selections), ("wanted", "other"), "claude-haiku-4-5", tokens, 0.0)


# --- sets ---


def test_a_set_gives_its_questions_by_the_names_of_the_toolset(tmp_path: Path) -> None:
    questions = small(tmp_path)
    assert [each.tools for each in questions.questions()] == [
        ("get_order_status",),
        ("get_weather",),
        (),
    ]
    weak = questions.questions(toolset="weak")
    assert [each.tools for each in weak] == [("data",), ("info",), ()]
    assert not weak[0].inputs  # its parameter is called `id`, so it cannot be held to `order_id`
    assert weak[1].inputs
    assert [each["name"] for each in questions.tools("weak")] == ["data", "info"]
    assert repr(questions) == "QuestionSet('small': 5 questions, 2 tools)"


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({}, 3),
        ({"held_out": True}, 1),
        ({"held_out": None}, 4),
        ({"language": "ru"}, 1),
        ({"held_out": None, "language": None}, 5),
    ],
)
def test_held_out_questions_and_languages_are_kept_apart(
    settings: dict[str, Any], count: int, tmp_path: Path
) -> None:
    assert len(small(tmp_path).questions(**settings)) == count


def test_every_shipped_set_can_be_loaded_and_holds_its_own_tools() -> None:
    assert "shop" in descriptions.shipped()
    for name in descriptions.shipped():
        questions = QuestionSet.load(name)
        assert questions.name == name
        for toolset in questions.toolsets:
            names = {each["name"] for each in questions.tools(toolset)}
            for each in questions.questions(None, None, toolset):
                assert set(each.tools) <= names
        texts = [each.text for each in questions.asked]
        assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"toolsets": {}}, "weak"),
        ({"questions": [question("Hi?", ("get_wether", {}))]}, "get_weather"),
        ({"questions": [{"words": "Hi?"}]}, "calls"),
        ({"questions": None}, "NoneType"),
        (
            {"toolsets": {**SMALL["toolsets"], "weak": SMALL["toolsets"]["weak"][:1]}},
            "different length",
        ),
    ],
)
def test_a_file_that_is_no_set_says_why(
    changes: dict[str, Any], named: str, tmp_path: Path
) -> None:
    with pytest.raises(DefinitionError, match=named):
        QuestionSet.load(store(tmp_path, **changes))


def test_a_set_that_is_not_there_and_a_file_that_is_not_json(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"'stop'.*Shipped are .*shop"):
        QuestionSet.load("stop")
    (tmp_path / "small.json").write_text("{")
    with pytest.raises(DefinitionError, match="not JSON"):
        QuestionSet.load(tmp_path / "small.json")
    with pytest.raises(ConfigurationError, match=r"'strongest'.*weak, named, described, strong"):
        QuestionSet.load("shop").tools("strongest")


@pytest.mark.parametrize("arguments", [(" ",), ("Hi?", "greet", [{}, {}]), ("Hi?", None, {})])
def test_a_question_that_could_never_be_right(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(DefinitionError):
        Question(*arguments)


# --- verdicts ---


@pytest.mark.parametrize(
    ("expected", "called", "verdict"),
    [
        ("a", ["a"], "right"),
        ("a", ["a", "a"], "right"),
        ("a", ["b"], "wrong"),
        ("a", ["a", "b"], "wrong"),
        ("a", [], "none"),
        (["a", "b"], ["b", "a"], "right"),
        (["a", "b"], ["a"], "wrong"),
        (None, [], "right"),
        (None, ["a"], "wrong"),
    ],
)
def test_only_all_expected_tools_and_no_other_are_right(
    expected: Any, called: list[str], verdict: str
) -> None:
    assert verdict_on(Question("?", expected), called) == verdict


@pytest.mark.parametrize(
    ("expected", "given", "fits"),
    [
        ({"x": "SP-1"}, {"x": "sp-1"}, True),
        ({"x": "SP-1"}, {"x": "SP-2"}, False),
        ({"x": "SP-1"}, {}, False),
        ({"x": 3}, {"x": 3.0}, True),
        ({"x": 1}, {"x": True}, False),
        ({"x": {"any": ["a", "b"]}}, {"x": "b"}, True),
        ({"x": {"any": ["a", "b"]}}, {"x": "c"}, False),
        ({"x": {"about": "desk lamp"}}, {"x": "a Lamp for the desk"}, True),
        ({"x": {"about": "desk lamp"}}, {"x": "a lamp"}, False),
        ({"x": ["a", "b"]}, {"x": ["A", "b"]}, True),
        ({"x": ["a", "b"]}, {"x": ["a"]}, False),
        ({"x": "a"}, {"x": "a", "y": 5}, True),  # 5 is the default of y
        ({"x": "a"}, {"x": "a", "y": 6}, False),
        ({"x": "a"}, {"x": "a", "z": 1}, False),
    ],
)
def test_arguments_are_compared(expected: Any, given: Any, fits: bool) -> None:
    tools = {"a": {"input_schema": {"properties": {"x": {}, "y": {"default": 5}}}}}
    asked = Question("?", "a", expected)
    assert arguments_fit(asked, [("a", given)], tools) is fits


def test_each_expected_call_needs_a_call_of_its_own() -> None:
    tools: dict[str, Any] = {"a": {"input_schema": {}}}
    asked = Question("?", ["a", "a"], [{"x": 1}, {"x": 2}])
    assert arguments_fit(asked, [("a", {"x": 2}), ("a", {"x": 1})], tools)
    assert not arguments_fit(asked, [("a", {"x": 1}), ("a", {"x": 1})], tools)
    assert not arguments_fit(asked, [("a", {"x": n}) for n in (1, 2, 3)], tools)
    assert arguments_fit(Question("?", "a"), [("a", {"x": 1})], tools) is None


# --- measuring ---


def test_tools_functions_and_definitions_are_measured_alike() -> None:
    found = measure(TOOLS, QUESTIONS)
    assert [each.verdict for each in found.selections] == ["right"] * 3
    assert found.accuracy == 1
    assert found.arguments == (2, 2)
    assert found.tools == ("get_order_status", "get_weather")
    assert found == measure([definition_of(each) for each in TOOLS], QUESTIONS)
    assert repr(found) == repr(measure(TOOLS, QUESTIONS))
    assert found.tokens["input_tokens"] > 0
    assert repr(found).startswith("3 of 3 right (100%; 44 to 100% with 95% confidence)")
    assert max(map(len, repr(found).splitlines())) <= 100
    assert "Not right" not in repr(found)


def test_what_is_not_right_is_told_in_text_and_on_a_page() -> None:
    script = [
        use("get_weather", town="Baku"),
        both(use("get_weather", town="Baku"), use("get_order_status", order_id="<b>")),
        say("You are welcome."),
        say("I do not know."),
    ]
    asked = [*QUESTIONS, Question("Is it cold in $town$ <here>?", "get_weather")]
    found = measure(TOOLS, asked, client(script_of(script)))
    assert [each.verdict for each in found.selections] == ["wrong", "wrong", "right", "none"]
    assert [each.called for each in found.wrong] == [
        ("get_weather",),
        ("get_weather", "get_order_status"),
    ]
    assert [each.question for each in found.missed] == [asked[3]]
    assert "get_order_status + get_weather" in repr(found)
    page = found._repr_html_()
    assert "&lt;here&gt;" in page
    assert "$" not in page.replace("&#36;", "")
    assert "<table>" in page
    lines = found.confusions.as_text().splitlines()
    assert any(line.startswith("3 get_weather") for line in lines)
    assert any(line.startswith("2 get_order_status + get_weather: called") for line in lines)


def script_of(replies: list[Any]) -> Any:
    """Each question is its own conversation, so a script cannot be played by position."""
    left = iter(replies)
    return lambda request: next(left)


def test_strong_descriptions_are_shown_to_be_better_than_weak_ones() -> None:
    shop = QuestionSet.load("shop")
    weak = measure(shop.tools("weak"), shop.questions(toolset="weak"))
    strong = measure(shop.tools("strong"), shop.questions())
    change = strong.against(weak)
    assert change.right_now > change.right_before
    assert change.p_value < 0.05
    assert "Chance alone would hardly do that" in change.summary
    assert change.better[0][:20] in repr(change)
    assert "turned" in change._repr_html_()
    rungs = ladder({"weak": weak, "strong": strong})
    assert f"weak: {len(weak.right)} of {len(weak.selections)} right" in rungs.caption


def test_samples_repeat_and_do_not_pretend_to_more_certainty() -> None:
    once, thrice = measure(TOOLS, QUESTIONS), measure(TOOLS, QUESTIONS, samples=3)
    assert len(thrice.selections) == 9
    assert thrice.interval == once.interval
    assert "3 questions 3 times each" in thrice.summary
    with pytest.raises(ValueError, match="samples=0"):
        measure(TOOLS, QUESTIONS, samples=0)


def test_a_batch_finds_the_same_at_half_the_price(capsys: pytest.CaptureFixture[str]) -> None:
    one_by_one, batch = measure(TOOLS, QUESTIONS), measure(TOOLS, QUESTIONS, batch=True)
    assert batch.selections == one_by_one.selections
    assert one_by_one.cost is not None
    assert batch.cost == pytest.approx(one_by_one.cost / 2)
    capsys.readouterr()
    with pytest.raises(BatchFailed, match=r"3 of 3 requests .* claude-nope was not found"):
        measure(TOOLS, QUESTIONS, model="claude-nope", batch=True)
    assert capsys.readouterr() == ("", "")


def test_a_batch_is_waited_for_until_it_has_ended() -> None:
    practising = client()
    body = {"model": "claude-haiku-4-5", "max_tokens": 9, "messages": [user("Hello.")]}
    requests: Any = [{"custom_id": "a", "params": body}]
    ended = practising.messages.batches.create(requests=requests)
    begun = ended.model_copy(update={"processing_status": "in_progress"})
    assert list(asking._until_ended(practising, begun)) == [begun]
    assert list(asking._until_ended(practising, ended)) == []


# --- live, against a server on this computer ---


@pytest.fixture
def nothing_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SESSION, "cap", SESSION.cap)
    monkeypatch.setattr(SESSION, "spent", 0.0)


@pytest.mark.usefixtures("nothing_spent")
@pytest.mark.parametrize("batch", [False, True])
def test_a_live_measurement_is_counted(batch: bool, capsys: pytest.CaptureFixture[str]) -> None:
    with (
        served() as base_url,
        client(live=True, base_url=base_url, api_key="x", cap=0.5) as live,
    ):
        found = measure(TOOLS, QUESTIONS, live, batch=batch)
    assert len(found.right) == 3
    assert found.cost == pytest.approx(SESSION.spent)
    assert ("A batch of 3 requests, which can cost $0.00" in capsys.readouterr().out) is batch


@pytest.mark.usefixtures("nothing_spent")
@pytest.mark.parametrize("batch", [False, True])
def test_what_could_pass_the_cap_is_not_sent(batch: bool) -> None:
    sent: list[Any] = []

    def answered(request: Any) -> Any:
        sent.append(request)
        return say("Hi.")

    with (
        served(answered) as base_url,
        client(live=True, base_url=base_url, api_key="x", cap=0.001) as live,
        pytest.raises(SpendingCapReached, match=r"These 3 requests could cost .* Nothing was"),
    ):
        measure(TOOLS, QUESTIONS, live, batch=batch)
    assert sent == []
    assert SESSION.spent == 0


# --- progress ---


def test_a_bar_is_shown_where_it_is_wanted_and_never_among_the_results(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measure(TOOLS, QUESTIONS)
    capsys.readouterr()
    for progress in (None, False):
        measure(TOOLS, QUESTIONS, progress=progress)
        assert capsys.readouterr() == ("", "")
    assert list(asking.with_progress([1, 2], "Asking", True)) == [1, 2]
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Asking" in shown.err


# --- what is refused, and what is noted ---


@pytest.mark.parametrize(
    ("tools", "questions", "named"),
    [
        ([], QUESTIONS, "no tools"),
        (TOOLS, [], "no questions"),
        ([*TOOLS, get_order_status], QUESTIONS, "'get_order_status'; the API refuses"),
        (TOOLS, [Question("Hi?", "get_wether")], "Did you mean get_weather"),
        (TOOLS, [Question("Hi?"), Question("Hi?", "get_weather")], "twice"),
        ([{"description": "?"}], QUESTIONS, "needs a name"),
    ],
)
def test_what_cannot_be_measured(tools: Any, questions: Any, named: str) -> None:
    with pytest.raises(DefinitionError, match=named):
        measure(tools, questions)


def test_wrong_types_say_what_to_write() -> None:
    with pytest.raises(TypeError, match=r"Question\("):
        measure(TOOLS, ["Where is SP-1024?"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="list"):
        measure(get_order_status, QUESTIONS)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="int"):
        measure([5], QUESTIONS)  # type: ignore[list-item]


def test_questions_asked_twice_and_other_languages_are_noted() -> None:
    asked = [
        QUESTIONS[0],
        QUESTIONS[0],
        Question("Где заказ SP-1024?", "get_order_status"),
        Question("SP-1024 necoldu?", "get_order_status", language="az"),
    ]
    found = measure(TOOLS, asked)
    assert len(found.selections) == 3
    twice, foreign, untrained = found.notes
    assert twice.startswith("1 question stood in the list before")
    assert foreign.startswith("2 questions not in English")
    assert untrained.endswith("not trained on: az.")
    assert foreign in " ".join(repr(found).split())
    assert foreign.replace("'", "&#x27;") in found._repr_html_()


def test_a_reply_that_was_cut_is_noted() -> None:
    cut = script_of([cut_off(say("And also"))])
    (note,) = measure(TOOLS, [QUESTIONS[2]], client(cut)).notes
    assert note == "1 of 1 replies ended early, at 400 tokens."


def test_five_hundred_tools() -> None:
    definitions = [
        {**tool(get_weather).to_param(), "name": f"tool_{number}", "description": ""}
        for number in range(499)
    ]
    found = measure([*definitions, get_order_status], QUESTIONS[:1])
    assert len(found.right) == 1
    assert "500 tools" in found.summary


def test_a_description_of_ten_thousand_words() -> None:
    long = {**get_order_status.to_param(), "description": get_order_status.description}
    long["description"] += " It knows orders." * 3_333
    assert len(measure([long, get_weather], QUESTIONS[:1]).right) == 1


# --- statistics ---


@pytest.fixture
def binomtest() -> Any:
    """Loaded here, since it takes most of a second and one process needs it."""
    from scipy.stats import binomtest

    return binomtest


@pytest.mark.parametrize("total", [1, 2, 7, 40, 500])
def test_the_interval_is_wilsons(total: int, binomtest: Any) -> None:
    for right in {0, 1, total // 3, total - 1, total}:
        expected = binomtest(right, total).proportion_ci(method="wilson")
        assert wilson_interval(right, total) == pytest.approx((expected.low, expected.high))


def test_the_difference_is_tested_as_mcnemar_does(binomtest: Any) -> None:
    for better in (0, 1, 3, 10, 800):
        for worse in (0, 1, 4, 10, 700):
            turned = better + worse
            expected = binomtest(better, turned).pvalue if turned else 1
            assert mcnemar(better, worse) == pytest.approx(expected)


def test_a_change_is_told_in_words() -> None:
    before, now = measured(*["none"] * 3, "right"), measured(*["right"] * 2, "wrong", "wrong")
    change = now.against(before)
    assert (change.better, change.worse) == (("0", "1"), ("3",))
    assert (change.right_before, change.right_now) == (1, 2)
    assert "Chance alone may well do that (McNemar's exact test, p = 1.0000)" in change.summary
    assert "No question turned" in now.against(now).summary
    assert repr(change).startswith("Right before: 1 of 4, now: 2.")
    with pytest.raises(ValueError, match="1 question stood in one of the two"):
        now.against(measured("right", "right", "right"))


def test_of_several_samples_the_most_decide() -> None:
    before = measured("right", "wrong", "wrong", samples=3)
    now = measured("right", "right", "wrong", samples=3)
    assert now.against(before).better == ("0",)


# --- charts ---


def test_charts_are_the_same_every_time_and_told_in_words() -> None:
    found = measured("right", "wrong", "none", "none")
    for chart in (found.chart(), ladder({"weak": found, "很 $x$": found})):
        pictures = [chart._repr_mimebundle_() for _ in range(2)]
        assert pictures[0] == pictures[1]
        data, metadata = pictures[0]
        assert data["image/png"].startswith(b"\x89PNG")
        assert data["text/plain"] == metadata["image/png"]["alt"] == repr(chart)
    assert "other for wanted: 1" in found.chart().caption
    assert "no tool for wanted: 2" in found.chart().caption
    written = {text.get_text() for text in found.chart().figure.axes[0].texts}
    assert written == {"1", "2"}
    with pytest.raises(ValueError, match="rung"):
        ladder({})


def test_without_matplotlib_a_chart_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'agentlab\[lab\]'"):
        measured("right").chart()


def test_measuring_loads_no_plotting() -> None:
    code = "import sys, agentlab.descriptions; print('matplotlib' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "False\n"


# --- the command ---


def test_the_command_measures_every_toolset_and_prints_the_same_twice(tmp_path: Path) -> None:
    path = str(store(tmp_path))
    table, again = (CliRunner().invoke(app, ["measure", path]) for _ in range(2))
    assert table.exit_code == 0, table.output
    assert table.stdout == again.stdout
    rows = [line.split() for line in table.stdout.splitlines() if line.startswith(" small")]
    assert [row[1] for row in rows] == ["weak", "named", "described", "strong"]
    as_json = CliRunner().invoke(app, ["measure", path, "--json"])
    figures = json.loads(as_json.stdout)
    assert figures[3]["right"] == figures[3]["questions"] == 3
    held_out = CliRunner().invoke(app, ["measure", path, "--json", "--held-out"])
    assert {each["questions"] for each in json.loads(held_out.stdout)} == {1}


def test_a_set_that_is_not_there_is_a_sentence() -> None:
    result = CliRunner().invoke(app, ["measure", "stop"])
    assert result.exit_code == 1
    assert "There is no set of questions 'stop'" in result.stderr


def test_figures_are_exchanged_between_their_marks(tmp_path: Path) -> None:
    figures = list(measure_sets([str(store(tmp_path))]))
    card = with_figures(f"before\n{BEGIN} old {END}\nafter\n", figures)
    assert figures_in(card) == as_markdown(figures)
    assert card.startswith("before\n")
    assert card.endswith("\nafter\n")
    assert with_figures(card, figures) == card
    assert "| small | strong | 3 | 3 | 0 | 0 | 100% (44 to 100%) | 2 of 2 |" in card
    with pytest.raises(ConfigurationError, match="no place"):
        with_figures("no marks", figures)
