"""Finding what is weak in a tool's definition, before a model has to guess.

Each rule looks for one thing that makes models call the wrong tool, or the right one wrongly. A
rule cannot know whether a text is true or good: a definition without findings is only readable.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

from agentlab.descriptions.definitions import AnyTool, definition_of
from agentlab.errors import DefinitionError
from agentlab.language import gettext, ngettext
from agentlab.practice.choosing import Card
from agentlab.practice.encoder import similarity
from agentlab.signatures import Context, documentation_of, type_hints
from agentlab.tools import NAME_PATTERN, Tool, tool
from agentlab.views.html import STYLE
from agentlab.views.table import Column, Table, safe

Severity = Literal["error", "warning", "note"]
SEVERITIES: Mapping[Severity, str] = {
    "error": gettext("error"),
    "warning": gettext("warning"),
    "note": gettext("note"),
}
"""What each is called, the gravest first."""

CHARACTERS_PER_TOKEN = 4
MOST_TOKENS = 500
"""A definition is sent with every request; beyond this it should be worth its price."""
LEAST_WORDS = 6
"""A description of fewer words leaves out what it does, when to call it or what it gives."""
MANY_PARAMETERS = 4
"""From this number on, it is unlikely that a call needs every one of them."""
LOOK_ALIKE = 0.82
"""Nearness of meaning at which two tools are taken for each other.

Different tools of one server reach 0.80 (create an event, move an event), so less would raise
false alarms. Copies that were reworded lie between 0.75 and 0.91: some of them are missed, and
only a measurement finds those.
"""
MOST_ROWS = 100
MOST_COMPARED = 200
"""Tools that are compared in pairs; beyond it the pairs become too many to be read."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


VAGUE = _words(
    """
    action apply call check compute data details do entity entry execute exec fetch field fields
    function get give handle handler handling helper info information input item items job look
    lookup main make manage manager misc object objects operate operation output perform process
    processor query record records request requests resource resources response result results
    return run something stuff system task tool tools thing things up update use user users util
    utility value values various work calc string text id new my
    """
)
"""Words that fit any tool and therefore tell none from another."""

FILLERS = _words(
    """
    a about all an and any as at be by can for from function helper in into is it its of on or
    that the them these this those to tool used via which with you your needed given based etc
    """
)
"""Words that carry no meaning of their own."""

LIMIT = re.compile(
    r"\b(?:not|never|cannot|can't|doesn't|don't|won't|only|without|except|unless|no more than|"
    r"at most|at least|up to|maximum|limited?|must|read-only|neither|nothing|instead|"
    r"returns?|gives?|tells?|lists?|shows?|answers? with|yields?|produces?|results? in|"
    r"empty|fails?|error|undone|for good|permanent\w*|replace[sd]?|overwrit\w+)\b",
    re.IGNORECASE,
)
"""How texts say what a tool gives back, or where it ends."""

WHEN = re.compile(
    r"\b(?:use|used|call|choose|prefer|pick|useful|helpful|meant|intended|run|needed)\b"
    r".*\b(?:when|whenever|if|for|to|before|after|once|instead|as soon as)\b"
    r"|^(?:when|whenever|if|before|after|for questions)\b"
    r"|\b(?:when|if) (?:the user|someone|somebody|a user|a customer|the customer|you)\b",
    re.IGNORECASE,
)
"""How sentences say when to call."""

LISTED = re.compile(
    r"\b(?:one of|either|allowed(?: values)?|valid(?: values)?|possible(?: values)?|"
    r"accepted(?: values)?|options|choices|values?|must be|can be|may be|should be)\b"
    r"[^.]*?(?:(?P<list>[\"'`]?[\w-]+[\"'`]?(?:\s*[,|/]\s*(?:or\s+)?[\"'`]?[\w-]+[\"'`]?)+"
    r"(?:,?\s+or\s+[\"'`]?[\w-]+[\"'`]?)?)|[\"'`][\w-]+[\"'`]\s+(?:or|and)\s+[\"'`][\w-]+[\"'`])"
    r"|\b(?P<bars>[\w-]+(?:\s*\|\s*[\w-]+)+)",
    re.IGNORECASE,
)
"""How texts list the values that are allowed."""

EXAMPLE = re.compile(r"(?:\be\.g\.|\bfor example|\bsuch as|\blike\b).*", re.IGNORECASE)


@dataclass(frozen=True)
class Finding:
    """One weakness of a tool's definition."""

    rule: str
    severity: Severity
    tool: str
    problem: str
    """What is wrong, in a sentence."""
    fix: str
    """What to do about it."""

    def __str__(self) -> str:
        severity = SEVERITIES[self.severity]
        return f"{self.tool}: {severity}: {self.problem} {self.fix} [{self.rule}]"


class Findings(list[Finding]):
    """Findings as a list that shows itself as a table, the gravest first."""

    @property
    def table(self) -> Table:
        """A row for each finding."""
        columns = [
            Column(gettext("tool"), "name"),
            Column("", "name"),
            Column(gettext("problem")),
            Column(gettext("do this")),
        ]
        rows = [
            [each.tool, SEVERITIES[each.severity], f"{each.problem} [{each.rule}]", each.fix]
            for each in self[:MOST_ROWS]
        ]
        if len(self) > MOST_ROWS:
            rows.append([gettext("… and {count} more", count=len(self) - MOST_ROWS)])
        return Table(ngettext("{count} finding", "{count} findings", len(self)), columns, rows)

    def __repr__(self) -> str:
        if not self:
            return gettext("Nothing found. Measure, to see how it does.")
        return self.table.as_text()

    def _repr_html_(self) -> str:
        return self.table.as_html() if self else f'<p style="{STYLE}">{safe(repr(self))}</p>'


@dataclass(frozen=True)
class Subject:
    """A definition under examination, and the function behind it where there is one."""

    definition: Mapping[str, Any]
    function: Callable[..., Any] | None = None

    @cached_property
    def card(self) -> Card:
        """The definition as the practice model reads it."""
        return Card.read(self.definition)

    @property
    def name(self) -> str:
        """The tool's name."""
        return str(self.definition["name"])

    @cached_property
    def description(self) -> str:
        """The description on one line."""
        return " ".join(str(self.definition.get("description") or "").split())

    @cached_property
    def sentences(self) -> list[str]:
        """The sentences of the description."""
        return re.split(r"(?<=[.!?;])\s+", self.description.replace("e.g. ", "e.g., "))

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The input schema; empty where it is none."""
        schema = self.definition.get("input_schema")
        return schema if isinstance(schema, Mapping) else {}

    @cached_property
    def properties(self) -> Mapping[str, Mapping[str, Any]]:
        """The parameters by name, each with what its reference leads to."""
        shared = self.schema.get("$defs") or {}
        found = {}
        for name, parameter in (self.schema.get("properties") or {}).items():
            parameter = parameter if isinstance(parameter, Mapping) else {}
            target = str(parameter.get("$ref", "")).rpartition("/")[2]
            found[name] = {**shared.get(target, {}), **parameter}
        return found

    def finding(self, rule: str, severity: Severity, problem: str, fix: str) -> Finding:
        """A finding about this tool."""
        return Finding(rule, severity, self.name, problem, fix)


def lint(given: AnyTool) -> Findings:
    """What is weak in the definition of one tool, the gravest first.

    Args:
        given: a tool, a function that could be made one, or a definition.

    Raises:
        DefinitionError: for a mapping without a name.
        TypeError: for what is no tool at all.
    """
    return _sorted(_examined(given))


def lint_all(tools: Sequence[AnyTool]) -> Findings:
    """What is weak in each tool, and which of them look alike.

    Args:
        tools: tools, functions or definitions.
    """
    findings = [finding for each in tools for finding in _examined(each)]
    subjects = [subject for each in tools if isinstance(subject := _subject_of(each), Subject)]
    return _sorted([*findings, *_same_names(subjects), *_look_alikes(subjects[:MOST_COMPARED])])


def estimated_tokens(definition: Mapping[str, Any]) -> int:
    """About how many input tokens a definition costs in every request."""
    return len(json.dumps(definition, ensure_ascii=False, default=str)) // CHARACTERS_PER_TOKEN


def _examined(given: AnyTool) -> Iterator[Finding]:
    subject = _subject_of(given)
    if isinstance(subject, Finding):
        yield subject
        return
    for rule in RULES:
        yield from rule(subject)


def _subject_of(given: AnyTool) -> Subject | Finding:
    """The definition and its function, or why there can be no definition."""
    if isinstance(given, Tool):
        return Subject(given.to_param(), given.function)
    if isinstance(given, Mapping) or not callable(given):
        return Subject(definition_of(given))
    try:
        documented = bool(documentation_of(given).short_description)
        made = tool(given) if documented else tool(description="-")(given)
    except DefinitionError as error:
        name = getattr(given, "__name__", type(given).__name__)
        problem = gettext("No tool can be made of it.")
        return Finding("no-definition", "error", name, problem, str(error))
    definition = made.to_param() if documented else {**made.to_param(), "description": ""}
    return Subject(definition, given)


def _sorted(findings: Iterator[Finding] | Sequence[Finding]) -> Findings:
    gravity = {severity: place for place, severity in enumerate(SEVERITIES)}
    return Findings(sorted(findings, key=lambda finding: gravity[finding.severity]))


def _content_words(text: str) -> list[str]:
    """The words that could tell a tool from others, in small letters."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    return [
        word
        for word in words
        if word not in FILLERS and not {word, _singular(word), _of_verb(word)} & VAGUE
    ]


def _singular(word: str) -> str:
    return word.removesuffix("s")


def _of_verb(word: str) -> str:
    return word.removesuffix("es")


# --- names ---


def _invalid_name(subject: Subject) -> Iterator[Finding]:
    if not NAME_PATTERN.fullmatch(subject.name):
        problem = gettext("The API refuses the name {name!r}.", name=subject.name)
        fix = gettext("Use 1 to 64 letters, digits, dashes and underscores.")
        yield subject.finding("invalid-name", "error", problem, fix)


def _vague_name(subject: Subject) -> Iterator[Finding]:
    words = subject.card.spoken_name.split()
    telling = [word for word in words if _content_words(word)]
    if not telling:
        problem = gettext("The name {name!r} would fit any tool.", name=subject.name)
        fix = gettext("Name what it does and to what: get_order_status.")
        yield subject.finding("vague-name", "warning", problem, fix)
    elif len(words) == 1:
        problem = gettext(
            "The name {name!r} is a single word: what is done, or to what, is left.",
            name=subject.name,
        )
        fix = gettext("Join a verb and its object: search_orders.")
        yield subject.finding("one-word-name", "warning", problem, fix)


# --- descriptions ---


def _no_purpose(subject: Subject) -> Iterator[Finding]:
    if not subject.description:
        problem = gettext("There is no description, so a model has only the name.")
    elif _only_repeats_the_name(subject):
        problem = gettext(
            "The description {description!r} only repeats the name.",
            description=subject.description,
        )
    else:
        return
    fix = gettext(
        "Say in a sentence what the tool does, then when to call it and what it does not do."
    )
    yield subject.finding("no-purpose", "error", problem, fix)


def _says_something(subject: Subject) -> bool:
    return bool(subject.description) and not _only_repeats_the_name(subject)


def _only_repeats_the_name(subject: Subject) -> bool:
    name = {_stem(word) for word in subject.card.spoken_name.split()}
    said = {_stem(word) for word in re.findall(r"[^\W_]+", subject.description.lower())}
    return said - {_stem(word) for word in FILLERS} <= name


def _stem(word: str) -> str:
    return re.sub(r"(?:ies|es|ed|ing|s|y|e)$", "", word)


def _vague_description(subject: Subject) -> Iterator[Finding]:
    short = len(subject.description.split()) < LEAST_WORDS
    if _says_something(subject) and (short or len(set(_content_words(subject.sentences[0]))) < 2):
        said = subject.description[:60]
        problem = gettext(
            "The description {said!r} is too short or too general to tell it from others.",
            said=said,
        )
        fix = gettext("Name the things it works on, and what comes out.")
        yield subject.finding("vague-description", "warning", problem, fix)


def _no_when(subject: Subject) -> Iterator[Finding]:
    if _says_something(subject) and not any(map(WHEN.search, subject.sentences)):
        problem = gettext("No sentence says when to call it.")
        fix = gettext('Add one, such as "Use it when the user gives an order number."')
        yield subject.finding("no-when", "warning", problem, fix)


def _no_limit(subject: Subject) -> Iterator[Finding]:
    if _says_something(subject) and not LIMIT.search(subject.description):
        problem = gettext("Nothing says what it gives back, or what it does not do.")
        fix = gettext('Add where it ends, such as "It does not cancel orders."')
        yield subject.finding("no-limit", "note", problem, fix)


def _too_long(subject: Subject) -> Iterator[Finding]:
    if (tokens := estimated_tokens(subject.definition)) > MOST_TOKENS:
        problem = gettext(
            "The definition takes about {tokens:,} tokens, in every request.", tokens=tokens
        )
        fix = gettext(
            "Shorten it below {most}; move what is seldom needed into an error text.",
            most=MOST_TOKENS,
        )
        yield subject.finding("too-long", "warning", problem, fix)


# --- parameters ---


def _invalid_schema(subject: Subject) -> Iterator[Finding]:
    if subject.schema.get("type") != "object":
        problem = gettext(
            "The input schema has the type {kind!r}.", kind=subject.schema.get("type")
        )
        fix = gettext('The API demands "type": "object" with "properties".')
        yield subject.finding("invalid-schema", "error", problem, fix)
    required = subject.schema.get("required") or ()
    if unknown := [each for each in required if each not in subject.properties]:
        problem = gettext(
            "The schema requires {name!r}, which is not among its properties.", name=unknown[0]
        )
        fix = gettext("Describe it there, or take it out of required.")
        yield subject.finding("invalid-schema", "error", problem, fix)


def _undescribed_parameter(subject: Subject) -> Iterator[Finding]:
    bare = [
        name
        for name, parameter in subject.properties.items()
        if not str(parameter.get("description") or "").strip()
    ]
    if bare:
        problem = gettext("Nothing describes {names}.", names=", ".join(map(repr, bare)))
        fix = gettext("Say what it is, in which form, and give an example.")
        yield subject.finding("undescribed-parameter", "warning", problem, fix)


def _everything_required(subject: Subject) -> Iterator[Finding]:
    names = list(subject.properties)
    if len(names) >= MANY_PARAMETERS and set(names) <= set(subject.schema.get("required", ())):
        problem = gettext(
            "All {count} parameters are required, so a model must invent what it lacks.",
            count=len(names),
        )
        fix = gettext("Give those a default that a call can do without.")
        yield subject.finding("everything-required", "warning", problem, fix)


def _enum_in_prose(subject: Subject) -> Iterator[Finding]:
    for name, parameter in subject.properties.items():
        text = EXAMPLE.sub("", str(parameter.get("description") or ""))
        if parameter.get("type") == "string" and not _is_constrained(parameter):
            listed = LISTED.search(text)
            if listed:
                problem = gettext(
                    "The allowed values of {name!r} stand only in its text.", name=name
                )
                fix = gettext(
                    "Put them into the schema, too: an enum, or Literal[...] in the signature."
                )
                yield subject.finding("enum-in-prose", "warning", problem, fix)


def _is_constrained(parameter: Mapping[str, Any]) -> bool:
    return any(key in parameter for key in ("enum", "const", "pattern", "format", "anyOf"))


def _docstring_mismatch(subject: Subject) -> Iterator[Finding]:
    if subject.function is None:
        return
    described = {each.arg_name for each in documentation_of(subject.function).params}
    hints = type_hints(subject.function, subject.name)
    taken = {name for name, hint in hints.items() if name != "return"}
    seen = {name for name in taken if hints[name] is not Context}
    fix = gettext("Make the Args section and the signature name the same parameters.")
    if stale := sorted(described - taken):
        problem = gettext(
            "The docstring describes {names}, and there is no such parameter.",
            names=", ".join(stale),
        )
        yield subject.finding("docstring-mismatch", "error", problem, fix)
    elif described and (left := sorted(seen - described - _annotated(subject))):
        problem = gettext(
            "The docstring describes some parameters, and leaves out {names}.",
            names=", ".join(left),
        )
        yield subject.finding("docstring-mismatch", "warning", problem, fix)


def _annotated(subject: Subject) -> set[str]:
    """The parameters that are described elsewhere than in the docstring."""
    return {name for name, each in subject.properties.items() if each.get("description")}


# --- toolsets ---


def _same_names(subjects: Sequence[Subject]) -> Iterator[Finding]:
    for one, other in combinations(subjects, 2):
        if one.name == other.name:
            problem = gettext(
                "Two tools are named {name!r}; the API refuses a request with both.", name=one.name
            )
            yield other.finding("same-name", "error", problem, gettext("Rename one of them."))


def _look_alikes(subjects: Sequence[Subject]) -> Iterator[Finding]:
    for one, other in combinations(subjects, 2):
        if (alike := likeness(one.card, other.card)) > LOOK_ALIKE:
            problem = gettext(
                "It looks like {name!r} (likeness {likeness:.2f}).", name=one.name, likeness=alike
            )
            fix = gettext("Say in each what the other is for, or make one tool of the two.")
            yield other.finding("look-alike", "warning", problem, fix)


def likeness(one: Card, other: Card) -> float:
    """How close two tools are in meaning, by their names and what they say they do.

    Sentences on what a tool does not do are left out: they name the other tool, as they should.
    """
    return similarity(one.text, other.text)


RULES: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    _invalid_name,
    _invalid_schema,
    _no_purpose,
    _docstring_mismatch,
    _vague_name,
    _vague_description,
    _no_when,
    _no_limit,
    _undescribed_parameter,
    _everything_required,
    _enum_in_prose,
    _too_long,
)
"""What is looked for in each tool by itself."""
