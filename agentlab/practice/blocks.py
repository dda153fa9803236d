"""The blocks of a transcript, one after the other, each with its place."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlab.rules import Place

Block = Mapping[str, Any]


def places(messages: Sequence[Mapping[str, Any]]) -> Iterator[Place]:
    """Every block of `messages`, in order; plain text is one block."""
    for index, message in enumerate(messages):
        for position, block in enumerate(as_blocks(message["content"])):
            yield Place(index, position, block)


def parts_of_results(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Block]]:
    """Every block inside a tool_result, with its path as the API writes it."""
    for place in places(messages):
        if place.kind == "tool_result":
            for position, part in enumerate(as_blocks(place.block.get("content"))):
                yield f"{place.path}.tool_result.content.{position}", part


def every_block(messages: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    """Every block of `messages`, those inside of tool_results included, without its place."""
    for message in messages:
        for block in as_blocks(message["content"]):
            yield block
            if block["type"] == "tool_result":
                yield from as_blocks(block.get("content"))


def as_blocks(content: str | Sequence[Block] | None) -> Sequence[Block]:
    """The content of a message or a tool_result as blocks; none where it is empty."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content or []
