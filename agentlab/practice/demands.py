"""What the API demands of a request beyond its fields: of tools, of the history, of the model."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from agentlab.models import Model
from agentlab.rules import check_transcript, refused

MOST_CACHE_BREAKPOINTS = 4
LONGEST_NAME = 128
LARGEST_IMAGE = 5_242_880
"""Bytes of base64 text in one picture."""

SCHEMA_INVALID = (
    "JSON schema is invalid. It must match JSON Schema draft 2020-12 "
    "(https://json-schema.org/draft/2020-12). Learn more about tool use at "
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview."
)
UNBUDGETED = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
THINKING_FIRST = (
    "Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, "
    "a final `assistant` message must start with a thinking block (preceeding the lastmost set of "
    "`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous "
    "turns. To avoid this requirement, disable `thinking`. Please consult our documentation at "
    "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
)
SERVER_TOOLS = (
    "bash_",
    "text_editor_",
    "memory_",
    "code_execution_",
    "web_search_",
    "web_fetch_",
    "tool_search_tool_",
    "computer_toolset_",
    "browser_toolset_",
)

Body = Mapping[str, Any]


def demand_problem(body: Body, model: Model, input_tokens: int) -> str | None:
    """The first demand that a well-formed request does not meet, in the API's words.

    Args:
        body: a request whose fields are all in order.
        model: the model it names.
        input_tokens: how long it is estimated to be.
    """
    problems = (problem for check in _CHECKS for problem in check(body, model))
    return next(problems, None) or _too_long(body, model, input_tokens)


def _history(body: Body, model: Model) -> Iterator[str]:
    for violation in refused(check_transcript(body["messages"])):
        yield str(violation.api_text)


def _system_messages(body: Body, model: Model) -> Iterator[str]:
    roles = [message["role"] for message in body["messages"]]
    for index, role in enumerate(roles):
        if role != "system":
            continue
        if not model.system_in_messages:
            yield "role 'system' is not supported on this model"
        if index == 0:
            yield "messages.0: use the top-level 'system' parameter for the initial system prompt"
        if roles[index - 1] != "user":
            yield f"messages.{index}: a system message must follow a user message"


def _prefill(body: Body, model: Model) -> Iterator[str]:
    last = body["messages"][-1]
    if last["role"] != "assistant" or _paused(last):
        return
    if not model.prefill:
        yield (
            "This model does not support assistant message prefill. "
            "The conversation must end with a user message."
        )
    text = last["content"] if isinstance(last["content"], str) else _last_text(last["content"])
    if text != text.rstrip():
        yield "messages: final assistant content cannot end with trailing whitespace"


def _paused(message: Mapping[str, Any]) -> bool:
    """Whether an assistant message waits for a server tool, and so may be sent back as it is."""
    blocks = message["content"] if isinstance(message["content"], Sequence) else ()
    return any(isinstance(b, Mapping) and b["type"] == "server_tool_use" for b in blocks)


def _last_text(blocks: Sequence[Mapping[str, Any]]) -> str:
    return str(blocks[-1]["text"]) if blocks and blocks[-1]["type"] == "text" else ""


def _tools(body: Body, model: Model) -> Iterator[str]:
    tools: Sequence[Mapping[str, Any]] = body.get("tools") or ()
    for index, tool in enumerate(tools):
        kind = tool.get("type") or "custom"
        if kind == "custom":
            yield from _definition(f"tools.{index}.custom", tool)
        elif not kind.startswith(SERVER_TOOLS):
            known = ", ".join(f"{start}*" for start in SERVER_TOOLS)
            yield f"'{model.id}' does not support tool types: {kind}. Did you mean one of {known}"
    names = Counter(tool.get("name") for tool in tools)
    if any(count > 1 for count in names.values()):
        yield "tools: Tool names must be unique."
    if tools and all(tool.get("defer_loading") for tool in tools):
        yield "All tools have defer_loading: true"
    if not tools and any(kind in ("tool_use", "tool_result") for _, kind, _ in _blocks(body)):
        yield "Requests which include `tool_use` or `tool_result` blocks must define tools."


def _definition(path: str, tool: Mapping[str, Any]) -> Iterator[str]:
    name, schema = tool["name"], tool["input_schema"]
    if len(name) > LONGEST_NAME:
        yield f"{path}.name: String should have at most {LONGEST_NAME} characters"
    if not name or not all(c.isascii() and (c.isalnum() or c in "_-") for c in name):
        yield f"{path}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,{LONGEST_NAME}}}$'"
    if "type" not in schema:
        yield f"{path}.input_schema.type: Field required"
    elif schema["type"] != "object":
        yield f"{path}.input_schema.type: Input should be 'object'"
    if not _is_json_schema(json.dumps(schema, sort_keys=True, default=str)):
        yield f"{path}.input_schema: {SCHEMA_INVALID}"


@lru_cache(maxsize=512)
def _is_json_schema(text: str) -> bool:
    """Whether a text is a JSON Schema; jsonschema is slow to load under Jupyter, so only here."""
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(json.loads(text))
    except SchemaError:
        return False
    return True


def _choice(body: Body, model: Model) -> Iterator[str]:
    choice, tools = body.get("tool_choice"), body.get("tools") or ()
    if not choice:
        return
    if not tools:
        yield "tool_choice may only be specified while providing tools."
    forced = choice["type"] in ("any", "tool")
    if forced and not model.forced_tools:
        yield 'tool_choice: type "tool" and "any" are not supported for this model.'
    if forced and (body.get("thinking") or {}).get("type") == "enabled":
        yield "Thinking may not be enabled when tool_choice forces tool use."
    if choice["type"] == "tool" and choice["name"] not in [tool.get("name") for tool in tools]:
        yield f"Tool '{choice['name']}' not found in provided tools"


def _thinking(body: Body, model: Model) -> Iterator[str]:
    thinking: Mapping[str, Any] = body.get("thinking") or {}
    kind = thinking.get("type")
    if kind and kind not in model.thinking:
        if kind == "adaptive":
            yield "adaptive thinking is not supported on this model"
        yield f'"thinking.type.{kind}" is not supported for this model. {UNBUDGETED}'
    if kind == "enabled" and thinking["budget_tokens"] >= body.get("max_tokens", 10**9):
        yield "`max_tokens` must be greater than `thinking.budget_tokens`."
    if kind == "enabled":
        yield from _thinking_first(body)
    if kind == "disabled":
        yield from _thinking_last(body)


def _thinking_first(body: Body) -> Iterator[str]:
    answered = any(kind == "tool_result" for at, kind, _ in _blocks(body, last_only=True))
    turns = [at for at, m in enumerate(body["messages"]) if m["role"] == "assistant"]
    if not answered or not turns:
        return
    first = next(kind for at, kind, _ in _blocks(body) if at == turns[-1])
    if first not in ("thinking", "redacted_thinking"):
        yield f"messages.{turns[-1]}.content.0.type: {THINKING_FIRST.format(found=first)}"


def _thinking_last(body: Body) -> Iterator[str]:
    last = len(body["messages"]) - 1
    if body["messages"][last]["role"] != "assistant":
        return
    for at, kind, _ in _blocks(body, last_only=True):
        if kind == "thinking":
            yield (
                f"messages.{at}.content.0: When thinking is disabled, an `assistant` message in "
                "the final position cannot contain `thinking`. To use thinking blocks, enable "
                "`thinking` in your request."
            )


def _signatures(body: Body, model: Model) -> Iterator[str]:
    turns = [at for at, m in enumerate(body["messages"]) if m["role"] == "assistant"]
    for at, kind, block in _blocks(body):
        if kind == "thinking" and turns[-1:] == [at] and block["signature"] != "practice-signature":
            yield (
                f"messages.{at}.content.0: `thinking` or `redacted_thinking` blocks in the latest "
                "assistant message cannot be modified. These blocks must remain as they were in "
                "the original response."
            )


def _effort(body: Body, model: Model) -> Iterator[str]:
    effort = (body.get("output_config") or {}).get("effort")
    if effort and effort not in model.efforts:
        supported = ", ".join(sorted(model.efforts))
        yield (
            f"This model does not support effort level '{effort}'. Supported levels: {supported}."
        )
    if effort == "max" and (body.get("thinking") or {}).get("type") == "disabled":
        yield (
            "output_config.effort 'max' is not supported when thinking is disabled on this model."
        )


def _settings(body: Body, model: Model) -> Iterator[str]:
    most = model.max_output_tokens
    if body.get("max_tokens", 0) > most:
        yield (
            f"max_tokens: {body['max_tokens']} > {most}, which is the maximum allowed number of "
            f"output tokens for {model.id}"
        )
    if any(not stop.strip() for stop in body.get("stop_sequences") or ()):
        yield "stop_sequences: each stop sequence must contain non-whitespace"
    marked = json.dumps([body["messages"], body.get("tools"), body.get("system")], default=str)
    if (breakpoints := marked.count('"cache_control": {')) > MOST_CACHE_BREAKPOINTS:
        yield (
            f"A maximum of {MOST_CACHE_BREAKPOINTS} blocks with cache_control may be provided. "
            f"Found {breakpoints}."
        )


def _pictures(body: Body, model: Model) -> Iterator[str]:
    for path, block in _images(body["messages"]):
        source = block["source"]
        if source["type"] != "base64":
            continue
        data, kind = str(source.get("data", "")), source.get("media_type")
        if len(data) > LARGEST_IMAGE:
            yield (
                f"{path}.image.source.base64: image exceeds 5 MB maximum: {len(data)} bytes > "
                f"{LARGEST_IMAGE} bytes"
            )
        if kind not in ("image/jpeg", "image/png", "image/gif", "image/webp") or not data:
            yield "Could not process image"


def _images(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for at, message in enumerate(messages):
        for index, block in enumerate(_as_blocks(message["content"])):
            path = f"messages.{at}.content.{index}"
            if block["type"] == "image":
                yield path, block
            if block["type"] == "tool_result":
                for inner, part in enumerate(_as_blocks(block.get("content", ""))):
                    if part["type"] == "image":
                        yield f"{path}.tool_result.content.{inner}", part


def _server_calls(body: Body, model: Model) -> Iterator[str]:
    offered = {str(tool.get("name")) for tool in body.get("tools") or ()}
    results = {b.get("tool_use_id") for _, kind, b in _blocks(body) if kind.endswith("_result")}
    last = len(body["messages"]) - 1
    for at, kind, block in _blocks(body):
        if kind != "server_tool_use" or block.get("id") in results or at == last:
            continue
        name = block.get("name")
        missing = (
            f"was found without a corresponding `{name}_tool_result` block"
            if name in offered
            else f"was found but no `{name}` tool was provided"
        )
        yield f"`{name}` tool use with id `{block.get('id')}` {missing}"


def _too_long(body: Body, model: Model, input_tokens: int) -> str | None:
    most, wanted = model.max_input_tokens, body.get("max_tokens", 0)
    if input_tokens > most:
        return f"prompt is too long: {input_tokens} tokens > {most} maximum"
    if model.prefill and input_tokens + wanted > most:  # the older models
        return (
            f"input length and `max_tokens` exceed context limit: {input_tokens} + {wanted} > "
            f"{most}, decrease input length or `max_tokens` and try again"
        )
    return None


def _as_blocks(content: Any) -> Sequence[Mapping[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content or ()


def _blocks(body: Body, last_only: bool = False) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    start = len(body["messages"]) - 1 if last_only else 0
    for at, message in enumerate(body["messages"][start:], start):
        for block in _as_blocks(message["content"]):
            yield at, str(block["type"]), block


_CHECKS: tuple[Callable[[Body, Model], Iterator[str]], ...] = (
    _system_messages,
    _history,
    _tools,
    _choice,
    _thinking,
    _signatures,
    _effort,
    _settings,
    _pictures,
    _server_calls,
    _prefill,
)
