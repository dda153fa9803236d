"""Which fields a request may have and what may stand in them: the first thing the API checks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError


class Strict(BaseModel):
    """A shape in which every field is known."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Open(BaseModel):
    """A shape of the API that is passed on without looking inside."""

    model_config = ConfigDict(extra="allow")


class CacheControl(Strict):
    """Marks a block as the end of a part that may be cached."""

    type: Literal["ephemeral"]
    ttl: Literal["5m", "1h"] | None = None


class TextBlock(Strict):
    """Text."""

    type: Literal["text"]
    text: str
    cache_control: CacheControl | None = None
    citations: list[Any] | None = None


class Source(Open):
    """Where the data of a picture is."""

    type: Literal["base64", "url", "file"]


class ImageBlock(Strict):
    """A picture."""

    type: Literal["image"]
    source: Source
    cache_control: CacheControl | None = None
    transformations: dict[str, Any] | None = None


class ToolUseBlock(Strict):
    """A call. Its id and input are left to the rule book."""

    type: Literal["tool_use"]
    id: Any
    name: str
    input: Any
    caller: Any = None
    cache_control: CacheControl | None = None
    toolset_name: str | None = None


class ToolResultBlock(Strict):
    """The answer to a call. Its content is checked by itself."""

    type: Literal["tool_result"]
    tool_use_id: str
    content: Any = ""
    is_error: bool | None = None
    cache_control: CacheControl | None = None
    toolset_name: str | None = None


class ThinkingBlock(Strict):
    """Thinking, with the signature that proves it unchanged."""

    type: Literal["thinking"]
    thinking: str
    signature: str


class RedactedThinkingBlock(Strict):
    """Thinking that is not shown."""

    type: Literal["redacted_thinking"]
    data: str


class OtherBlock(Open):
    """A block that the practice API carries along without reading it."""

    type: Literal[
        "document",
        "search_result",
        "server_tool_use",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_search_tool_result",
        "container_upload",
    ]


class ToolReference(Open):
    """A document, a search result or a tool in the content of a tool_result."""

    type: Literal["document", "search_result", "tool_reference"]


ContentBlock = Annotated[
    TextBlock
    | ImageBlock
    | ToolUseBlock
    | ToolResultBlock
    | ThinkingBlock
    | RedactedThinkingBlock
    | OtherBlock,
    Field(discriminator="type"),
]
ResultBlock = Annotated[TextBlock | ImageBlock | ToolReference, Field(discriminator="type")]


class ToolDefinition(Strict):
    """A tool of the caller's own. Its name and schema have rules of their own."""

    name: str
    input_schema: dict[str, Any]
    description: str | None = None
    type: Literal["custom"] | None = None
    cache_control: CacheControl | None = None
    strict: bool | None = None
    input_examples: list[dict[str, Any]] | None = None
    defer_loading: bool | None = None
    allowed_callers: list[str] | None = None
    eager_input_streaming: bool | None = None


class AutoOrAny(Strict):
    """The model decides, or must call something."""

    type: Literal["auto", "any"]
    disable_parallel_tool_use: bool | None = None


class OneTool(Strict):
    """The model must call this tool."""

    type: Literal["tool"]
    name: str
    disable_parallel_tool_use: bool | None = None


class NoTool(Strict):
    """The model must not call."""

    type: Literal["none"]


class Enabled(Strict):
    """Thinking with a budget."""

    type: Literal["enabled"]
    budget_tokens: int = Field(ge=1024)
    display: Literal["summarized", "omitted"] | None = None


class Adaptive(Strict):
    """Thinking as much as the model sees fit."""

    type: Literal["adaptive"]
    display: Literal["summarized", "omitted"] | None = None


class Unbudgeted(Strict):
    """No thinking, or thinking between tools only."""

    type: Literal["disabled", "between_tools"]


class Metadata(Strict):
    """Who the request is for."""

    user_id: str | None = None


class OutputConfig(Strict):
    """How much effort to make, and in which form to answer."""

    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    format: dict[str, Any] | None = None


class Countable(Strict):
    """What `/v1/messages/count_tokens` takes."""

    model: str
    messages: list[Any]
    cache_control: CacheControl | None = None
    output_config: OutputConfig | None = None
    output_format: dict[str, Any] | None = None
    speed: Literal["standard", "fast"] | None = None
    system: Any = None
    thinking: Annotated[Enabled | Adaptive | Unbudgeted, Field(discriminator="type")] | None = None
    tool_choice: Annotated[AutoOrAny | OneTool | NoTool, Field(discriminator="type")] | None = None
    tools: list[Any] | None = None


class Creatable(Countable):
    """What `/v1/messages` takes."""

    max_tokens: int = Field(ge=0)
    container: str | dict[str, Any] | None = None
    diagnostics: dict[str, Any] | None = None
    inference_geo: str | None = None
    metadata: Metadata | None = None
    service_tier: Literal["auto", "standard_only"] | None = None
    stop_sequences: list[str] | None = None
    stream: bool | None = None


_BLOCKS: TypeAdapter[Any] = TypeAdapter(ContentBlock)
_RESULT_BLOCKS: TypeAdapter[Any] = TypeAdapter(ResultBlock)
_MESSAGE_FIELDS = ("role", "content")
_UNTAGGED = ("function-after", "tagged-union", "list[", "dict[")


def field_problem(body: Mapping[str, Any], shape: type[Countable]) -> str | None:
    """The first field of a request that is missing, unknown or misshapen, in the API's words.

    Args:
        body: the request.
        shape: `Creatable` or `Countable`, for the two endpoints.
    """
    return next(_problems(body, shape), None)


def _problems(body: Mapping[str, Any], shape: type[Countable]) -> Iterator[str]:
    try:
        shape.model_validate(body)
    except ValidationError as error:
        yield _words(error)
    yield from _system(body.get("system"))
    for index, message in enumerate(body["messages"]):
        yield from _message(f"messages.{index}", message)
    for index, definition in enumerate(body.get("tools") or ()):
        yield from _tool(f"tools.{index}", definition)


def _system(system: Any) -> Iterator[str]:
    if isinstance(system, (list, tuple)):
        for index, block in enumerate(system):
            yield from _fits(TypeAdapter(TextBlock), block, f"system.{index}")
    elif system is not None and not isinstance(system, str):
        yield "system: Input should be a valid string or list"


def _message(path: str, message: Any) -> Iterator[str]:
    if not isinstance(message, Mapping):
        yield f"{path}: Input should be a valid dictionary"
        return
    for name in _MESSAGE_FIELDS:
        if name not in message:
            yield f"{path}.{name}: Field required"
    for name in message:
        if name not in _MESSAGE_FIELDS:
            yield f"{path}.{name}: Extra inputs are not permitted"
    content = message.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        for index, block in enumerate(content):
            yield from _fits(_BLOCKS, block, f"{path}.content.{index}")
            if isinstance(block, Mapping) and block.get("type") == "tool_result":
                yield from _result(f"{path}.content.{index}.tool_result", block)
    elif not isinstance(content, str):
        yield f"{path}.content: Input should be a valid string or list"


def _result(path: str, block: Mapping[str, Any]) -> Iterator[str]:
    content = block.get("content", "")
    if isinstance(content, str):
        return
    if not isinstance(content, Sequence):
        yield f"{path}.content: Input should be a valid string or list"
        return
    for index, part in enumerate(content):
        yield from _fits(_RESULT_BLOCKS, part, f"{path}.content.{index}")
        if block.get("is_error") and part.get("type") != "text":
            yield f"{path}: all content must be type `text` if `is_error` is true"


def _tool(path: str, definition: Any) -> Iterator[str]:
    if isinstance(definition, Mapping) and definition.get("type", "custom") != "custom":
        return  # a server tool; which models know it is checked elsewhere
    yield from _fits(TypeAdapter(ToolDefinition), definition, f"{path}.custom")


def _fits(shape: TypeAdapter[Any], value: Any, path: str) -> Iterator[str]:
    try:
        shape.validate_python(value)
    except ValidationError as error:
        yield _words(error, path)


def _words(error: ValidationError, path: str = "") -> str:
    detail = error.errors(include_url=False, include_context=False)[0]
    steps = [str(step) for step in detail["loc"] if not str(step).startswith(_UNTAGGED)]
    place = ".".join([path, *steps] if path else steps)
    text = detail["msg"]
    if detail["type"] == "union_tag_invalid":
        text = text.replace("Input tag", "Input tag", 1)
    return f"{place}: {text}" if place else text
