"""What the API demands of thinking: the setting, the blocks in the history, the effort."""

from collections.abc import Iterator, Mapping
from typing import Any

from agentlab.models import Model
from agentlab.practice.blocks import places
from agentlab.practice.script import PRACTICE_SIGNATURE, sign

WITHOUT_BUDGET = (
    'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
)
WITH_BUDGET = (
    "Thinking defaults to adaptive mode when not specified; use "
    '"thinking.type.enabled" with "budget_tokens" for extended thinking.'
)
THINKING_FIRST = (
    "Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, "
    "a final `assistant` message must start with a thinking block (preceeding the lastmost set of "
    "`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous "
    "turns. To avoid this requirement, disable `thinking`. Please consult our documentation at "
    "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
)
THINKING_UNWANTED = (
    "When thinking is disabled, an `assistant` message in the final position cannot contain "
    "`thinking`. To use thinking blocks, enable `thinking` in your request."
)
THINKING_CHANGED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)

Body = Mapping[str, Any]


def thinking(body: Body, model: Model) -> Iterator[str]:
    """What is wrong with the setting, for this model and this history."""
    setting: Mapping[str, Any] = body.get("thinking") or {}
    kind = setting.get("type")
    if kind == "adaptive" and kind not in model.thinking:
        yield "adaptive thinking is not supported on this model"
    elif kind and kind not in model.thinking:
        instead = WITH_BUDGET if "enabled" in model.thinking else WITHOUT_BUDGET
        yield f'"thinking.type.{kind}" is not supported for this model. {instead}'
    if kind == "enabled":
        if setting["budget_tokens"] >= body.get("max_tokens", float("inf")):
            yield "`max_tokens` must be greater than `thinking.budget_tokens`."
        yield from _thinking_first(body)
    if kind == "disabled" or (kind is None and not model.thinks_by_default):
        yield from _thinking_last(body)


def signatures(body: Body, model: Model) -> Iterator[str]:
    """Thinking in the latest assistant message that is not what the API had sent."""
    turns = [at for at, each in enumerate(body["messages"]) if each["role"] == "assistant"]
    for place in places(body["messages"]):
        if place.kind != "thinking" or place.message != turns[-1]:
            continue
        signature = place.block["signature"]
        if not signature.startswith(PRACTICE_SIGNATURE):
            yield f"{place.path}: Invalid `signature` in `thinking` block"
        if signature != sign(place.block["thinking"]):
            yield f"{place.path}: {THINKING_CHANGED}"


def effort(body: Body, model: Model) -> Iterator[str]:
    """What is wrong with the effort that is asked for."""
    level = (body.get("output_config") or {}).get("effort")
    if level and not model.efforts:
        yield "This model does not support the effort parameter."
    if level and level not in model.efforts:
        supported = ", ".join(sorted(model.efforts))
        yield f"This model does not support effort level '{level}'. Supported levels: {supported}."
    if level == "max" and (body.get("thinking") or {}).get("type") == "disabled":
        yield "output_config.effort 'max' is not supported when thinking is disabled on this model."


def _thinking_first(body: Body) -> Iterator[str]:
    """A turn that is answered with results must begin with the thinking that led to its calls."""
    read = list(places(body["messages"]))
    last = len(body["messages"]) - 1
    answering = any(place.kind == "tool_result" and place.message == last for place in read)
    asking = max((place.message for place in read if place.kind == "tool_use"), default=None)
    first = next((place for place in read if place.message == asking), None)
    if answering and first and first.kind not in ("thinking", "redacted_thinking"):
        yield f"{first.path}.type: {THINKING_FIRST.format(found=first.kind)}"


def _thinking_last(body: Body) -> Iterator[str]:
    last = len(body["messages"]) - 1
    if body["messages"][last]["role"] == "assistant":
        for place in places(body["messages"]):
            if place.message == last and place.kind == "thinking":
                yield f"{place.path}: {THINKING_UNWANTED}"
