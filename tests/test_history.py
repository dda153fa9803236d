"""What definitions cost, and two ways to carry fewer of them."""

import json

import pytest
from jsonschema import Draft202012Validator

from agentlab import Agent, Context, ask, check_run, client, tool
from agentlab.errors import DefinitionError
from agentlab.history import deferred, fold, on_demand, tokens
from agentlab.practice import say, use
from agentlab.shop import shop

READING = [each for each in shop.tools if not tool(each).destructive]


def test_definitions_cost_what_the_api_counts() -> None:
    api = client([])
    counts = [tokens(READING[:many], client=api) for many in range(len(READING) + 1)]
    assert tokens([tool(each).to_param() for each in READING], client=api) == counts[-1]
    assert counts[0] == 0
    assert counts == sorted(set(counts))
    message = [{"role": "user", "content": "Hello."}]
    definitions = [tool(each).to_param() for each in READING]
    whole = api.messages.count_tokens(model="claude-haiku-4-5", messages=message, tools=definitions)
    bare = api.messages.count_tokens(model="claude-haiku-4-5", messages=message)
    assert counts[-1] == whole.input_tokens - bare.input_tokens


def test_folded_and_found_tools_cost_less() -> None:
    api = client([])
    whole = tokens(READING, client=api)
    assert tokens([fold("shop", READING)], client=api) < 0.7 * whole
    assert tokens(on_demand(READING), client=api) < 0.5 * whole


def test_a_folded_tool_does_what_the_tool_does() -> None:
    folded = fold("shop", READING, "Look things up in the shop.")
    Draft202012Validator.check_schema(folded.input_schema)
    assert folded.input_schema["properties"]["action"]["enum"] == [tool(t).name for t in READING]
    assert "- get_order_status(order_id): " in folded.description
    assert folded.description.startswith("Look things up in the shop.")
    call = {"action": "get_order_status", "arguments": {"order_id": "SP-1024"}}
    script = [
        use("shop", call),
        use("shop", {**call, "arguments": {"order": "SP-1024"}}),
        use("shop", {**call, "action": "fly"}),
        use("shop", {"action": "get_order_status"}),
        say("done"),
    ]
    run = ask(Agent("desk", "", [folded]), "go", client=client(script))
    assert json.loads(run.outcomes[0].text) == shop.get_order_status("SP-1024")
    assert [outcome.status for outcome in run.outcomes] == [
        "ran",
        "failed",
        "invalid_arguments",
        "invalid_arguments",
    ]
    assert "order_id: missing" in run.outcomes[1].text
    assert check_run(run) == []


def test_the_context_reaches_folded_tools() -> None:
    def note(word: str, context: Context) -> str:
        """Note a word."""
        context["word"] = word
        return "noted"

    script = [use("one", {"action": "note", "arguments": {"word": "x"}}), say("done")]
    context = Context()
    ask(Agent("desk", "", [fold("one", [note])]), "go", client=client(script), context=context)
    assert context == {"word": "x"}


def test_a_destructive_fold_needs_a_yes() -> None:
    @tool(destructive=True)
    def drop(table: str) -> str:
        """Drop a table."""
        return "dropped"

    folded = fold("database", [drop])
    assert folded.destructive
    script = [use("database", {"action": "drop", "arguments": {"table": "x"}}), say("done")]
    run = ask(Agent("desk", "", [folded]), "go", client=client(script))
    assert run.outcomes[0].status == "denied"
    with pytest.raises(DefinitionError, match="find_orders and refund_order cannot be folded"):
        fold("shop", [shop.find_orders, shop.refund_order])
    with pytest.raises(DefinitionError, match="refund_order cannot be called through another"):
        on_demand([shop.find_orders, shop.refund_order])


def test_tools_are_described_on_demand() -> None:
    find_tools, call_tool = on_demand(READING)
    script = [
        use("find_tools", query="Where is order SP-1024?"),
        use("call_tool", {"name": "get_order_status", "arguments": {"order_id": "SP-1024"}}),
        use("call_tool", {"name": "fly", "arguments": {}}),
        say("done"),
    ]
    run = ask(Agent("desk", "", [find_tools, call_tool]), "go", client=client(script))
    found = json.loads(run.outcomes[0].text)
    assert found[0] == tool(shop.get_order_status).to_param()
    assert len(found) == 3
    assert json.loads(run.outcomes[1].text) == shop.get_order_status("SP-1024")
    assert "There is no 'fly'. There are: " in run.outcomes[2].text


def test_nothing_cannot_be_folded() -> None:
    with pytest.raises(DefinitionError, match="no tool to fold 'x'"):
        fold("x", [])
    with pytest.raises(DefinitionError, match="no tool to describe on demand"):
        on_demand([])


def test_deferred_definitions_are_accepted_and_cost_little() -> None:
    api = client([say("ok")])
    definitions = deferred(READING, keep=["find_orders"])
    message = [{"role": "user", "content": "Hello."}]
    reply = api.messages.create(
        model="claude-haiku-4-5", max_tokens=50, messages=message, tools=definitions
    )
    assert reply.content[0].text == "ok"
    shown = [each["name"] for each in definitions if not each.get("defer_loading")]
    assert shown == ["tool_search_tool_bm25", "find_orders"]
    assert tokens(definitions, client=api) < 0.5 * tokens(READING, client=api)


def test_what_is_kept_has_to_be_there() -> None:
    with pytest.raises(DefinitionError, match="no 'nothing' to keep"):
        deferred(READING, keep=["nothing"])
