"""Which field of a request is missing, unknown or misshapen: the first thing the API checks."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from agentlab.practice.shapes import (
    ContentBlock,
    Countable,
    Message,
    ResultBlock,
    ServerTool,
    TextBlock,
    ToolDefinition,
)

_MESSAGE: TypeAdapter[Any] = TypeAdapter(Message)
_BLOCK: TypeAdapter[Any] = TypeAdapter(ContentBlock)
_RESULT_BLOCK: TypeAdapter[Any] = TypeAdapter(ResultBlock)
_SYSTEM_BLOCK: TypeAdapter[Any] = TypeAdapter(TextBlock)
_TOOL: TypeAdapter[Any] = TypeAdapter(ToolDefinition)
_SERVER_TOOL: TypeAdapter[Any] = TypeAdapter(ServerTool)


def field_problem(body: Mapping[str, Any], shape: type[Countable]) -> str | None:
    """The first field of a request that is missing, unknown or misshapen, in the API's words.

    The API writes a place as pydantic does, `messages.0.content.1.tool_use.name`, and uses
    pydantic's sentences; so the checks are pydantic's.

    Args:
        body: the request.
        shape: `Creatable` or `Countable`, for the two endpoints.
    """
    return next(_problems(body, shape), None)


def shape_problem(value: Any, shape: type[BaseModel]) -> str | None:
    """The first field of `value` that does not fit its shape, in the API's words."""
    try:
        shape.model_validate(value)
    except ValidationError as error:
        return _words(error)
    return None


def _problems(body: Mapping[str, Any], shape: type[Countable]) -> Iterator[str]:
    """Every problem; each check may rely on the ones before, as only the first problem is read."""
    if problem := shape_problem(body, shape):
        yield problem
    if "system" in body:
        yield from _text_or_blocks(_SYSTEM_BLOCK, body["system"], "system")
    for index, message in enumerate(body["messages"]):
        yield from _message(f"messages.{index}", message)
    for index, definition in enumerate(body.get("tools", ())):
        yield from _tool(f"tools.{index}", definition)


def _message(path: str, message: Any) -> Iterator[str]:
    yield from _fits(_MESSAGE, message, path)
    content = message["content"]
    yield from _text_or_blocks(_BLOCK, content, f"{path}.content")
    for index, block in enumerate([] if isinstance(content, str) else content):
        if block["type"] == "tool_result" and "content" in block:
            yield from _result(f"{path}.content.{index}.tool_result", block)


def _result(path: str, block: Mapping[str, Any]) -> Iterator[str]:
    content = block["content"]
    yield from _text_or_blocks(_RESULT_BLOCK, content, f"{path}.content")
    only_text = isinstance(content, str) or all(part["type"] == "text" for part in content)
    if block.get("is_error") and not only_text:
        yield f"{path}: all content must be type `text` if `is_error` is true"


def _text_or_blocks(shape: TypeAdapter[Any], content: Any, path: str) -> Iterator[str]:
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        yield f"{path}: Input should be a valid list"  # the API does not mention text here
    for index, block in enumerate(content):
        yield from _fits(shape, block, f"{path}.{index}")


def _tool(path: str, definition: Any) -> Iterator[str]:
    """A tool of the caller's own or one of the API's; which of these exist is checked elsewhere."""
    if isinstance(definition, Mapping) and definition.get("type") not in (None, "custom"):
        yield from _fits(_SERVER_TOOL, definition, path)
    else:
        yield from _fits(_TOOL, definition, f"{path}.custom")


def _fits(shape: TypeAdapter[Any], value: Any, path: str) -> Iterator[str]:
    try:
        shape.validate_python(value)
    except ValidationError as error:
        yield _words(error, path)


def _words(error: ValidationError, path: str | None = None) -> str:
    detail = error.errors(include_url=False)[0]
    place = ".".join([*([path] if path else []), *map(str, detail["loc"])])
    return f"{place}: {_sentence(detail)}"


def _sentence(detail: ErrorDetails) -> str:
    """Pydantic's sentence, without the names of our own classes."""
    if detail["type"] == "model_type":
        return "Input should be a valid dictionary"
    if detail["type"] != "union_tag_invalid":
        return detail["msg"]
    allowed = ", ".join(sorted(detail["ctx"]["expected_tags"].split(", ")))
    return (
        f"Input tag {detail['ctx']['tag']!r} found using 'type' does not match any of the "
        f"expected tags: {allowed}"
    )
