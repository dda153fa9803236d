"""Schemas with both validators: each test runs with jsonschema-rs, and in its place jsonschema."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import reload
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agentlab import schemas

HERE = Path(__file__).parent
ORDER = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "tags": {"items": {"enum": ["new", "old"]}}},
    "required": ["id"],
    "additionalProperties": False,
}


@pytest.fixture(params=["jsonschema-rs", "jsonschema"])
def used(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    """The module as it is with one of the validators alone."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "jsonschema":
            patch.setitem(sys.modules, "jsonschema_rs", None)
        yield reload(schemas)
    reload(schemas)


def test_the_validator_is_the_one_that_is_there(used: ModuleType) -> None:
    assert (used.jsonschema_rs is None) == (sys.modules["jsonschema_rs"] is None)


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ({"id": 1, "tags": ["new"]}, set()),
        ({"id": 1.0}, set()),
        ({"id": True}, {("id",)}),
        ({"id": "1"}, {("id",)}),
        ({}, {()}),
        ({"id": 1, "tags": ["new", "odd"]}, {("tags", 1)}),
        ({"id": None, "more": 1}, {("id",), ()}),
        ("order", {()}),
    ],
)
def test_each_misfit_has_its_place(used: ModuleType, value: Any, places: set[Any]) -> None:
    schema = used.Schema(ORDER)
    misfits = list(schema.misfits(value))
    assert {misfit.path for misfit in misfits} == places
    assert all(misfit.message for misfit in misfits)
    assert schema.takes(value) == (not places)


@pytest.mark.parametrize(
    ("schema", "is_one"),
    [
        (ORDER, True),
        (True, True),
        ({}, True),
        ({"pattern": "("}, True),
        ({"$ref": "#/nowhere"}, True),
        ({"type": "text"}, False),
        ({"required": ["id", "id"]}, False),
        ({"items": [{}]}, False),
        ({"properties": {"id": {"minLength": -1}}}, False),
        ({"exclusiveMinimum": True}, False),
        ("string", False),
        (None, False),
    ],
)
def test_a_schema_is_known_from_what_is_none(used: ModuleType, schema: Any, is_one: bool) -> None:
    assert used.is_schema(schema) is is_one


def test_references_inside_a_schema_are_followed(used: ModuleType) -> None:
    schema = used.Schema({"$defs": {"name": {"type": "string"}}, "items": {"$ref": "#/$defs/name"}})
    assert [misfit.path for misfit in schema.misfits(["a", 1])] == [(1,)]


@pytest.mark.parametrize("kind", ["file", "http"])
def test_no_schema_is_fetched(used: ModuleType, kind: str, tmp_path: Path) -> None:
    held = tmp_path / "held.json"
    held.write_text("{}", encoding="utf-8")
    address = held.as_uri() if kind == "file" else "http://127.0.0.1:9/held.json"
    with pytest.raises(Exception, match=r"retrieving it failed|Unresolvable"):
        list(used.Schema({"$ref": address}).misfits(1))


def test_what_cannot_be_used_is_an_error(used: ModuleType) -> None:
    with pytest.raises(Exception, match="text"):
        used.Schema({"type": "text"})


def test_a_very_deep_schema_stops_neither(used: ModuleType) -> None:
    deep: dict[str, Any] = {"type": "object"}
    for _ in range(400):
        deep = {"properties": {"inner": deep}}
    assert used.is_schema(deep) is (used.jsonschema_rs is not None)


def test_the_practice_api_demands_the_same_with_either_validator() -> None:
    """Its tests, once more, in a process that has no jsonschema-rs."""
    hide = (
        "import sys; sys.modules['jsonschema_rs'] = None; import pytest; sys.exit(pytest.main({}))"
    )
    chosen = ["-q", "-p", "no:cacheprovider", str(HERE / "test_practice_requests.py")]
    ran = subprocess.run(
        [sys.executable, "-c", hide.format(chosen)],
        cwd=HERE.parent,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-3000:]
    assert " passed" in ran.stdout
