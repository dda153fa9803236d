import os
import subprocess
import sys
from typing import get_args

import pytest
from anthropic.types.model import Model as SDKModel

from agentlab.errors import ConfigurationError
from agentlab.models import MODELS, estimate_cost, find_model


def test_every_model_of_the_sdk_is_in_the_table() -> None:
    known = next(get_args(part) for part in get_args(SDKModel) if get_args(part))
    in_service = {model.id for model in MODELS.values() if model.lifecycle != "retired"}
    assert set(known) == in_service


def test_every_model_is_under_its_own_id() -> None:
    assert all(model_id == model.id for model_id, model in MODELS.items())


@pytest.mark.parametrize("wrong", ["claude-haiku-45", "haiku", "gpt-4", ""])
def test_an_unknown_id_says_what_to_use(wrong: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        find_model(wrong)
    assert f"There is no model {wrong!r}. Did you mean claude-" in str(caught.value)
    assert "AGENTLAB_MODEL" in str(caught.value)


def test_a_typing_error_finds_its_model() -> None:
    with pytest.raises(ConfigurationError, match="Did you mean claude-sonnet-5 or "):
        find_model("claude-sonet-5")


@pytest.mark.parametrize(
    ("retired", "family"),
    [
        ("claude-3-opus-20240229", "claude-opus-5"),
        ("claude-sonnet-4-20250514", "claude-sonnet-5"),
        ("claude-3-haiku-20240307", "claude-haiku-4-5"),
    ],
)
def test_a_retired_id_names_its_successor(retired: str, family: str) -> None:
    with pytest.raises(ConfigurationError, match=f"is retired. Use {family}"):
        find_model(retired)


def test_the_environment_says_which_model_is_used() -> None:
    command = [sys.executable, "-c", "from agentlab.models import MODEL; print(MODEL)"]
    for settings, model in (
        ({}, "claude-haiku-4-5"),
        ({"AGENTLAB_MODEL": "claude-opus-5"}, "claude-opus-5"),
    ):
        environment = {**os.environ, **settings}
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == model


def test_the_cost_of_a_reply() -> None:
    usage = {"input_tokens": 1_000_000, "output_tokens": 100_000}
    assert estimate_cost("claude-haiku-4-5", usage) == pytest.approx(1 + 0.5)
    assert estimate_cost("claude-opus-5", usage) == pytest.approx(5 + 2.5)


def test_the_cost_of_the_cache() -> None:
    usage = {
        "input_tokens": 0,
        "output_tokens": 0,
        "cache_read_input_tokens": 1_000_000,
        "cache_creation_input_tokens": 3_000_000,
        "cache_creation": {"ephemeral_1h_input_tokens": 1_000_000},
    }
    assert estimate_cost("claude-haiku-4-5", usage) == pytest.approx(0.1 + 2 * 1.25 + 2)


@pytest.mark.parametrize("model_id", ["claude-fable-5-2", "a-model-of-ones-own"])
def test_a_cost_that_is_not_known(model_id: str) -> None:
    assert estimate_cost(model_id, {"input_tokens": 1, "output_tokens": 1}) is None


def test_nothing_missing_in_usage_is_an_error() -> None:
    assert estimate_cost("claude-haiku-4-5", {"cache_read_input_tokens": None}) == 0
