"""What the package knows of each model: prices, limits, and which requests it refuses.

Prices are dollars per million tokens, context sizes and tool prompts are tokens, as Anthropic's
pricing, models and tool-use pages gave them in August 2026. Where a page gave no price it is
`None`; where it gave no limit or tool prompt, the nearest relative's stands in.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Literal

from agentlab.errors import ConfigurationError

MODEL = os.environ.get("AGENTLAB_MODEL", "claude-haiku-4-5")
"""The model that is used where none is named; this line alone decides it."""

EFFORTS = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True)
class Model:
    """One model as the Messages API knows it."""

    id: str
    input_price: float | None
    output_price: float | None
    lifecycle: Literal["active", "deprecated", "retired"] = "active"
    max_input_tokens: int = 1_000_000
    max_output_tokens: int = 128_000
    forced_tools: bool = True
    """Whether tool_choice may force a tool."""
    prefill: bool = False
    """Whether a request may end with the beginning of the reply."""
    thinking: tuple[str, ...] = ("adaptive", "disabled")
    """The types that `thinking` may have."""
    thinks_by_default: bool = False
    system_in_messages: bool = False
    """Whether a system message may stand between the others."""
    efforts: tuple[str, ...] = EFFORTS
    """The levels of effort that may be asked for; none where effort is not a parameter."""
    tool_prompt: tuple[int, int] = (286, 406)
    """Input tokens that tools cost in advance: with free choice, and with a forced tool."""

    @property
    def sampling(self) -> bool:
        """Whether temperature, top_p and top_k may be set: they left with thinking budgets."""
        return "enabled" in self.thinking


_FABLE = Model(
    "claude-fable-5",
    10,
    50,
    thinking=("adaptive",),
    thinks_by_default=True,
    system_in_messages=True,
)
_OPUS_5 = Model("claude-opus-5", 5, 25, thinks_by_default=True, system_in_messages=True)
_SONNET_5 = Model("claude-sonnet-5", 2, 10, thinks_by_default=True, tool_prompt=(354, 474))
_OPUS_4_8 = Model("claude-opus-4-8", 5, 25, system_in_messages=True, tool_prompt=(290, 410))
_OPUS_4_6 = Model(
    "claude-opus-4-6",
    5,
    25,
    thinking=("enabled", "adaptive", "disabled"),
    efforts=("high", "low", "max", "medium"),
    tool_prompt=(497, 589),
)
_OPUS_4_5 = Model(
    "claude-opus-4-5",
    5,
    25,
    "deprecated",
    max_input_tokens=200_000,
    max_output_tokens=64_000,
    prefill=True,
    thinking=("enabled", "disabled"),
    efforts=("high", "low", "medium"),
    tool_prompt=(496, 588),
)
_SONNET_4_5 = replace(_OPUS_4_5, id="claude-sonnet-4-5", input_price=3, output_price=15, efforts=())
_HAIKU_4_5 = replace(
    _SONNET_4_5, id="claude-haiku-4-5", input_price=1, output_price=5, lifecycle="active"
)
_RETIRED = replace(_SONNET_4_5, lifecycle="retired", tool_prompt=(313, 315))

MODELS: dict[str, Model] = {
    model.id: model
    for model in (
        replace(
            _FABLE, id="claude-fable-5-2", input_price=None, output_price=None, forced_tools=False
        ),
        replace(
            _FABLE, id="claude-mythos-5-2", input_price=None, output_price=None, forced_tools=False
        ),
        replace(_FABLE, id="claude-fable-5-1", forced_tools=False),
        replace(
            _FABLE, id="claude-mythos-5-1", input_price=None, output_price=None, forced_tools=False
        ),
        _FABLE,
        replace(_FABLE, id="claude-mythos-5", input_price=None, output_price=None),
        replace(
            _FABLE,
            id="claude-mythos-preview",
            input_price=None,
            output_price=None,
            lifecycle="deprecated",
            thinking=("enabled", "adaptive"),
        ),
        replace(
            _OPUS_5,
            id="claude-opus-5-5",
            input_price=4,
            output_price=20,
            forced_tools=False,
            thinking=("adaptive",),
        ),
        _OPUS_5,
        _OPUS_4_8,
        replace(_OPUS_4_8, id="claude-opus-4-7", system_in_messages=False, tool_prompt=(675, 804)),
        _OPUS_4_6,
        _OPUS_4_5,
        replace(_OPUS_4_5, id="claude-opus-4-5-20251101"),
        replace(
            _SONNET_5,
            id="claude-sonnet-5-5",
            forced_tools=False,
            thinking=("adaptive", "between_tools"),
            system_in_messages=True,
        ),
        _SONNET_5,
        replace(_OPUS_4_6, id="claude-sonnet-4-6", input_price=3, output_price=15),
        _SONNET_4_5,
        replace(_SONNET_4_5, id="claude-sonnet-4-5-20250929"),
        replace(_SONNET_5, id="claude-haiku-5-5", input_price=0.1, output_price=0.5),
        _HAIKU_4_5,
        replace(_HAIKU_4_5, id="claude-haiku-4-5-20251001"),
        replace(_RETIRED, id="claude-opus-4-1-20250805", input_price=15, output_price=75),
        replace(_RETIRED, id="claude-opus-4-20250514", input_price=15, output_price=75),
        replace(_RETIRED, id="claude-sonnet-4-20250514"),
        replace(_RETIRED, id="claude-3-7-sonnet-20250219"),
        replace(_RETIRED, id="claude-3-5-sonnet-20241022"),
        replace(_RETIRED, id="claude-3-5-haiku-20241022", input_price=0.8, output_price=4),
        replace(_RETIRED, id="claude-3-opus-20240229", input_price=15, output_price=75),
        replace(_RETIRED, id="claude-3-haiku-20240307", input_price=0.25, output_price=1.25),
    )
}


def is_live(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether `AGENTLAB_LIVE` asks for real requests."""
    return environment.get("AGENTLAB_LIVE", "").strip() in ("1", "true", "yes")


def find_model(model_id: str) -> Model:
    """The model of this id.

    Args:
        model_id: an id as the Messages API knows it, such as `claude-haiku-4-5`.

    Raises:
        ConfigurationError: for an id that is unknown or retired; it names what to use instead.
    """
    model = MODELS.get(model_id)
    if model is None:
        raise ConfigurationError(
            "There is no model {model_id!r}. Did you mean {similar_ids}? The model is set "
            "in AGENTLAB_MODEL or Agent(model=...).",
            model_id=model_id,
            similar_ids=" or ".join(similar_ids(model_id)),
        )
    if model.lifecycle == "retired":
        raise ConfigurationError(
            "The model {model_id!r} is retired. Use {successor} instead: set "
            "AGENTLAB_MODEL or Agent(model=...).",
            model_id=model_id,
            successor=_successor(model_id),
        )
    return model


def similar_ids(model_id: str) -> list[str]:
    """The ids in service that are most like this one, at least one and at most three."""
    usable = [model.id for model in MODELS.values() if model.lifecycle == "active"]
    return get_close_matches(model_id, usable, n=3, cutoff=0.5) or [_successor(model_id)]


def _successor(model_id: str) -> str:
    """The first model in service of the same family; the cheapest family where there is none."""
    family = next((name for name in ("opus", "sonnet", "fable") if name in model_id), "haiku-4")
    return next(m.id for m in MODELS.values() if m.lifecycle == "active" and family in m.id)


def estimate_cost(model_id: str, usage: Mapping[str, Any]) -> float | None:
    """Dollars that a reply cost at list prices; `None` where the price is not known.

    Reading from the cache costs a tenth of the input price, writing to it a quarter more for five
    minutes and twice as much for an hour, as the pricing page says (August 2026).

    Args:
        model_id: the model that replied.
        usage: the reply's `usage`: token counts by kind.
    """
    model = MODELS.get(model_id)
    if model is None or model.input_price is None or model.output_price is None:
        return None

    def tokens(kind: str, counts: Mapping[str, Any] = usage) -> int:
        return int(counts.get(kind) or 0)

    for_an_hour = tokens("ephemeral_1h_input_tokens", usage.get("cache_creation") or {})
    for_minutes = tokens("cache_creation_input_tokens") - for_an_hour
    read = tokens("cache_read_input_tokens")
    sent = tokens("input_tokens") + 1.25 * for_minutes + 2 * for_an_hour + 0.1 * read
    return (sent * model.input_price + tokens("output_tokens") * model.output_price) / 1e6
