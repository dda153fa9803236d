"""Which field of a request is missing, unknown or misshapen: the first thing the API checks."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from agentlab.practice.shapes import (
    ContentBlock,
    Countable,
    Message,
    ResultBlock,
    TextBlock,
    ToolDefinition,
)

_MESSAGE: TypeAdapter[Any] = TypeAdapter(Message)
_BLOCK: TypeAdapter[Any] = TypeAdapter(ContentBlock)
_RESULT_BLOCK: TypeAdapter[Any] = TypeAdapter(ResultBlock)
_SYSTEM_BLOCK: TypeAdapter[Any] = TypeAdapter(TextBlock)
_TOOL: TypeAdapter[Any] = TypeAdapter(ToolDefinition)


def field_problem(body: Mapping[str, Any], shape: type[Countable]) -> str | None:
    """The first field of a request that is missing, unknown or misshapen, in the API's words.

    The API writes a place as pydantic does, `messages.0.content.1.tool_use.name`, and uses
    pydantic's sentences; so the checks are pydantic's.

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
        if _is_custom(definition):
            yield from _fits(_TOOL, definition, f"tools.{index}.custom")


def _system(system: Any) -> Iterator[str]:
    if isinstance(system, list):
        for index, block in enumerate(system):
            yield from _fits(_SYSTEM_BLOCK, block, f"system.{index}")
    elif system is not None and not isinstance(system, str):
        yield "system: Input should be a valid string or list"


def _message(path: str, message: Any) -> Iterator[str]:
    yield from _fits(_MESSAGE, message, path)
    content = message["content"]
    if isinstance(content, list):
        for index, block in enumerate(content):
            yield from _fits(_BLOCK, block, f"{path}.content.{index}")
            if block["type"] == "tool_result":
                yield from _result(f"{path}.content.{index}.tool_result", block)
    elif not isinstance(content, str):
        yield f"{path}.content: Input should be a valid string or list"


def _result(path: str, block: Mapping[str, Any]) -> Iterator[str]:
    content = block.get("content")
    if isinstance(content, list):
        for index, part in enumerate(content):
            yield from _fits(_RESULT_BLOCK, part, f"{path}.content.{index}")
            if block.get("is_error") and part["type"] != "text":
                yield f"{path}: all content must be type `text` if `is_error` is true"
    elif content is not None and not isinstance(content, str):
        yield f"{path}.content: Input should be a valid string or list"


def _is_custom(definition: Any) -> bool:
    """Whether a tool is the caller's own; which models know a server tool is checked elsewhere."""
    return not isinstance(definition, Mapping) or definition.get("type") in (None, "custom")


def _fits(shape: TypeAdapter[Any], value: Any, path: str) -> Iterator[str]:
    """What does not fit; the caller stops at the first problem, so the rest may rely on the fit."""
    try:
        shape.validate_python(value)
    except ValidationError as error:
        yield _words(error, path)


def _words(error: ValidationError, path: str | None = None) -> str:
    detail = error.errors(include_url=False)[0]
    place = ".".join([*([path] if path else []), *map(str, detail["loc"])])
    return f"{place}: {_sentence(detail)}"


def _sentence(detail: ErrorDetails) -> str:
    if detail["type"] != "union_tag_invalid":
        return detail["msg"]
    allowed = ", ".join(sorted(detail["ctx"]["expected_tags"].split(", ")))
    return (
        f"Input tag {detail['ctx']['tag']!r} found using 'type' does not match any of the "
        f"expected tags: {allowed}"
    )
