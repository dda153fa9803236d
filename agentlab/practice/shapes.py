"""The shapes of a request: which fields it may have and what may stand in them.

The fields are those of the SDK's own parameter types. What has rules or messages of its own is
`Any` here and checked elsewhere.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


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
    | OtherBlock,
    Field(discriminator="type"),
]
ResultBlock = Annotated[TextBlock | ImageBlock | OtherResultBlock, Field(discriminator="type")]


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
