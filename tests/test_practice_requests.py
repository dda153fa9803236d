"""The fields of a request, the schemas and pictures in it, and requests that nobody would write."""

import base64
import json
import struct
import typing
from typing import Any

import anthropic
import anthropic.types as sdk
import pytest
from anthropic.types import message_count_tokens_params, message_create_params
from practising import ADD, HAIKU, OK, ask, assistant, call, practising, result, text, user

from agentlab.practice import shapes, use
from agentlab.practice.script import sign

ASKED = user("What is 1 + 2?")
OF_HEADERS = {"user_profile_id", "workspace_id"}
"""Parameters of the SDK's methods that it sends as headers."""


def refused_for(*messages: Any, **settings: Any) -> str:
    with pytest.raises(anthropic.BadRequestError) as caught:
        ask(practising(OK), *messages, **settings)
    return sentence_of(caught.value)


def sentence_of(error: anthropic.APIStatusError) -> str:
    assert isinstance(error.body, dict)
    return str(error.body["error"]["message"])


# --- fields


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (shapes.TextBlock, sdk.TextBlockParam),
        (shapes.ImageBlock, sdk.ImageBlockParam),
        (shapes.ToolUseBlock, sdk.ToolUseBlockParam),
        (shapes.ToolResultBlock, sdk.ToolResultBlockParam),
        (shapes.ThinkingBlock, sdk.ThinkingBlockParam),
        (shapes.RedactedThinkingBlock, sdk.RedactedThinkingBlockParam),
        (shapes.ToolDefinition, sdk.ToolParam),
        (shapes.AutoOrAny, sdk.ToolChoiceAnyParam),
        (shapes.OneTool, sdk.ToolChoiceToolParam),
        (shapes.NoTool, sdk.ToolChoiceNoneParam),
        (shapes.Enabled, sdk.ThinkingConfigEnabledParam),
        (shapes.Adaptive, sdk.ThinkingConfigAdaptiveParam),
        (shapes.Metadata, sdk.MetadataParam),
        (shapes.OutputConfig, sdk.OutputConfigParam),
        (shapes.CacheControl, sdk.CacheControlEphemeralParam),
        (shapes.Creatable, message_create_params.MessageCreateParamsNonStreaming),
        (shapes.Countable, message_count_tokens_params.MessageCountTokensParams),
    ],
)
def test_the_fields_are_those_of_the_sdk(ours: type[shapes.Strict], theirs: type) -> None:
    of_the_sdk = set(typing.get_type_hints(theirs)) - OF_HEADERS
    assert set(ours.model_fields) - {"output_format"} == of_the_sdk


@pytest.mark.parametrize(
    "name",
    ["system", "tools", "tool_choice", "thinking", "metadata", "stop_sequences", "stream"],
)
def test_null_is_refused_where_a_field_may_only_be_left_out(name: str) -> None:
    assert refused_for(ASKED, extra_body={name: None}).startswith(f"{name}: Input should be")


@pytest.mark.parametrize("name", ["cache_control", "container", "diagnostics", "inference_geo"])
def test_null_is_accepted_where_the_sdk_has_it(name: str) -> None:
    assert ask(practising(OK), ASKED, extra_body={name: None})


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            user(result(content=None)),
            "messages.2.content.0.tool_result.content: Input should be a valid list",
        ),
        (
            user(result(is_error="yes")),
            "messages.2.content.0.tool_result.is_error: Input should be a valid boolean",
        ),
        (
            user(result(is_error=None)),
            "messages.2.content.0.tool_result.is_error: Input should be a valid boolean",
        ),
        (
            user({"type": "tool_result"}),
            "messages.2.content.0.tool_result.tool_use_id: Field required",
        ),
        ({"role": "user", "content": None}, "messages.2.content: Input should be a valid list"),
        (
            {"role": "user", "content": ["3"]},
            "messages.2.content.0: Input should be a valid dictionary or object to extract "
            "fields from",
        ),
        ("3", "messages.2: Input should be a valid dictionary"),
        (
            user({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search"}),
            "messages.2.content.0.server_tool_use.input: Field required",
        ),
    ],
)
def test_a_message_of_the_wrong_shape(wrong: Any, sentence: str) -> None:
    assert refused_for(ASKED, assistant(call()), wrong, tools=[ADD]) == sentence


def test_a_result_without_content_is_accepted() -> None:
    empty = {"type": "tool_result", "tool_use_id": "toolu_1"}
    client = practising(lambda body: OK[0])
    assert ask(client, ASKED, assistant(call()), user(empty), tools=[ADD])


def test_true_is_no_number() -> None:
    assert refused_for(ASKED, max_tokens=True) == "max_tokens: Input should be a valid integer"


def test_a_reply_can_be_sent_back_as_it_was_dumped() -> None:
    client = practising([use("add", a=1, b=2), *OK])
    reply = ask(client, ASKED, tools=[ADD])
    dumped = [block.model_dump() for block in reply.content]
    answer = user(result(reply.content[0].id))
    assert ask(client, ASKED, assistant(*dumped), answer, tools=[ADD]).content[0].text == "ok"


def test_the_system_prompt_has_no_empty_block() -> None:
    sentence = "system: text content blocks must be non-empty"
    assert refused_for(ASKED, system=[text("Be brief."), text("")]) == sentence


def test_automatic_caching_takes_one_of_the_four_places() -> None:
    cached = {"type": "ephemeral"}
    system = [{**text("Be brief."), "cache_control": cached}] * 4
    assert ask(practising(OK), ASKED, system=system)
    assert refused_for(ASKED, system=system, cache_control=cached) == (
        "A maximum of 4 blocks with cache_control may be provided. Found 5."
    )


# --- the version of 2023


def test_the_older_version_still_has_sampling() -> None:
    older = {"anthropic-version": "2023-06-01"}
    for setting in ({"temperature": 0.5}, {"top_p": 1}, {"top_k": 40}):
        assert ask(practising(OK), ASKED, extra_headers=older, extra_body=setting)
        (name,) = setting
        newer = refused_for(ASKED, extra_body=setting)
        assert newer == f"{name}: Extra inputs are not permitted"
    both = {"temperature": 0.5, "top_p": 0.5}
    assert refused_for(ASKED, extra_headers=older, extra_body=both) == (
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    )
    too_hot = refused_for(ASKED, extra_headers=older, extra_body={"temperature": 2})
    assert too_hot == "temperature: Input should be less than or equal to 1"


# --- JSON


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "Expecting value: line 1 column 1 (char 0)"),
        (b"[]", "expected an object, found list"),
        (b'{"max_tokens": NaN}', "NaN is no JSON number"),
        (b'{"a": -Infinity}', "-Infinity is no JSON number"),
        (rb'{"a": "\ud83d"}', "no low surrogate in string: line 1 column 8 (char 7)"),
        (rb'{"a": "\ud83d\u0041"}', "no low surrogate in string: line 1 column 8 (char 7)"),
        (rb'{"a": "\\\uDE00"}', "no low surrogate in string: line 1 column 10 (char 9)"),
    ],
)
def test_what_is_no_json(content: bytes, sentence: str) -> None:
    with pytest.raises(anthropic.BadRequestError) as caught:
        practising(OK).post("/v1/messages", content=content, cast_to=object)
    assert sentence_of(caught.value) == f"The request body is not valid JSON: {sentence}"


@pytest.mark.parametrize("content", [b'"\xff"', b"[" * 100_000])
def test_what_cannot_even_be_read(content: bytes) -> None:
    with pytest.raises(anthropic.BadRequestError, match="is not valid JSON"):
        practising(OK).post("/v1/messages", content=content, cast_to=object)


def test_escaped_characters_are_whole() -> None:
    body = {"model": HAIKU, "max_tokens": 10, "messages": [user("🎉 \\ud83d \\\\")]}
    assert b"\\ud83c" in json.dumps(body).encode()
    reply = practising(OK).post("/v1/messages", content=json.dumps(body).encode(), cast_to=object)
    assert reply["content"] == [text("ok")]  # type: ignore[index]


# --- schemas that the model is held to


def schema(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def strict(**changes: Any) -> dict[str, Any]:
    return {"name": "note", "strict": True, "input_schema": {**schema(), **changes}}


OPEN = "For 'object' type, 'additionalProperties' must be explicitly set to false"
UNFIT = [
    (strict(additionalProperties=True), OPEN),
    (strict(properties={"a": {"type": "object"}}), OPEN),
    (strict(properties={"a": {"type": "array", "items": {"type": "object"}}}), OPEN),
    (strict(**{"$defs": {"A": {"type": "object"}}}), OPEN),
    (
        strict(**schema(a={"type": "integer", "minimum": 0, "maximum": 9})),
        "For 'integer' type, properties maximum, minimum are not supported",
    ),
    (
        strict(**schema(a={"type": "string", "maxLength": 9})),
        "For 'string' type, property 'maxLength' is not supported",
    ),
    (
        strict(**schema(a={"type": "array", "minItems": 2})),
        "For 'array' type, 'minItems' values other than 0 or 1 are not supported",
    ),
    *(
        (
            strict(**schema(a={"type": "string", "pattern": pattern})),
            f"Unsupported regex feature in pattern field: {pattern}",
        )
        for pattern in ("^(?!a)", "(?<=a)b", r"(a)\1", r"\ba")
    ),
]


@pytest.mark.parametrize(("definition", "sentence"), UNFIT)
def test_a_strict_tool_is_refused(definition: dict[str, Any], sentence: str) -> None:
    assert refused_for(ASKED, tools=[definition]) == f"tools.0.custom: {sentence}"
    assert ask(practising(OK), ASKED, tools=[{**definition, "strict": False}])
    form = {"type": "json_schema", "schema": definition["input_schema"]}
    assert refused_for(ASKED, output_config={"format": form}) == (
        f"output_config.format.schema: {sentence}"
    )


def test_strict_tools_may_be_too_many() -> None:
    sentence = "Schema is too complex for compilation."
    tools = [{**strict(), "name": f"note_{number}"} for number in range(21)]
    assert refused_for(ASKED, tools=tools) == sentence
    assert ask(practising(OK), ASKED, tools=tools[:20])
    many = {f"p{number}": {"type": "string"} for number in range(25)}
    assert refused_for(ASKED, tools=[strict(properties=many)]) == sentence
    assert ask(practising(OK), ASKED, tools=[strict(**schema(**many))])


# --- pictures


def picture(width: int, height: int) -> dict[str, Any]:
    """The beginning of a PNG file, which says how large it is."""
    start = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    data = base64.b64encode(start).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def test_a_picture_that_is_too_wide() -> None:
    assert ask(practising(OK), user(picture(8000, 10)))
    assert refused_for(user(picture(10, 10), picture(10, 8001))) == (
        "messages.0.content.1.image.source.base64.data: At least one of the image dimensions "
        "exceed max allowed size: 8000 pixels"
    )


def test_many_pictures_must_be_smaller() -> None:
    assert ask(practising(OK), user(*[picture(2001, 10)] * 20))
    assert refused_for(user(*[picture(2001, 10)] * 21)) == (
        "messages.0.content.0.image.source.base64.data: At least one of the image dimensions "
        "exceed max allowed size for many-image requests: 2000 pixels"
    )


@pytest.mark.parametrize("data", ["", "no base64!", "AAA", 5, None])
def test_a_picture_that_cannot_be_read(data: Any) -> None:
    broken = picture(1, 1)
    broken["source"]["data"] = data
    assert refused_for(user(broken)) == "Could not process image"


def test_a_picture_from_elsewhere_is_not_looked_at() -> None:
    source = {"type": "url", "url": "https://pictures.invalid/cat.png"}
    assert ask(practising(OK), user({"type": "image", "source": source}))


# --- requests that nobody would write

ODD_VALUES = [None, True, -1, 0.5, 10**20, "", "odd", [], [None], [{}], {}, {"type": "odd"}]
WHOLE_REQUEST: dict[str, Any] = {
    "model": "claude-sonnet-4-6",
    "max_tokens": 2000,
    "system": [text("Be brief.")],
    "messages": [
        ASKED,
        assistant(text("I add."), call()),
        user(result(content=[text("3"), picture(1, 1)]), text("Well?")),
        assistant(
            {"type": "thinking", "thinking": "", "signature": sign("")},
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        ),
        user("Go on."),
    ],
    "tools": [
        {**ADD, "strict": False, "cache_control": {"type": "ephemeral", "ttl": "1h"}},
        {"type": "web_search_20260318", "name": "web_search"},
    ],
    "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
    "thinking": {"type": "enabled", "budget_tokens": 1024},
    "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": schema()}},
    "stop_sequences": ["END"],
    "metadata": {"user_id": "ada"},
}


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a request."""
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, (dict, list)):
        inner = list(value.items() if isinstance(value, dict) else enumerate(value))
    return [path, *(each for key, part in inner for each in paths(part, (*path, key)))]


def changed(body: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of a request with another value at one place."""
    if not path:
        return value
    first, *rest = path
    part = changed(body[first], tuple(rest), value)
    if isinstance(body, dict):
        return {**body, first: part}
    return [*body[:first], part, *body[first + 1 :]]


def test_the_whole_request_is_in_order() -> None:
    assert practising(lambda body: OK[0]).messages.create(**WHOLE_REQUEST)


@pytest.mark.parametrize("value", ODD_VALUES, ids=repr)
def test_whatever_is_wrong_is_told_and_breaks_nothing(value: Any) -> None:
    client = practising(lambda body: OK[0], max_retries=0)
    for path in paths(WHOLE_REQUEST):
        body = changed(WHOLE_REQUEST, path, value)
        batch = {"requests": [{"custom_id": "a", "params": body}]}
        assert status_of(client, "/v1/messages", body) in (200, 400, 404), path
        assert status_of(client, "/v1/messages/batches", batch) in (200, 400), path


def status_of(client: anthropic.Anthropic, address: str, body: Any) -> int:
    try:
        client.post(address, body=body, cast_to=object)
    except anthropic.APIStatusError as error:
        return error.status_code
    return 200
