"""The practice model's choices, answers and manners, on questions written before it was tuned."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import own_tools
import pytest
import shop_questions

from agentlab import Agent, ask, client
from agentlab.practice import brain
from agentlab.practice.choosing import Card, rank
from agentlab.shop import Shop
from agentlab.tools import Context, Tool, tool

MOST_STEPS = 6


@dataclass
class Talk:
    """A small loop of the tests' own: what was called, and what was said in the end."""

    tools: list[Tool]
    options: dict[str, Any] = field(default_factory=dict)
    messages: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    replies: list[int] = field(default_factory=list)
    """How many calls each reply held."""
    text: str | None = None
    """The last words; `None` where the model was still calling after the last step."""

    def ask(self, question: str) -> "Talk":
        self.messages.append({"role": "user", "content": question})
        self.calls, self.replies, self.text = [], [], None
        for _ in range(MOST_STEPS):
            calls = self._reply()
            if not calls:
                return self
            self.messages.append({"role": "user", "content": [self._run(call) for call in calls]})
        return self

    def _reply(self) -> list[dict[str, Any]]:
        body = {"messages": self.messages, "tools": [t.to_param() for t in self.tools]}
        reply = brain.choose(body | self.options)
        turn = len(self.messages)
        blocks = [
            {**block, "id": f"toolu_{turn}_{place}"} if block["type"] == "tool_use" else block
            for place, block in enumerate(reply.content)
        ]
        self.messages.append({"role": "assistant", "content": blocks})
        calls = [block for block in blocks if block["type"] == "tool_use"]
        assert reply.stop_reason == ("tool_use" if calls else "end_turn")
        self.replies.append(len(calls))
        if not calls:
            self.text = blocks[0]["text"]
        return calls

    def _run(self, call: dict[str, Any]) -> dict[str, Any]:
        self.calls.append((call["name"], call["input"]))
        chosen = next(each for each in self.tools if each.name == call["name"])
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": call["id"]}
        try:
            value = chosen.invoke(chosen.parse(call["input"]), Context())
        except Exception as error:
            return {**result, "content": str(error), "is_error": True}
        return {**result, "content": value if isinstance(value, str) else json.dumps(value)}


def talk(*tools: Tool, **options: Any) -> Talk:
    return Talk(list(tools), options)


def shop_talk(**options: Any) -> Talk:
    return Talk(Shop().tools, options)


@pytest.mark.parametrize(("question", "calls"), shop_questions.QUESTIONS)
def test_the_shops_questions_are_answered_by_the_right_call(question, calls):
    asked = shop_talk().ask(question)
    assert asked.calls == calls
    assert asked.text


@pytest.mark.parametrize(("question", "calls"), shop_questions.SEVERAL)
def test_several_wishes_are_called_for_in_one_reply(question, calls):
    asked = shop_talk().ask(question)
    assert asked.calls == calls
    assert asked.replies == [len(calls), 0]


@pytest.mark.parametrize("question", shop_questions.NO_TOOL)
def test_where_no_tool_fits_there_is_an_honest_sentence(question):
    asked = shop_talk().ask(question)
    assert asked.calls == []
    assert asked.text


@pytest.mark.parametrize(("question", "wanted"), shop_questions.MISSING)
def test_what_is_missing_is_asked_for_and_not_invented(question, wanted):
    asked = shop_talk().ask(question)
    assert asked.calls == []
    assert asked.text.endswith("?")
    assert any(word in asked.text for word in wanted.split("|"))


def test_on_questions_it_was_not_tuned_on_nine_in_ten_are_right():
    right = [
        question
        for question, calls in shop_questions.UNTUNED
        if shop_talk().ask(question).calls == calls
    ]
    assert len(right) >= 0.9 * len(shop_questions.UNTUNED)


@pytest.mark.parametrize(("tools", "question", "calls"), own_tools.QUESTIONS)
def test_learners_own_tools_are_called(tools, question, calls):
    asked = talk(*tools).ask(question)
    assert asked.calls == calls
    assert asked.text


@pytest.mark.parametrize(("tools", "question"), own_tools.NO_TOOL)
def test_learners_own_tools_are_not_called_for_something_else(tools, question):
    assert talk(*tools).ask(question).calls == []


def test_what_the_tools_can_do_is_said_where_none_fits():
    text = shop_talk().ask("What will the weather be in Baku tomorrow?").text
    assert text.startswith("I have no tool for that.")
    assert "track_shipment (tell where a parcel is now)" in text


def test_the_wish_that_no_tool_serves_is_named_beside_the_answer():
    asked = shop_talk().ask("Where is SP-1025 and what is the weather in Paris?")
    assert asked.calls == shop_questions.status("SP-1025")
    assert "I have no tool for “what is the weather in Paris”." in asked.text


@pytest.mark.parametrize("state", ["packed", "lost in the snow"])
def test_the_answer_is_made_of_the_result(state):
    @tool
    def get_parcel(number: str) -> dict[str, Any]:
        """Tell where a parcel is.

        Args:
            number: the number on the parcel, e.g. P-12.
        """
        return {"number": number, "state": state, "weight": None}

    text = talk(get_parcel).ask("Where is parcel P-77?").text
    assert text == f"For P-77, the state is {state}."


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ([], "find_things(pens) found nothing."),
        ("", "find_things(pens) found nothing."),
        ("Two pens lie on the desk", "Two pens lie on the desk."),
        (3, "The result of find_things(pens) is 3."),
        (True, "The answer of find_things(pens) is yes."),
        (["red", "blue"], "I found red and blue."),
        ([{"name": "pen", "price": 2.5, "currency": "EUR"}], "I found 1: pen, price 2.5 EUR."),
        ({"colours": ["red"], "open": False}, "the colours are red and the open is no."),
    ],
)
def test_results_of_every_form_become_sentences(result, answer):
    @tool
    def find_things(query: str) -> Any:
        """Find things by what they are."""
        return result

    assert talk(find_things).ask("Find things: pens").text.endswith(answer)


def test_several_results_are_all_told():
    text = shop_talk().ask("What is the status of SP-1025 and SP-1030?").text
    assert "For SP-1025, the status is packed" in text
    assert "For SP-1030, the status is cancelled" in text


def test_an_error_is_told_in_its_own_words():
    text = shop_talk().ask("Where is my order SP-9999?").text
    assert "There is no order SP-9999. Order numbers look like SP-1024." in text


def test_an_error_that_says_what_was_expected_is_put_right_once():
    @tool
    def get_temperature(city: str, unit: str) -> str:
        """Get the temperature in a city, in some unit."""
        if unit not in ("metric", "imperial"):
            raise ValueError(f"unit must be 'metric' or 'imperial'; found {unit!r}")
        return f"It is 20 degrees in {city}, {unit}"

    asked = talk(get_temperature).ask("What is the temperature in Paris in celsius?")
    assert [call["unit"] for _, call in asked.calls] == ["celsius", "metric"]
    assert asked.text == "It is 20 degrees in Paris, metric."


def test_a_tool_that_always_fails_is_not_called_again_and_again():
    @tool
    def get_weather(city: str) -> str:
        """Get the weather in a city."""
        raise RuntimeError("the weather service is closed")

    asked = talk(get_weather).ask("What is the weather in Paris?")
    assert len(asked.calls) == 1
    assert "the weather service is closed" in asked.text


def test_a_result_gives_what_the_question_lacks():
    asked = shop_talk().ask("When will my order SP-1028 arrive?")
    assert asked.calls == [
        ("get_order_status", {"order_id": "SP-1028"}),
        ("track_shipment", {"tracking_number": "TRK-88207"}),
    ]
    assert "the expected date is 2026-06-19" in asked.text


def test_a_detour_finds_the_argument_that_is_missing():
    @tool
    def find_customer(email: str) -> dict[str, str]:
        """Find a customer by e-mail address."""
        return {"customer_id": "C-7", "email": email}

    @tool
    def get_points(customer_id: str) -> int:
        """Tell how many bonus points a customer has.

        Args:
            customer_id: the customer's number, e.g. C-1.
        """
        return 42

    asked = talk(find_customer, get_points).ask("How many bonus points has ann@example.com got?")
    assert asked.calls == [
        ("find_customer", {"email": "ann@example.com"}),
        ("get_points", {"customer_id": "C-7"}),
    ]
    assert "42" in asked.text


def test_nothing_is_refunded_on_the_way_to_an_answer():
    for question in ("Where is SP-1026?", "How do I return something?", "SP-1035", "too late!"):
        assert "refund_order" not in [name for name, _ in shop_talk().ask(question).calls]


def test_one_call_at_a_time_where_parallel_calls_are_off():
    asked = shop_talk(tool_choice={"type": "auto", "disable_parallel_tool_use": True})
    asked.ask("What is the status of SP-1024, SP-1025 and SP-1026?")
    assert asked.calls == shop_questions.status("SP-1024", "SP-1025", "SP-1026")
    assert asked.replies == [1, 1, 1, 0]


def test_tool_choice_none_is_answered_in_words():
    assert shop_talk(tool_choice={"type": "none"}).ask("Where is SP-1024?").calls == []


def test_tool_choice_any_calls_even_for_a_greeting_and_another_tool_each_time():
    asked = shop_talk(tool_choice={"type": "any"}).ask("Hello!")
    assert asked.replies == [1] * MOST_STEPS
    assert len({name for name, _ in asked.calls}) == MOST_STEPS


def test_tool_choice_any_prefers_the_tool_that_fits():
    asked = shop_talk(tool_choice={"type": "any"}).ask("Where is SP-1024?")
    assert asked.calls[0] == ("get_order_status", {"order_id": "SP-1024"})


def test_tool_choice_tool_calls_that_tool():
    choice = {"type": "tool", "name": "search_products"}
    asked = shop_talk(tool_choice=choice).ask("Where is SP-1024?")
    assert {name for name, _ in asked.calls} == {"search_products"}


def test_a_conversation_is_followed():
    asked = shop_talk()
    assert asked.ask("Where is my parcel?").text.endswith("?")
    assert asked.ask("TRK-88213").calls == shop_questions.track("TRK-88213")
    assert asked.ask("and TRK-88207?").calls == shop_questions.track("TRK-88207")
    assert asked.ask("What about SP-1025?").calls == shop_questions.status("SP-1025")
    assert asked.ask("Thanks!").text == "You are welcome."
    assert asked.ask("How much is 100 dollars in manat?").calls
    assert asked.ask("and in euros?").calls == shop_questions.convert(100, "USD", "EUR")


def test_without_tools_there_are_words():
    assert brain.choose({"messages": [{"role": "user", "content": "Hello!"}]}).content
    assert brain.choose({"messages": []}).content


def test_a_long_text_without_tools_is_summed_up_in_its_own_sentences():
    text = (
        "Bees live in colonies of many thousands. Each colony has one queen. "
        "The weather was fine on Tuesday. Worker bees collect nectar from flowers. "
        "From the nectar the colony makes honey for the winter. My shoes are brown. "
    )
    reply = brain.choose({"messages": [{"role": "user", "content": "Sum up: " + text * 2}]})
    said = reply.content[0]["text"]
    assert "colon" in said
    assert len(said) < 200


@tool
def search_web(query: str) -> list[dict[str, str]]:
    """Search the web and return pages with their url and title."""
    names = ("guide", "tips")
    return [{"title": f"RAG {name}", "url": f"https://{name}.example/rag"} for name in names]


@tool
def fetch_pages(urls: list[str]) -> list[dict[str, str]]:
    """Fetch the text of web pages."""
    return [{"url": url, "text": "Chunk your documents. Measure retrieval."} for url in urls]


@tool
def write_report(title: str, content: str, sources: list[str]) -> str:
    """Write the report, which ends the work.

    Args:
        title: what the report is called.
        content: the report in Markdown.
        sources: the addresses it rests on.
    """
    return "saved"


RESEARCH = (search_web, fetch_pages, write_report)


def test_the_system_prompts_numbered_list_is_the_order_of_work():
    steps = "1. Call search_web.\n2. Call fetch_pages.\n3. End by calling write_report."
    asked = talk(*RESEARCH, system=f"You do research.\n{steps}").ask("RAG best practices")
    assert [name for name, _ in asked.calls] == ["search_web", "fetch_pages", "write_report"]
    report = asked.calls[-1][1]
    assert report["title"] == "RAG best practices"
    assert report["sources"] == ["https://guide.example/rag", "https://tips.example/rag"]
    assert "Measure retrieval" in report["content"]


def test_without_a_word_about_the_end_no_report_is_written():
    @tool
    def save_report(title: str, content: str) -> str:
        """Save a report."""
        return "saved"

    asked = talk(search_web, save_report).ask("Search the web for RAG best practices.")
    assert [name for name, _ in asked.calls] == ["search_web"]


def test_text_beside_tool_results_is_no_new_question():
    messages = [
        {"role": "user", "content": "Where is SP-1025?"},
        {
            "role": "assistant",
            "content": [
                {
                    "type": "tool_use",
                    "id": "toolu_1",
                    "name": "get_order_status",
                    "input": {"order_id": "SP-1025"},
                }
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "It is packed by now"},
                {"type": "text", "text": "Step 2 of 10."},
            ],
        },
    ]
    tools = [each.to_param() for each in Shop().tools]
    reply = brain.choose({"messages": messages, "tools": tools})
    assert reply.content == ({"type": "text", "text": "It is packed by now."},)


def test_a_better_description_wins_the_question():
    schema = {"type": "object", "properties": {}}
    weak = Card("data", "gets data", schema)
    strong = Card("opening_hours", "Tell when the shop opens and closes.", schema)
    assert rank("When do you close tonight?", [weak, strong])[0].card is strong


def test_what_a_tool_does_not_do_is_left_out_of_its_meaning():
    card = Card(
        "get_order",
        "Gets an order. Call it when the parcel is not known. Does not track parcels. "
        "It cannot refund. Use e.g. after a call.",
        {},
    )
    assert card.sentences == (
        "Gets an order.",
        "Call it when the parcel is not known.",
        "Use for example after a call.",
    )


def test_the_occasions_of_a_sentence_are_read_one_by_one():
    card = Card("x", "Tell points. Use it when someone asks for points, free gifts or bonus.", {})
    assert card.occasions == ("Tell points.", "free gifts")


def test_what_a_described_parameter_takes_tells_it_from_a_like_tool():
    def card(**described: str) -> Card:
        properties = {"path": {"type": "string", **described}}
        return Card("handle", "Handles it.", {"properties": properties, "required": ["path"]})

    plain, described = card(), card(description="The file's path.")
    ranked = rank("Do it with src/a.py", [plain, described])
    assert ranked[0].card is described
    assert (ranked[0].claimed, ranked[1].claimed) == (1.0, 0.0)


def test_about_says_that_it_is_not_claude():
    assert "not Claude" in brain.about()
    assert "\n" not in brain.about()


def test_another_process_with_another_hash_seed_and_threads_says_the_same():
    questions = [question for question, _ in shop_questions.QUESTIONS[::3]]
    questions += ["Hello!", "Where is SP-1024 and what do 3 cups at 12.50 cost?", "Compare them."]
    told = {_elsewhere(questions, seed, threads) for seed, threads in (("0", "1"), ("7", "2"))}
    tools = [each.to_param() for each in Shop().tools]
    here = [
        brain.choose({"messages": [{"role": "user", "content": each}], "tools": tools}).content
        for each in questions
    ]
    assert told == {json.dumps(here)}


def _elsewhere(questions: list[str], seed: str, threads: str) -> str:
    program = (
        "import json, sys\n"
        "from agentlab.practice import brain\n"
        "from agentlab.shop import Shop\n"
        "tools = [each.to_param() for each in Shop().tools]\n"
        "print(json.dumps([brain.choose({'messages': [{'role': 'user', 'content': q}],"
        " 'tools': tools}).content for q in json.loads(sys.argv[1])]))"
    )
    environment = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
    }
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(questions)],
        env=environment,
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_a_result_made_by_str_is_read_like_json() -> None:
    def get_stock(product: str) -> str:
        """Tell how many pieces of a product are in stock."""
        return str({"product": product, "in_stock": 4})

    question = "How many pieces of the red mug are in stock?"
    run = ask(Agent("a", "", [get_stock]), question, client=client())
    assert "4" in run.answer
    assert "{" not in run.answer
