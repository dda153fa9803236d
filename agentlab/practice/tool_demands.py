"""What the API demands of the tools of a request, and of the choice among them."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from agentlab.models import Model
from agentlab.practice.blocks import places
from agentlab.schemas import is_schema

LONGEST_NAME = 128
NAME_PATTERN = "^[a-zA-Z0-9_-]{1,128}$"
SCHEMA_INVALID = (
    "JSON schema is invalid. It must match JSON Schema draft 2020-12 "
    "(https://json-schema.org/draft/2020-12). Learn more about tool use at "
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview."
)
SERVER_TOOLS = (
    "bash_20250124",
    "browser_toolset_20260801",
    "code_execution_20250522",
    "code_execution_20250825",
    "code_execution_20260120",
    "code_execution_20260521",
    "computer_toolset_20260801",
    "memory_20250818",
    "text_editor_20250124",
    "text_editor_20250429",
    "text_editor_20250728",
    "tool_search_tool_bm25",
    "tool_search_tool_bm25_20251119",
    "tool_search_tool_regex",
    "tool_search_tool_regex_20251119",
    "web_fetch_20250910",
    "web_fetch_20260209",
    "web_fetch_20260309",
    "web_fetch_20260318",
    "web_search_20250305",
    "web_search_20260209",
    "web_search_20260318",
)
"""The types of tools that the API brings along itself, as the SDK's parameter types list them."""

Body = Mapping[str, Any]


def tools(body: Body, model: Model) -> Iterator[str]:
    """What is wrong with the tools that a request brings, or with its bringing none."""
    brought: Sequence[Mapping[str, Any]] = body.get("tools") or ()
    for index, tool in enumerate(brought):
        kind = tool.get("type")
        if kind in (None, "custom"):
            yield from _definition(f"tools.{index}.custom", tool)
        elif kind not in SERVER_TOOLS:
            known = ", ".join(SERVER_TOOLS)
            yield f"'{model.id}' does not support tool types: {kind}. Did you mean one of {known}"
    names = Counter(tool["name"] for tool in brought if "name" in tool)
    if any(count > 1 for count in names.values()):
        yield "tools: Tool names must be unique."
    if brought and all(tool.get("defer_loading") for tool in brought):
        yield "All tools have defer_loading: true"
    if not brought and any(p.kind in ("tool_use", "tool_result") for p in places(body["messages"])):
        yield "Requests which include `tool_use` or `tool_result` blocks must define tools."


def tool_choice(body: Body, model: Model) -> Iterator[str]:
    """What is wrong with a request's `tool_choice`."""
    choice, brought = body.get("tool_choice"), body.get("tools") or ()
    if not choice:
        return
    if not brought:
        yield "tool_choice may only be specified while providing tools."
    forced = choice["type"] in ("any", "tool")
    if forced and not model.forced_tools:
        yield 'tool_choice: type "tool" and "any" are not supported for this model.'
    if forced and (body.get("thinking") or {}).get("type") == "enabled":
        yield "Thinking may not be enabled when tool_choice forces tool use."
    if choice["type"] == "tool" and choice["name"] not in [tool.get("name") for tool in brought]:
        yield f"Tool '{choice['name']}' not found in provided tools"


def _definition(path: str, tool: Mapping[str, Any]) -> Iterator[str]:
    name, schema = tool["name"], tool["input_schema"]
    if len(name) > LONGEST_NAME:
        yield f"{path}.name: String should have at most {LONGEST_NAME} characters"
    if not re.fullmatch(NAME_PATTERN, name):
        yield f"{path}.name: String should match pattern '{NAME_PATTERN}'"
    if "type" not in schema:
        yield f"{path}.input_schema.type: Field required"
    elif schema["type"] != "object":
        yield f"{path}.input_schema.type: Input should be 'object'"
    if not _is_json_schema(json.dumps(schema, sort_keys=True)):
        yield f"{path}.input_schema: {SCHEMA_INVALID}"


@lru_cache(maxsize=512)
def _is_json_schema(text: str) -> bool:
    schema = {name: value for name, value in json.loads(text).items() if name != "$schema"}
    return is_schema(schema)  # as draft 2020-12, whatever it says it is
