"""The description lab without a browser: edits are measured, and held-out questions stay hidden."""

from typing import Any

import pytest

from agentlab.descriptions import Question, QuestionSet, measure
from agentlab.descriptions.lab import DescriptionLab, Workbench
from agentlab.errors import DefinitionError

VAGUE = [
    {"name": "get", "description": "Gets data.", "input_schema": {"type": "object"}},
    {"name": "do", "description": "Does a task.", "input_schema": {"type": "object"}},
]
QUESTIONS = [
    Question("What is the weather like in Baku?", "get"),
    Question("Will it rain tomorrow?", "get"),
    Question("Send a letter to Leyla.", "do"),
    Question("Write Murad a mail.", "do"),
]
HELD_OUT = [Question("Is it cold outside?", "get")]
WEATHER = "Looks up the weather of a place: rain, temperature and wind."
MAIL = "Sends a letter or a mail to a person."


def lab(**options: Any) -> DescriptionLab:
    return DescriptionLab(VAGUE, QUESTIONS, HELD_OUT, **options)


def command(made: DescriptionLab, **content: Any) -> Any:
    """What a page's command is answered with."""
    answers: list[Any] = []
    made.send = answers.append  # type: ignore[method-assign]
    made._receive(made, content, [])
    (answer,) = answers
    assert answer["answer"] == content["command"]
    return answer["problem"]


def test_an_edit_moves_the_figures() -> None:
    made = lab()
    before = made.state["right"]
    made.edit(0, description=WEATHER)
    made.edit(1, name="send_mail", description=MAIL)
    assert made.state["right"] == 4 > before
    assert made.state["accuracy"] == 1.0
    assert len(made.state["better"]) == 4 - before
    assert made.state["worse"] == []
    assert [each["label"] for each in made.state["history"]] == ["as it was", "get", "send_mail"]
    assert repr(made) == "DescriptionLab: 4 of 4 questions right (100%), 2 tools"
    direct = measure(
        made.tools, [*QUESTIONS[:2], *(Question(q.text, "send_mail") for q in QUESTIONS[2:])]
    )
    assert len(direct.right) == 4


def test_the_tools_that_came_are_left_alone() -> None:
    made = lab()
    made.edit(0, name="weather")
    assert VAGUE[0]["name"] == "get"
    made.reset()
    assert made.state["tools"][0] == {"name": "get", "description": "Gets data."}
    assert made.state["history"][-1]["label"] == "reset"
    assert made.state["right"] == len(made.history[0].measurement.right)


def test_an_edit_that_changes_nothing_is_not_measured() -> None:
    made = lab()
    made.edit(0, name="get", description="Gets data.")
    assert len(made.history) == 1


def test_held_out_questions_are_asked_when_somebody_says_so() -> None:
    made = lab()
    assert made.state["heldOut"] is None
    assert not any("cold" in str(value) for value in made.state.values())
    made.edit(0, description=WEATHER)
    assert command(made, command="held_out") is None
    assert made.state["heldOut"].startswith("1 of 1 right")
    made.edit(0, description="Gets data.")
    assert made.state["heldOut"] is None
    with pytest.raises(DefinitionError, match="No held-out questions"):
        DescriptionLab(VAGUE, QUESTIONS).ask_held_out()


def test_what_a_page_asks_for() -> None:
    made = lab()
    assert command(made, command="edit", tool=0, name="get", description=WEATHER) is None
    assert made.state["right"] > made.history[0].measurement.accuracy
    problem = command(made, command="edit", tool=0, name="do", description=WEATHER)
    assert problem == "Another tool is named 'do' already."
    problem = command(made, command="edit", tool=0, name="two words", description=WEATHER)
    assert "The API would refuse the name 'two words'" in problem
    assert made.state["tools"][0]["name"] == "get"
    assert command(made, command="reset") is None
    assert "which is no command" in command(made, command="dance")


def test_a_shipped_set() -> None:
    made = DescriptionLab.of("shop")
    shop = QuestionSet.load("shop")
    assert len(made.questions) == len(shop.questions())
    assert {q.text for q in made.questions}.isdisjoint(q.text for q in made.held_out_questions)
    weak = made.measurement.accuracy
    for place, strong in list(enumerate(shop.tools("strong")))[:3]:
        made.edit(place, name=strong["name"], description=strong["description"])
    assert made.measurement.accuracy > weak


def test_without_widgets_there_are_figures() -> None:
    bench = Workbench(VAGUE, QUESTIONS)
    bench.edit(0, description=WEATHER)
    assert repr(bench).startswith("DescriptionLab: ")


def test_the_stored_output_is_text() -> None:
    bundle = lab()._repr_mimebundle_()[0]
    assert bundle["text/plain"] == repr(lab())
    assert "questions right" in bundle["text/html"]
