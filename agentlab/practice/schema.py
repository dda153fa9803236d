"""What a parameter's schema says about the value it takes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agentlab.practice.lexicon import words
from agentlab.practice.values import stem, stems

PLACES = words(
    """
    city town place location country region state capital destination origin where area
    """
)
DATES = words(
    """
    date day when deadline due birthday checkin checkout arrival until since
    """
)
FILES = words("path file filename filepath folder directory dir")
FOLDERS = words("folder directory dir")
EXAMPLE = re.compile(
    r"(?:e\.\s?g\.|for example|such as|like|example:?|например|məsələn)[,:]?\s+"
    r"[\"'`]?([^\s,;\"'`]+)"
)
SHAPED = re.compile(r"([A-Za-z]{1,10}[-_#]?)(\d+)((?:[-_]\d+)*)")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool, as its schema describes it."""

    name: str
    schema: dict[str, Any]
    required: bool

    @cached_property
    def many(self) -> bool:
        """Whether it takes a list."""
        return self.schema.get("type") == "array"

    @cached_property
    def item(self) -> dict[str, Any]:
        """The schema of one value: of the list's items where it takes a list."""
        items: dict[str, Any] = self.schema.get("items", {}) if self.many else self.schema
        return items

    @cached_property
    def item_type(self) -> str:
        """The JSON type of one value; text where the schema does not say."""
        return str(self.item.get("type", "string"))

    @cached_property
    def description(self) -> str:
        """What the schema says in words; empty where it says nothing."""
        return str(self.schema.get("description") or self.item.get("description") or "")

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the name, as stems and as they are."""
        parts = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", self.name).lower().split()
        return frozenset(parts) | {stem(part) for part in parts}

    @cached_property
    def about(self) -> frozenset[str]:
        """The stems of name and description."""
        return self.words | frozenset(stems(self.description))

    @cached_property
    def options(self) -> list[Any]:
        """The values it is limited to; empty where it is not."""
        return list(self.item.get("enum", ()))

    @cached_property
    def pattern(self) -> str:
        """The pattern its values must match, if there is one that Python reads."""
        pattern = str(self.item.get("pattern", ""))
        return pattern if _readable(pattern) else ""

    @cached_property
    def shape(self) -> tuple["re.Pattern[str]", str] | None:
        """What an identifier looks like, from its pattern or from an example in the description.

        The text beside the pattern is the example's letters, to be put before bare digits.
        """
        told = [str(example) for example in self.schema.get("examples", ())]
        told += [match.rstrip(".)") for match in EXAMPLE.findall(self.description)]
        examples = [match for each in told if (match := SHAPED.fullmatch(each))]
        prefix = examples[0].group(1) if examples else ""
        if self.pattern:
            letters = re.match(r"\^?([A-Z]+-?)(?=[\[\\(])", self.pattern)
            prefix = prefix or (letters.group(1) if letters else "")
            return re.compile(self.pattern.removeprefix("^").removesuffix("$")), prefix
        if examples:
            parts = [
                re.escape(prefix),
                r"\d+",
                r"[-_]\d+" * len(re.findall(r"[-_]\d+", examples[0].group(3))),
            ]
            return re.compile("".join(parts)), prefix
        return None

    @cached_property
    def kind(self) -> str:
        """What sort of value it takes, such as `code`, `date` or `place`."""
        if "const" in self.item:
            return "constant"
        if self.options:
            return "currency" if self._lists_currencies else "option"
        if self.item_type in ("integer", "number"):
            return "number"
        if self.item_type == "boolean":
            return "flag"
        if self.item_type == "object":
            return "object"
        return self._kind_of_text

    @property
    def _kind_of_text(self) -> str:  # noqa: C901 - as above
        format_ = str(self.item.get("format", ""))
        described = self.description.lower()
        if (
            "email" in self.words
            or format_ == "email"
            or re.search(r"\be-?mail address", described)
        ):
            return "email"
        if format_ in ("uri", "url") or self.words & {"url", "urls", "link", "uri", "website"}:
            return "url"
        if format_ in ("date", "date-time"):
            return "date"
        if "currency" in self.words or "three-letter code of the currency" in described:
            return "currency"
        if self._takes_a_month:
            return "month"
        if format_ == "time" or (self.words & {"time", "hour"} and not self.pattern):
            return "time"
        if self.shape:
            return "code"
        if self.words & FILES and not self.words & {"content", "contents", "text"}:
            return "path"
        if self.words & DATES or "yyyy-mm-dd" in described:
            return "date"
        if self.words & {"id", "code", "number", "no", "nr", "reference", "ref", "sku", "isbn"}:
            return "code"
        if self.words & PLACES or re.match(
            r"(?:the )?(?:name of (?:the|a) )?(?:city|town|place)\b", described
        ):
            return "place"
        return "text"

    @property
    def _takes_a_month(self) -> bool:
        if self.pattern:
            return bool(re.fullmatch(self.pattern, "2026-05"))
        return "month" in self.words or bool(re.search(r"YYYY-MM(?!-DD)", self.description))

    @property
    def _lists_currencies(self) -> bool:
        return all(re.fullmatch(r"[A-Z]{3}", str(each)) for each in self.options) and bool(
            self.about & {"currency", "currenc", "currencies", stem("currency")}
        )

    @property
    def takes_one_word(self) -> bool:
        """Whether its example is a single word, such as the name of a library."""
        example = EXAMPLE.search(self.description)
        if example is None or not re.fullmatch(r"[a-z][\w-]*[.)]?", example.group(1)):
            return False
        return example.group(1)[-1] in ".)" or not self.description[example.end() :].startswith(" ")

    @property
    def says_what_it_takes(self) -> bool:
        """Whether the schema tells more about it than a name and a type."""
        return bool(self.description or self.options or self.pattern or self.item.get("format"))

    @property
    def takes_a_folder(self) -> bool:
        """Whether a path that it takes is a folder's and not a file's."""
        return bool(self.words & FOLDERS)

    @property
    def sure_kind(self) -> bool:
        """Whether a value of the kind must be meant for this parameter."""
        return self.kind != "code" or self.shape is not None

    @property
    def recognisable(self) -> bool:
        """Whether its value would be recognised if it were there, so that its absence tells."""
        return self.kind in ("email", "url", "path", "currency", "month", "number") or (
            self.kind == "code" and self.shape is not None
        )


def _readable(pattern: str) -> bool:
    """Whether Python reads the pattern; JSON Schema's are JavaScript's, which differ a little."""
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def parameters(schema: Mapping[str, Any]) -> list[Parameter]:
    """The parameters of a tool, required ones first, references resolved."""
    definitions = schema.get("$defs", {})
    required = schema.get("required", ())
    found = [
        Parameter(name, _resolved(described, definitions), name in required)
        for name, described in (schema.get("properties") or {}).items()
    ]
    return sorted(found, key=lambda each: not each.required)


def _resolved(schema: Any, definitions: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """The schema with references followed and, of several forms, the first that is not null."""
    if not isinstance(schema, dict) or depth > 8:  # a type may hold itself
        return {}
    if "$ref" in schema:
        target = definitions.get(str(schema["$ref"]).rpartition("/")[2], {})
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
        return _resolved(schema, definitions, depth + 1)
    for union in ("anyOf", "oneOf", "allOf"):
        forms = [form for form in schema.get(union, ()) if form.get("type") != "null"]
        if forms:
            outer = {key: value for key, value in schema.items() if key != union}
            return _resolved({**forms[0], **outer}, definitions, depth + 1)
    resolved = dict(schema)
    if isinstance(resolved.get("type"), list):
        resolved["type"] = next((t for t in resolved["type"] if t != "null"), "string")
    if "items" in resolved:
        resolved["items"] = _resolved(resolved["items"], definitions, depth + 1)
    if "properties" in resolved:
        resolved["properties"] = {
            name: _resolved(inner, definitions, depth + 1)
            for name, inner in resolved["properties"].items()
        }
    return resolved


TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether `value` keeps to the schema's type, options, pattern and bounds."""
    expected = TYPES.get(str(schema.get("type")), ())
    if expected and (
        not isinstance(value, expected) or isinstance(value, bool) is not (expected == (bool,))
    ):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, str):
        pattern = str(schema.get("pattern", ""))
        return not _readable(pattern) or re.search(pattern, value) is not None
    if isinstance(value, list):
        return all(fits(each, schema.get("items", {})) for each in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _within(value, schema)
    return True


def _within(value: float, schema: Mapping[str, Any]) -> bool:
    return not (
        value < schema.get("minimum", value)
        or value > schema.get("maximum", value)
        or value <= schema.get("exclusiveMinimum", value - 1)
        or value >= schema.get("exclusiveMaximum", value + 1)
    )
