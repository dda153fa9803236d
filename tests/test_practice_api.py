"""The practice API refuses what the Messages API refuses, in the API's words."""

import re
import typing
from typing import Any, Literal, get_args, get_origin

import anthropic
import pytest
from anthropic.types import tool_union_param
from practising import (
    ADD,
    HAIKU,
    MULTIPLY,
    OK,
    ask,
    assistant,
    call,
    practising,
    result,
    text,
    user,
)

from agentlab.practice import both, overloaded, pause, say, think, use
from agentlab.practice.script import sign
from agentlab.practice.tool_demands import SERVER_TOOLS

ASKED = user("What is 1 + 2?")
FORCED = {"type": "tool", "name": "add"}
BUDGET = {"type": "enabled", "budget_tokens": 1024}
THOUGHT = {"type": "thinking", "thinking": "", "signature": sign("")}
CACHED = {"type": "ephemeral"}
WITHOUT_RESULT = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: {}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
NOT_ASKED = (
    "unexpected `tool_use_id` found in `tool_result` blocks: toolu_9. Each `tool_result` block "
    "must have a corresponding `tool_use` block in the previous message."
)
SCHEMA_INVALID = (
    "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
    "(https://json-schema.org/draft/2020-12). Learn more about tool use at "
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview."
)


def refusal(messages: list[Any], **settings: Any) -> anthropic.BadRequestError:
    with pytest.raises(anthropic.BadRequestError) as caught:
        ask(practising(OK), *messages, **settings)
    return caught.value


def refused_for(messages: list[Any], **settings: Any) -> str:
    error = refusal(messages, **settings)
    assert error.type == "invalid_request_error"
    assert isinstance(error.body, dict)
    assert error.body["request_id"] == error.request_id
    return str(error.body["error"]["message"])


def image(source: dict[str, Any]) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", **source}}


def tool(**changes: Any) -> list[dict[str, Any]]:
    return [{**ADD, **changes}]


HISTORY = [
    ("unanswered", [ASKED, assistant(call()), user("Well?")], WITHOUT_RESULT.format("toolu_1")),
    (
        "two_unanswered",
        [ASKED, assistant(call(), call("toolu_2")), user("Well?")],
        WITHOUT_RESULT.format("toolu_1, toolu_2"),
    ),
    (
        "one_of_two_unanswered",
        [ASKED, assistant(call(), call("toolu_2")), user(result())],
        WITHOUT_RESULT.format("toolu_2"),
    ),
    (
        "results_not_first",
        [ASKED, assistant(call()), user(text("Here:"), result())],
        WITHOUT_RESULT.format("toolu_1"),
    ),
    (
        "unknown_id",
        [ASKED, assistant(call()), user(result(), result("toolu_9"))],
        f"messages.2.content.1: {NOT_ASKED}",
    ),
    ("nothing_asked", [user(result("toolu_9"))], f"messages.0.content.0: {NOT_ASKED}"),
    (
        "two_results",
        [ASKED, assistant(call()), user(result(), result())],
        "messages.2.content.1: each tool_use must have a single result. "
        "Found multiple `tool_result` blocks with id: toolu_1",
    ),
    (
        "same_id_twice",
        [ASKED, assistant(call(), call()), user(result())],
        "messages.1.content.1: `tool_use` ids must be unique",
    ),
    (
        "same_id_later",
        [ASKED, assistant(call()), user(result()), assistant(call()), user(result())],
        "messages.3.content.0: `tool_use` ids must be unique",
    ),
    (
        "id_characters",
        [ASKED, assistant(call("toolu 1")), user(result("toolu 1"))],
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    (
        "empty_id",
        [ASKED, assistant(call("")), user(result(""))],
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    (
        "input_as_text",
        [ASKED, assistant(call(input='{"a": 1}')), user(result())],
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ),
    ("empty_text", [user(text(""))], "messages: text content blocks must be non-empty"),
    (
        "blank_text",
        [user(text(" \n"))],
        "messages: text content blocks must contain non-whitespace text",
    ),
    (
        "empty_content",
        [ASKED, assistant(), user("Well?")],
        "messages.1: all messages must have non-empty content except for the optional final "
        "assistant message",
    ),
    (
        "empty_string",
        [user("")],
        "messages.0: all messages must have non-empty content except for the optional final "
        "assistant message",
    ),
    ("no_messages", [], "messages: at least one message is required"),
    (
        "assistant_first",
        [assistant("Hi."), ASKED],
        'messages: first message must use the "user" role',
    ),
    (
        "prefill_ends_in_space",
        [ASKED, assistant("It is ")],
        "messages: final assistant content cannot end with trailing whitespace",
    ),
    (
        "system_on_older_model",
        [ASKED, {"role": "system", "content": "Be brief."}],
        "role 'system' is not supported on this model",
    ),
    (
        "extra_field_in_message",
        [{**ASKED, "name": "Ada"}],
        "messages.0.name: Extra inputs are not permitted",
    ),
    ("message_without_content", [{"role": "user"}], "messages.0.content: Field required"),
    (
        "role_of_others",
        [{"role": "tool", "content": "3"}],
        "messages.0.role: Input should be 'user', 'assistant' or 'system'",
    ),
    (
        "content_of_no_kind",
        [{"role": "user", "content": 3}],
        "messages.0.content: Input should be a valid list",
    ),
    (
        "extra_field_in_block",
        [ASKED, assistant(call(index=0)), user(result())],
        "messages.1.content.0.tool_use.index: Extra inputs are not permitted",
    ),
    (
        "missing_field_in_block",
        [user({"type": "text"})],
        "messages.0.content.0.text.text: Field required",
    ),
    (
        "unknown_block_in_result",
        [ASKED, assistant(call()), user(result(content=[{"type": "table"}]))],
        "messages.2.content.0.tool_result.content.0: Input tag 'table' found using 'type' does "
        "not match any of the expected tags: 'browser_state', 'document', 'image', "
        "'search_result', 'text', 'tool_reference'",
    ),
    (
        "result_as_dict",
        [ASKED, assistant(call()), user(result(content={"sum": 3}))],
        "messages.2.content.0.tool_result.content: Input should be a valid list",
    ),
    (
        "picture_of_an_error",
        [ASKED, assistant(call()), user(result(content=[image({"data": "AA"})], is_error=True))],
        "messages.2.content.0.tool_result: all content must be type `text` if `is_error` is true",
    ),
    (
        "unreadable_picture",
        [user(image({"data": "", "media_type": "image/png"}))],
        "Could not process image",
    ),
    (
        "picture_of_other_kind",
        [user(image({"data": "AA", "media_type": "image/bmp"}))],
        "Could not process image",
    ),
    (
        "large_picture",
        [user(text("Look:"), image({"data": "A" * 5_404_560}))],
        "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: "
        "5404560 bytes > 5242880 bytes",
    ),
    (
        "large_picture_in_result",
        [ASKED, assistant(call()), user(result(content=[image({"data": "A" * 5_404_560})]))],
        "messages.2.content.0.tool_result.content.0.image.source.base64: image exceeds 5 MB "
        "maximum: 5404560 bytes > 5242880 bytes",
    ),
    (
        "unsigned_thinking",
        [ASKED, assistant({**THOUGHT, "signature": "mine"}, call()), user(result())],
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    (
        "edited_thinking",
        [ASKED, assistant({**THOUGHT, "thinking": "Hm."}, call()), user(result())],
        "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant "
        "message cannot be modified. These blocks must remain as they were in the original "
        "response.",
    ),
    (
        "too_long",
        [user("word " * 200_000)],
        "prompt is too long: 250548 tokens > 200000 maximum",
    ),
]


@pytest.mark.parametrize(
    ("messages", "sentence"), [pytest.param(*row, id=name) for name, *row in HISTORY]
)
def test_a_history_is_refused(messages: list[Any], sentence: str) -> None:
    assert refused_for(messages, tools=[ADD]) == sentence


@pytest.mark.parametrize("second", [result("toolu_2"), text("and so on")])
def test_what_the_api_accepts_is_accepted(second: dict[str, Any]) -> None:
    split = [user(result()), user(second)]
    asked = [call(), call("toolu_2")] if second["type"] == "tool_result" else [call()]
    assert ask(practising(lambda body: say("ok")), ASKED, assistant(*asked), *split, tools=[ADD])


SETTINGS = [
    ("tool_name_characters", {"tools": tool(name="add two")},
     "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
    ("tool_name_length", {"tools": tool(name="a" * 129)},
     "tools.0.custom.name: String should have at most 128 characters"),
    ("same_name_twice", {"tools": [ADD, ADD]}, "tools: Tool names must be unique."),
    ("tool_without_schema", {"tools": [{"name": "add"}]},
     "tools.0.custom.input_schema: Field required"),
    ("unknown_field_in_tool", {"tools": tool(parameters={})},
     "tools.0.custom.parameters: Extra inputs are not permitted"),
    ("schema_without_type", {"tools": tool(input_schema={"properties": {}})},
     "tools.0.custom.input_schema.type: Field required"),
    ("schema_of_other_type", {"tools": tool(input_schema={"type": "string"})},
     "tools.0.custom.input_schema.type: Input should be 'object'"),
    ("schema_invalid",
     {"tools": tool(input_schema={"type": "object", "properties": {"a": {"type": "float"}}})},
     SCHEMA_INVALID),
    ("schema_that_requires_wrongly",
     {"tools": tool(input_schema={"type": "object", "required": "a"})}, SCHEMA_INVALID),
    ("all_deferred", {"tools": tool(defer_loading=True)}, "All tools have defer_loading: true"),
    ("unknown_tool_type", {"tools": [{"type": "computer_20250124", "name": "computer"}]},
     f"'{HAIKU}' does not support tool types: computer_20250124. Did you mean one of "
     + ", ".join(SERVER_TOOLS)),
    ("choice_of_no_tool", {"tools": [MULTIPLY], "tool_choice": FORCED},
     "Tool 'add' not found in provided tools"),
    ("choice_without_tools", {"tool_choice": {"type": "auto"}},
     "tool_choice may only be specified while providing tools."),
    ("choice_without_name", {"tools": [ADD], "tool_choice": {"type": "tool"}},
     "tool_choice.tool.name: Field required"),
    ("forced_on_newest",
     {"model": "claude-opus-5-5", "tools": [ADD], "tool_choice": FORCED},
     'tool_choice: type "tool" and "any" are not supported for this model.'),
    ("any_on_newest",
     {"model": "claude-sonnet-5-5", "tools": [ADD], "tool_choice": {"type": "any"}},
     'tool_choice: type "tool" and "any" are not supported for this model.'),
    ("forced_while_thinking",
     {"tools": [ADD], "tool_choice": FORCED, "thinking": BUDGET, "max_tokens": 2000},
     "Thinking may not be enabled when tool_choice forces tool use."),
    ("sampling", {"extra_body": {"temperature": 0}},
     "temperature: Extra inputs are not permitted"),
    ("field_of_others", {"extra_body": {"response_format": {"type": "json"}}},
     "response_format: Extra inputs are not permitted"),
    ("field_of_the_beta", {"extra_body": {"context_management": {}}},
     "context_management: Extra inputs are not permitted"),
    ("system_of_no_kind", {"extra_body": {"system": 3}},
     "system: Input should be a valid list"),
    ("system_block_of_no_kind", {"extra_body": {"system": [{"type": "image"}]}},
     "system.0.type: Input should be 'text'"),
    ("output_too_long", {"max_tokens": 1_000_000, "timeout": 10},
     "max_tokens: 1000000 > 64000, which is the maximum allowed number of output tokens for "
     + HAIKU),
    ("max_tokens_as_text", {"extra_body": {"max_tokens": "many"}},
     "max_tokens: Input should be a valid integer"),
    ("budget_of_everything", {"thinking": BUDGET, "max_tokens": 1024},
     "`max_tokens` must be greater than `thinking.budget_tokens`."),
    ("budget_too_small", {"thinking": {"type": "enabled", "budget_tokens": 100}},
     "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"),
    ("budget_on_newer", {"model": "claude-opus-5", "thinking": BUDGET, "max_tokens": 2000},
     '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
     '"output_config.effort" to control thinking behavior.'),
    ("adaptive_on_older", {"thinking": {"type": "adaptive"}},
     "adaptive thinking is not supported on this model"),
    ("disabled_where_always_on",
     {"model": "claude-opus-5-5", "thinking": {"type": "disabled"}},
     '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and '
     '"output_config.effort" to control thinking behavior.'),
    ("effort_of_no_kind", {"extra_body": {"output_config": {"effort": "huge"}}},
     "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"),
    ("effort_unsupported",
     {"model": "claude-opus-4-6", "output_config": {"effort": "xhigh"}},
     "This model does not support effort level 'xhigh'. "
     "Supported levels: high, low, max, medium."),
    ("effort_on_older", {"output_config": {"effort": "low"}},
     "This model does not support the effort parameter."),
    ("effort_without_thinking",
     {"model": "claude-opus-5", "thinking": {"type": "disabled"},
      "output_config": {"effort": "max"}},
     "output_config.effort 'max' is not supported when thinking is disabled on this model."),
    ("blank_stop", {"stop_sequences": ["\n"]},
     "stop_sequences: each stop sequence must contain non-whitespace"),
    ("breakpoints",
     {"tools": tool(cache_control=CACHED),
      "system": [{**text("Be brief."), "cache_control": CACHED}] * 4},
     "A maximum of 4 blocks with cache_control may be provided. Found 5."),
    ("breakpoint_of_no_kind", {"extra_body": {"cache_control": {"type": "forever"}}},
     "cache_control.type: Input should be 'ephemeral'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "sentence"), [pytest.param(*row, id=name) for name, *row in SETTINGS]
)
def test_a_setting_is_refused(settings: dict[str, Any], sentence: str) -> None:
    assert refused_for([ASKED], **settings) == sentence


def test_input_and_output_together_are_too_long_for_an_older_model() -> None:
    messages = [user("word " * 120_000)]
    sentence = (
        "input length and `max_tokens` exceed context limit: 150008 + 64000 > 200000, decrease "
        "input length or `max_tokens` and try again"
    )
    assert refused_for(messages, max_tokens=64_000, timeout=10) == sentence


def test_prefill_is_refused_on_newer_models() -> None:
    sentence = (
        "This model does not support assistant message prefill. "
        "The conversation must end with a user message."
    )
    assert refused_for([ASKED, assistant("It is")], model="claude-opus-4-6") == sentence
    assert ask(practising(lambda body: say("3")), ASKED, assistant("It is")).content[0].text == "3"


def test_calls_in_the_history_need_tools() -> None:
    sentence = "Requests which include `tool_use` or `tool_result` blocks must define tools."
    assert refused_for([ASKED, assistant(call()), user(result())]) == sentence


def test_system_messages_on_newer_models() -> None:
    system = {"role": "system", "content": "Be brief."}
    first = "messages.0: use the top-level 'system' parameter for the initial system prompt"
    assert refused_for([system, ASKED], model="claude-opus-5") == first
    misplaced = refused_for([ASKED, assistant("3"), system, ASKED], model="claude-opus-5")
    assert misplaced == "messages.2: role 'system' must follow a user turn and end it"
    assert ask(practising(OK), ASKED, system, model="claude-opus-5")


THINKING_FIRST = (
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. "
    "When `thinking` is enabled, a final `assistant` message must start with a thinking block "
    "(preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you "
    "include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. "
    "Please consult our documentation at "
    "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
)


def test_thinking_has_to_come_back_with_its_calls() -> None:
    settings: dict[str, Any] = {"thinking": BUDGET, "max_tokens": 2000, "tools": [ADD]}
    history = [ASKED, assistant(call()), user(result())]
    assert refused_for(history, **settings) == THINKING_FIRST
    client = practising([use("add", a=1, b=2), say("3")])
    reply = ask(client, ASKED, **settings)
    assert [block.type for block in reply.content] == ["thinking", "tool_use"]
    kept = [ASKED, assistant(*reply.content), user(result("toolu_practice_01"))]
    assert ask(client, *kept, **settings).content[-1].text == "3"


@pytest.mark.filterwarnings("ignore:The model 'claude-mythos-preview':DeprecationWarning")
def test_thinking_cannot_be_disabled_where_a_budget_is_the_other_way() -> None:
    sentence = (
        '"thinking.type.disabled" is not supported for this model. Thinking defaults to adaptive '
        'mode when not specified; use "thinking.type.enabled" with "budget_tokens" for extended '
        "thinking."
    )
    settings: Any = {"model": "claude-mythos-preview", "thinking": {"type": "disabled"}}
    assert refused_for([ASKED], **settings) == sentence


def test_thinking_is_no_prefill() -> None:
    sentence = (
        "messages.1.content.0: When thinking is disabled, an `assistant` message in the final "
        "position cannot contain `thinking`. To use thinking blocks, enable `thinking` in your "
        "request."
    )
    assert refused_for([ASKED, assistant(THOUGHT, text("It is"))]) == sentence


def test_a_paused_reply_is_sent_back_and_goes_on() -> None:
    client = practising([pause(), say("Found it."), say("You are welcome.")])
    first = ask(client, ASKED)
    assert first.stop_reason == "pause_turn"
    second = ask(client, ASKED, assistant(*first.content))
    assert [block.type for block in second.content] == ["web_search_tool_result", "text"]
    third = ask(
        client, ASKED, assistant(*first.content), assistant(*second.content), user("Thanks.")
    )
    assert third.content[0].text == "You are welcome."


@pytest.mark.parametrize(
    ("tools", "missing"),
    [
        ([], "found but no `web_search` tool was provided"),
        (
            [{"type": "web_search_20260318", "name": "web_search"}],
            "found without a corresponding `web_search_tool_result` block",
        ),
    ],
)
def test_a_paused_reply_that_is_not_taken_up(tools: list[Any], missing: str) -> None:
    paused = ask(practising([pause()]), ASKED, tools=tools)
    sentence = f"`web_search` tool use with id `srvtoolu_practice_01` was {missing}"
    assert refused_for([ASKED, assistant(*paused.content), user("Well?")], tools=tools) == sentence


@pytest.mark.parametrize("name", ["max_tokens", "model", "messages"])
def test_a_missing_field(name: str) -> None:
    body = {"model": HAIKU, "max_tokens": 10, "messages": [ASKED]}
    del body[name]
    with pytest.raises(anthropic.BadRequestError, match=f"{name}: Field required"):
        practising(OK).post("/v1/messages", body=body, cast_to=object)


@pytest.mark.parametrize(
    "model", ["claude-nope", "claude-sonnet-4-20250514", "claude-3-5-sonnet-20241022"]
)
def test_a_model_that_is_not_there(model: str) -> None:
    with pytest.raises(anthropic.NotFoundError) as caught:
        ask(practising(OK), ASKED, model=model)
    assert caught.value.type == "not_found_error"
    assert f"model: {model} was not found. Did you mean claude-" in str(caught.value)


def test_an_unknown_address() -> None:
    with pytest.raises(anthropic.NotFoundError) as caught:
        practising(OK).get("/v1/nothing", cast_to=object)
    assert "The requested resource could not be found." in str(caught.value)


def test_a_method_that_an_address_does_not_have() -> None:
    with pytest.raises(anthropic.APIStatusError) as caught:
        practising(OK).get("/v1/messages", cast_to=object)
    assert caught.value.status_code == 405


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        ({"authorization": "Bearer bad-key"}, "Invalid bearer token"),
        ({"x-api-key": "bad-key"}, "invalid x-api-key"),
        ({"authorization": "Bearer "}, "x-api-key header is required"),
    ],
)
def test_a_key_that_is_none(headers: dict[str, str], sentence: str) -> None:
    with pytest.raises(anthropic.AuthenticationError) as caught:
        ask(practising(OK), ASKED, extra_headers=headers)
    assert caught.value.type == "authentication_error"
    assert sentence in str(caught.value)


def test_the_key_in_the_other_header_is_as_good() -> None:
    headers = {"x-api-key": "anything", "authorization": "Bearer bad-key"}
    assert ask(practising(OK), ASKED, extra_headers=headers)


def test_the_version_has_to_be_given() -> None:
    with pytest.raises(anthropic.BadRequestError, match="anthropic-version: header is required"):
        ask(practising(OK), ASKED, extra_headers={"anthropic-version": anthropic.omit})


@pytest.mark.parametrize("content", [b"not json", b"[]", b'{"messages": "\\ud83d"}'])
def test_a_body_that_is_not_json(content: bytes) -> None:
    with pytest.raises(anthropic.BadRequestError, match="The request body is not valid JSON: "):
        practising(OK).post("/v1/messages", content=content, cast_to=object)


def test_a_body_that_is_too_large() -> None:
    with pytest.raises(anthropic.APIStatusError) as caught:
        practising(OK).post("/v1/messages", content=b" " * (32 * 1024 * 1024 + 1), cast_to=object)
    assert caught.value.status_code == 413
    assert caught.value.type == "request_too_large"


def test_threads_are_refused_so_that_the_tool_runner_goes_on_without() -> None:
    error = refusal([ASKED], extra_body={"thread": {"type": "create"}})
    assert error.error_code == "thread_unsupported_request"


@pytest.mark.parametrize("settings", [{}, {"thread": False}], ids=["thread", "no_thread"])
def test_the_tool_runner_finishes_a_conversation(settings: dict[str, Any]) -> None:
    @anthropic.beta_tool
    def add(a: float, b: float) -> str:
        """Add two numbers."""
        return str(a + b)

    @anthropic.beta_tool
    def multiply(a: float, b: float) -> str:
        """Multiply two numbers."""
        return str(a * b)

    client = practising([use("add", a=2, b=3), use("multiply", a=5, b=4), say("It is 20.")])
    runner = client.beta.messages.tool_runner(
        model=HAIKU, max_tokens=500, messages=[ASKED], tools=[add, multiply], **settings
    )
    assert [block.type for message in runner for block in message.content] == [
        "tool_use",
        "tool_use",
        "text",
    ]


def test_ids_are_counted_on() -> None:
    client = practising([both(use("add"), use("add")), use("add"), use("add", id="mine")])
    first = ask(client, ASKED, tools=[ADD])
    assert first.id == "msg_practice_01"
    assert first._request_id == "req_practice_01"
    assert [block.id for block in first.content] == ["toolu_practice_01", "toolu_practice_02"]
    history = [ASKED, assistant(*first.content)]
    history.append(user(*(result(block.id) for block in first.content)))
    second = ask(client, *history, tools=[ADD])
    assert (second.id, second.content[0].id) == ("msg_practice_02", "toolu_practice_03")
    history += [assistant(*second.content), user(result("toolu_practice_03"))]
    assert ask(client, *history, tools=[ADD]).content[0].id == "mine"
    assert ask(client, ASKED, tools=[ADD]) == first


def test_tokens_are_estimated_of_all_that_is_sent() -> None:
    client = practising(OK)
    few = client.messages.count_tokens(model=HAIKU, messages=[ASKED]).input_tokens
    more = client.messages.count_tokens(
        model=HAIKU, messages=[ASKED], system="Be brief.", tools=[ADD]
    ).input_tokens
    forced = client.messages.count_tokens(
        model=HAIKU, messages=[ASKED], system="Be brief.", tools=[ADD], tool_choice=FORCED
    ).input_tokens
    assert few < 20
    assert forced - more == 588 - 496
    assert ask(client, ASKED, system="Be brief.", tools=[ADD]).usage.input_tokens == more


def test_a_picture_is_not_counted_by_its_characters() -> None:
    client = practising(OK)
    large = user(image({"data": "A" * 2_000_000}))
    assert client.messages.count_tokens(model=HAIKU, messages=[large]).input_tokens < 2000


def test_counting_has_no_max_tokens() -> None:
    with pytest.raises(anthropic.BadRequestError, match="max_tokens: Extra inputs are not permit"):
        practising(OK).messages.count_tokens(
            model=HAIKU, messages=[ASKED], extra_body={"max_tokens": 5}
        )


def test_the_models_are_listed_page_by_page() -> None:
    client = practising(OK)
    listed = list(client.models.list(limit=5))
    assert HAIKU in [model.id for model in listed]
    assert len({model.id for model in listed}) == len(listed) > 20
    page = client.models.list(limit=5)
    assert (len(page.data), page.has_more) == (5, True)
    before = client.models.list(limit=3, before_id=listed[4].id)
    assert [model.id for model in before.data] == [model.id for model in listed[1:4]]
    assert client.models.retrieve(HAIKU).max_tokens == 64_000
    assert client.models.retrieve("claude-3-opus-20240229").lifecycle == "retired"
    with pytest.raises(anthropic.NotFoundError):
        client.models.retrieve("claude-nope")
    with pytest.raises(anthropic.BadRequestError, match="limit: "):
        client.models.list(limit=0)


def test_a_batch_is_worked_off_at_once() -> None:
    client = practising([use("add", a=1, b=2)])
    params: Any = {"model": HAIKU, "max_tokens": 100, "messages": [ASKED], "tools": [ADD]}
    wrong = {**params, "messages": []}
    batch = client.messages.batches.create(
        requests=[{"custom_id": "a", "params": params}, {"custom_id": "b", "params": wrong}]
    )
    assert batch.processing_status == "ended"
    assert (batch.request_counts.succeeded, batch.request_counts.errored) == (1, 1)
    good, bad = client.messages.batches.results(batch.id)
    assert good.result.type == "succeeded"
    assert good.result.message.content[0].type == "tool_use"
    assert bad.result.type == "errored"
    assert bad.result.error.error.message == "messages: at least one message is required"
    assert client.messages.batches.retrieve(batch.id) == batch
    assert client.messages.batches.cancel(batch.id) == batch
    another = client.messages.batches.create(requests=[{"custom_id": "a", "params": params}])
    assert [each.id for each in client.messages.batches.list(limit=1)] == [another.id, batch.id]
    client.messages.batches.delete(batch.id)
    with pytest.raises(anthropic.NotFoundError):
        client.messages.batches.results(batch.id)
    third = client.messages.batches.create(requests=[{"custom_id": "a", "params": params}])
    assert third.id not in (batch.id, another.id)


@pytest.mark.parametrize(
    ("requests", "sentence"),
    [
        ([], "requests: List should have at least 1 item after validation, not 0"),
        (
            [{"custom_id": "a b", "params": {}}],
            "requests.0.custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
        ),
        ([{"custom_id": "a"}], "requests.0.params: Field required"),
        ([{"params": {}}], "requests.0.custom_id: Field required"),
        (
            [{"custom_id": "a", "params": {}}] * 2,
            "requests: custom_id must be unique within a batch",
        ),
    ],
)
def test_a_batch_that_is_none(requests: Any, sentence: str) -> None:
    with pytest.raises(anthropic.BadRequestError, match=re.escape(sentence)):
        practising(OK).messages.batches.create(requests=requests)


def test_a_bug_of_our_own_is_no_connection_error() -> None:
    def broken(body: dict[str, Any]) -> Any:
        raise KeyError("left")

    seen: list[int] = []

    def counting(body: dict[str, Any]) -> Any:
        seen.append(1)
        return broken(body)

    with pytest.raises(anthropic.InternalServerError, match="KeyError: 'left'"):
        ask(practising(counting), ASKED)
    assert len(seen) == 1


def test_the_practice_model_thinks_where_the_model_would() -> None:
    chosen = ask(practising(), ASKED, model="claude-opus-5")
    assert [block.type for block in chosen.content] == ["thinking", "text"]
    written = ask(practising([both(think("Hm."), say("3"))]), ASKED, model="claude-opus-5")
    assert [block.type for block in written.content] == ["thinking", "text"]
    assert [b.type for b in ask(practising(OK), ASKED, model="claude-opus-5").content] == ["text"]


def test_faults_come_before_replies_that_are_chosen() -> None:
    client = practising(faults={0: [overloaded()]})
    raw = client.messages.with_raw_response.create(model=HAIKU, max_tokens=100, messages=[ASKED])
    assert raw.retries_taken == 1


def test_the_server_tools_are_those_of_the_sdk() -> None:
    types: set[str] = set()
    for shape in get_args(tool_union_param.ToolUnionParam):
        kind = typing.get_type_hints(shape, include_extras=True).get("type")
        types |= literals(kind)
    assert types - {"custom"} == set(SERVER_TOOLS)


def literals(hint: Any) -> set[str]:
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    return {each for part in get_args(hint) for each in literals(part)}
