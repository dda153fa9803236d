"""What the API demands of a schema that it is to hold the model to: strict tools, and formats."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from agentlab.models import Model

MOST_STRICT_TOOLS = 20
MOST_OPTIONAL_PARAMETERS = 24
UNSUPPORTED = {
    "integer": ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"),
    "number": ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"),
    "string": ("maxLength", "minLength"),
    "array": ("maxItems", "uniqueItems"),
}
"""Keywords of JSON Schema that such a schema must do without, by the type they belong to."""
UNSUPPORTED_PATTERN = re.compile(r"\(\?<?[=!]|\\[1-9bB]")
"""Looking ahead or behind, referring back, the border of a word."""

Schema = Mapping[str, Any]


def strict_schemas(body: Mapping[str, Any], model: Model) -> Iterator[str]:
    """What is wrong with the schemas of strict tools, and with that of the answer's format."""
    strict = {
        f"tools.{index}.custom": tool["input_schema"]
        for index, tool in enumerate(body.get("tools", ()))
        if tool.get("strict") and "input_schema" in tool
    }
    answer = (body.get("output_config", {}).get("format") or {}).get("schema", {})
    if not strict and not answer:
        return
    for path, schema in {**strict, "output_config.format.schema": answer}.items():
        for part in _parts(schema):
            yield from (f"{path}: {problem}" for problem in _problems(part))
    parts = (part for schema in [*strict.values(), answer] for part in _parts(schema))
    optional = sum(len(_optional(part)) for part in parts)
    if len(strict) > MOST_STRICT_TOOLS or optional > MOST_OPTIONAL_PARAMETERS:
        yield "Schema is too complex for compilation."


def _parts(schema: Any) -> Iterator[Schema]:
    """A schema and every schema within it, but no default or example that looks like one."""
    if isinstance(schema, list):
        for each in schema:
            yield from _parts(each)
    if not isinstance(schema, Mapping):
        return
    yield schema
    for keyword in ("items", "anyOf", "allOf"):
        yield from _parts(schema.get(keyword))
    for keyword in ("properties", "$defs", "definitions"):
        named = schema.get(keyword)
        yield from _parts(list(named.values()) if isinstance(named, Mapping) else None)


def _problems(part: Schema) -> Iterator[str]:
    kind = part.get("type")
    if kind == "object" and part.get("additionalProperties") is not False:
        yield "For 'object' type, 'additionalProperties' must be explicitly set to false"
    if kind == "array" and part.get("minItems", 0) not in (0, 1):
        yield "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    unsupported = UNSUPPORTED.get(kind, ()) if isinstance(kind, str) else ()
    found = [keyword for keyword in unsupported if keyword in part]
    if found:
        several = f"properties {', '.join(found)} are"
        which = several if len(found) > 1 else f"property '{found[0]}' is"
        yield f"For '{kind}' type, {which} not supported"
    pattern = part.get("pattern")
    if isinstance(pattern, str) and UNSUPPORTED_PATTERN.search(pattern):
        yield f"Unsupported regex feature in pattern field: {pattern}"


def _optional(part: Schema) -> set[str]:
    named, required = part.get("properties"), part.get("required", [])
    return {name for name in named if name not in required} if isinstance(named, Mapping) else set()
