"""The shapes of a request: which fields it may have and what may stand in them.

The fields are those of the SDK's own parameter types, and `null` may stand where those allow it.
What has rules or messages of its own is `Any` here and checked elsewhere.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

OMITTED: Any = None
"""Stands for a field that may be left out, also where it must not be null."""


class Strict(BaseModel):
    """A shape in which every field is known."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Open(BaseModel):
    """A shape of the API that is passed on without looking inside."""

    model_config = ConfigDict(extra="allow")


class CacheControl(Strict):
    """Marks a block as the end of a part that may be cached."""

    type: Literal["ephemeral"]
    ttl: Literal["5m", "1h"] = OMITTED


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
    caller: dict[str, Any] | None = None  # null is what `model_dump()` of a reply writes
    cache_control: CacheControl | None = None
    toolset_name: str | None = None


class ToolResultBlock(Strict):
    """The answer to a call. Its content is checked by itself."""

    type: Literal["tool_result"]
    tool_use_id: str
    content: Any = OMITTED
    is_error: bool = OMITTED
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


class ServerToolUseBlock(Open):
    """A call of a tool that the API runs itself."""

    type: Literal["server_tool_use"]
    id: str
    name: str
    input: dict[str, Any]


class ServerToolResultBlock(Open):
    """What became of a call of a tool that the API runs itself."""

    type: Literal[
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_search_tool_result",
    ]
    tool_use_id: str
    content: Any


class OtherBlock(Open):
    """A block that the practice API carries along without reading it."""

    type: Literal["document", "search_result", "container_upload"]


class OtherResultBlock(Open):
    """A part of a tool_result that the practice API carries along without reading it."""

    type: Literal["browser_state", "document", "search_result", "tool_reference"]


class Message(Strict):
    """One message; its blocks are checked one by one."""

    role: Literal["user", "assistant", "system"]
    content: Any


ContentBlock = Annotated[
    TextBlock
    | ImageBlock
    | ToolUseBlock
    | ToolResultBlock
    | ThinkingBlock
    | RedactedThinkingBlock
    | ServerToolUseBlock
    | ServerToolResultBlock
    | OtherBlock,
    Field(discriminator="type"),
]
ResultBlock = Annotated[TextBlock | ImageBlock | OtherResultBlock, Field(discriminator="type")]


class ToolDefinition(Strict):
    """A tool of the caller's own. Its name and schema have rules of their own."""

    name: str
    input_schema: dict[str, Any]
    description: str = OMITTED
    type: Literal["custom"] | None = None
    cache_control: CacheControl | None = None
    strict: bool = OMITTED
    input_examples: list[dict[str, Any]] = OMITTED
    defer_loading: bool = OMITTED
    allowed_callers: list[
        Literal[
            "direct",
            "code_execution_20250825",
            "code_execution_20260120",
            "code_execution_20260521",
        ]
    ] = OMITTED
    eager_input_streaming: bool | None = None


class ServerTool(Open):
    """A tool that the API brings along. Which types there are is checked elsewhere."""

    type: str
    name: str = OMITTED
    cache_control: CacheControl | None = None
    defer_loading: bool = OMITTED


class AutoOrAny(Strict):
    """The model decides, or must call something."""

    type: Literal["auto", "any"]
    disable_parallel_tool_use: bool = OMITTED


class OneTool(Strict):
    """The model must call this tool."""

    type: Literal["tool"]
    name: str
    disable_parallel_tool_use: bool = OMITTED


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


Thinking = Annotated[Enabled | Adaptive | Unbudgeted, Field(discriminator="type")]
ToolChoice = Annotated[AutoOrAny | OneTool | NoTool, Field(discriminator="type")]


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
    output_config: OutputConfig = OMITTED
    output_format: dict[str, Any] | None = None
    speed: Literal["standard", "fast"] | None = None
    system: Any = OMITTED
    thinking: Thinking = OMITTED
    tool_choice: ToolChoice = OMITTED
    tools: list[Any] = OMITTED


class Creatable(Countable):
    """What `/v1/messages` takes."""

    max_tokens: int = Field(ge=0)
    container: Any = None
    diagnostics: dict[str, Any] | None = None
    inference_geo: str | None = None
    metadata: Metadata = OMITTED
    service_tier: Literal["auto", "standard_only"] = OMITTED
    stop_sequences: list[str] = OMITTED
    stream: bool = OMITTED


class CreatableBefore2026(Creatable):
    """What `/v1/messages` takes in its version of 2023, which is still served."""

    temperature: float = Field(default=OMITTED, ge=0, le=1)
    top_p: float = Field(default=OMITTED, ge=0, le=1)
    top_k: int = Field(default=OMITTED, ge=0)


class BatchedRequest(Strict):
    """One request of a batch; its `params` are checked when its turn comes."""

    custom_id: str = Field(pattern="^[a-zA-Z0-9_-]{1,64}$")
    params: dict[str, Any]


class Batch(Strict):
    """What `/v1/messages/batches` takes."""

    requests: list[BatchedRequest] = Field(min_length=1, max_length=100_000)
