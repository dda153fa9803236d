"""The models that the practice API lists."""

from collections.abc import Mapping
from typing import Any

from agentlab.models import MODELS, Model
from agentlab.practice.wire import not_found, one_page

UNKNOWN_DATE = "1970-01-01T00:00:00Z"
"""What the API gives where a date is not known."""


def list_models(query: Mapping[str, str]) -> dict[str, Any]:
    """One page of the models; retired ones stay in the catalogue, as in the API's."""
    return one_page([_info(model) for model in MODELS.values()], query)


def model_info(model_id: str) -> dict[str, Any]:
    """One model.

    Raises:
        Refused: with 404 for an id that is not in the catalogue.
    """
    if model_id not in MODELS:
        raise not_found()
    return _info(MODELS[model_id])


def _info(model: Model) -> dict[str, Any]:
    return {
        "type": "model",
        "id": model.id,
        "display_name": model.id.replace("-", " ").title(),
        "created_at": UNKNOWN_DATE,
        "lifecycle": model.lifecycle,
        "max_input_tokens": model.max_input_tokens,
        "max_tokens": model.max_output_tokens,
    }
