"""What the API demands of a request beyond its fields: of the history, the model, the sizes."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from agentlab.models import Model
from agentlab.practice.blocks import every_block, places
from agentlab.practice.picture_demands import pictures
from agentlab.practice.strict_demands import strict_schemas
from agentlab.practice.thinking_demands import effort, signatures, thinking
from agentlab.practice.tool_demands import tool_choice, tools
from agentlab.rules import check_transcript, refused

MOST_CACHE_BREAKPOINTS = 4
SAMPLING: Mapping[str, int | None] = {"temperature": 1, "top_p": 1, "top_k": None}
"""The settings of sampling, each with the value that is as good as none."""
WHILE_THINKING = (
    "when thinking is enabled or in adaptive mode. Please consult our documentation at "
    "https://platform.claude.com/docs/en/build-with-claude/extended-thinking"
)

Body = Mapping[str, Any]


def demand_problem(body: Body, model: Model, input_tokens: int) -> str | None:
    """The first demand that a well-formed request does not meet, in the API's words.

    Args:
        body: a request whose fields are all in order.
        model: the model it names.
        input_tokens: how long it is estimated to be.
    """
    problems = (problem for demand in _DEMANDS for problem in demand(body, model))
    return next(problems, None) or _too_long(body, model, input_tokens)


def _system_messages(body: Body, model: Model) -> Iterator[str]:
    roles = [message["role"] for message in body["messages"]]
    for index, role in enumerate(roles):
        if role != "system":
            continue
        if not model.system_in_messages:
            yield "role 'system' is not supported on this model"
        if index == 0:
            yield "messages.0: use the top-level 'system' parameter for the initial system prompt"
        if roles[index - 1] != "user" or roles[index + 1 : index + 2] not in ([], ["assistant"]):
            yield f"messages.{index}: role 'system' must follow a user turn and end it"


def _system_text(body: Body, model: Model) -> Iterator[str]:
    system = body.get("system")
    if isinstance(system, list) and any(not block["text"] for block in system):
        yield "system: text content blocks must be non-empty"


def _history(body: Body, model: Model) -> Iterator[str]:
    for violation in refused(check_transcript(body["messages"])):
        yield str(violation.api_text)


def _prefill(body: Body, model: Model) -> Iterator[str]:
    last = body["messages"][-1]
    if last["role"] != "assistant" or _paused(last):
        return
    if not model.prefill:
        yield (
            "This model does not support assistant message prefill. "
            "The conversation must end with a user message."
        )
    text = last["content"]
    if not isinstance(text, str):
        text = text[-1]["text"] if text and text[-1]["type"] == "text" else ""
    if text != text.rstrip():
        yield "messages: final assistant content cannot end with trailing whitespace"


def _paused(message: Mapping[str, Any]) -> bool:
    """Whether an assistant message waits for a server tool, and so is sent back as it is."""
    read = list(places([message]))
    answered = {place.block.get("tool_use_id") for place in read}
    calls = (place.block["id"] for place in read if place.kind == "server_tool_use")
    return any(call not in answered for call in calls)


def _sizes(body: Body, model: Model) -> Iterator[str]:
    wanted, most = body.get("max_tokens", 0), model.max_output_tokens
    if wanted > most:
        yield (
            f"max_tokens: {wanted} > {most}, which is the maximum allowed number of output "
            f"tokens for {model.id}"
        )
    if any(not stop.strip() for stop in body.get("stop_sequences") or ()):
        yield "stop_sequences: each stop sequence must contain non-whitespace"
    marked = sum(bool(block.get("cache_control")) for block in _cacheable(body))
    if marked > MOST_CACHE_BREAKPOINTS:
        yield (
            f"A maximum of {MOST_CACHE_BREAKPOINTS} blocks with cache_control may be provided. "
            f"Found {marked}."
        )


def _cacheable(body: Body) -> Iterator[Mapping[str, Any]]:
    """All that may be marked; a request may itself, and the API then sets one mark in it."""
    system = body.get("system") or ()
    parts = () if isinstance(system, str) else system
    return chain([body], body.get("tools") or (), parts, every_block(body["messages"]))


def _sampling(body: Body, model: Model) -> Iterator[str]:
    """What is wrong with settings that only the version of 2023 still has."""
    if "temperature" in body and "top_p" in body:
        yield (
            "`temperature` and `top_p` cannot both be specified for this model. "
            "Please use only one."
        )
    changed = [name for name in SAMPLING if body.get(name, SAMPLING[name]) != SAMPLING[name]]
    if not model.sampling:
        yield from (f"`{name}` is deprecated for this model." for name in changed)
    if (body.get("thinking") or {}).get("type") in ("enabled", "adaptive"):
        if "temperature" in changed:
            yield f"`temperature` may only be set to 1 {WHILE_THINKING}"
        if body.get("top_p", 1) < 0.95:
            yield f"`top_p` must be greater than or equal to 0.95 or unset {WHILE_THINKING}"
        if "top_k" in body:
            yield f"`top_k` must be unset {WHILE_THINKING}"


def _server_calls(body: Body, model: Model) -> Iterator[str]:
    offered = {str(tool.get("name")) for tool in body.get("tools") or ()}
    read = list(places(body["messages"]))
    answered = {place.block.get("tool_use_id") for place in read if place.kind.endswith("_result")}
    last = len(body["messages"]) - 1
    for place in read:
        call, name = place.block.get("id"), place.block.get("name")
        if place.kind != "server_tool_use" or place.message == last or call in answered:
            continue
        missing = (
            f"was found without a corresponding `{name}_tool_result` block"
            if name in offered
            else f"was found but no `{name}` tool was provided"
        )
        yield f"`{name}` tool use with id `{call}` {missing}"


def _too_long(body: Body, model: Model, input_tokens: int) -> str | None:
    most, wanted = model.max_input_tokens, body.get("max_tokens", 0)
    if input_tokens > most:
        return f"prompt is too long: {input_tokens} tokens > {most} maximum"
    if model.prefill and input_tokens + wanted > most:  # newer models end the reply instead
        return (
            f"input length and `max_tokens` exceed context limit: {input_tokens} + {wanted} > "
            f"{most}, decrease input length or `max_tokens` and try again"
        )
    return None


_DEMANDS: tuple[Callable[[Body, Model], Iterator[str]], ...] = (
    _history,
    _system_text,
    _system_messages,
    tools,
    tool_choice,
    strict_schemas,
    thinking,
    signatures,
    effort,
    _sizes,
    _sampling,
    pictures,
    _server_calls,
    _prefill,
)
