"""JSON Schema, draft 2020-12: whether a schema is one, and where a value does not fit it.

Two validators can do the work. jsonschema-rs is the one of every ordinary installation. In a
browser, for which there is no wheel of it, jsonschema takes its place: it words its messages in
its own way, reads patterns as Python does, and divides fractions less exactly. Neither fetches a
schema that another one refers to.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

try:
    import jsonschema_rs
except ModuleNotFoundError:
    from jsonschema import Draft202012Validator
    from referencing.jsonschema import EMPTY_REGISTRY

    jsonschema_rs = None  # type: ignore[assignment]
    OF_SCHEMAS = Draft202012Validator(Draft202012Validator.META_SCHEMA)


@dataclass(frozen=True)
class Misfit:
    """One place at which a value does not fit its schema."""

    path: tuple[str | int, ...]
    """Keys and indices that lead to the place; empty for the value as a whole."""
    message: str


class Schema:
    """A schema that values are held against.

    What the validator raises for a schema that cannot be used differs from one to the other, and
    comes here or with the first value.

    Args:
        written: the schema as JSON data, such as a tool's `input_schema`.
    """

    def __init__(self, written: Any) -> None:
        self._validator: Any
        if jsonschema_rs:
            self._validator = jsonschema_rs.Draft202012Validator(written, retriever=_refuse)
        else:
            OF_SCHEMAS.validate(written)
            self._validator = Draft202012Validator(written, registry=EMPTY_REGISTRY)

    def misfits(self, value: Any) -> Iterator[Misfit]:
        """Each place at which `value` does not fit, in the validator's order."""
        for error in self._validator.iter_errors(value):
            path = error.instance_path if jsonschema_rs else error.absolute_path
            yield Misfit(tuple(path), error.message)

    def takes(self, value: Any) -> bool:
        """Whether `value` fits."""
        return bool(self._validator.is_valid(value))


def is_schema(value: Any) -> bool:
    """Whether `value` is a schema; patterns and references in it are not looked into."""
    if jsonschema_rs:
        return bool(jsonschema_rs.meta.is_valid(value))
    try:
        return bool(OF_SCHEMAS.is_valid(value))
    except RecursionError:  # nested deeper than Python can look
        return False


def _refuse(address: str) -> NoReturn:
    raise LookupError(address)
