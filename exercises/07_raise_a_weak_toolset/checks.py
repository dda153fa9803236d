"""Raise a weak toolset: cases."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from agentlab.descriptions import Measurement, Question, Selection, lint, measure
from agentlab.exercises import Case, Evidence, Exercise, Nonce, Scene
from agentlab.language import gettext, ngettext
from agentlab.practice import practice
from agentlab.tools import NAME_PATTERN

Questions = Sequence[tuple[int | None, Sequence[str]]]
"""The place of a tool, with questions that need it; `None` for those that need none."""
Text = tuple[str, str]
"""A tool's name and description."""

BETTER, BAR = 0.6, 0.8
"""Shares of the questions that have to find their tool."""
LONGEST = 400
"""Characters of a description, which is paid for with every request."""
COPIED = 5
"""Words in a row that a description and a question do not have in common by chance."""
GREEDY = re.compile(
    r"\b(?:every|any|all|each)\s+(?:\w+\s+){0,2}(?:questions?|requests?)\b"
    r"|\b(?:for|answers?)\s+(?:everything|anything)\b"
    r"|\bwhatever\s+(?:\w+\s+){1,2}(?:asks?|wants?|says?)\b",
    re.IGNORECASE,
)
"""How a description claims all questions for itself."""
LIMIT = re.compile(r"\b(?:not|never|cannot|no)\b", re.IGNORECASE)
"""How a sentence says what a tool leaves alone."""

SEEN: Questions = (
    (
        0,
        (
            "Is there still a bike left at Seaside?",
            "How many bikes could four of us get at the Old Town station right now?",
            "Are any bikes available at Garden Street?",
            "Can I pick up a bike at Central this minute, or is everything taken?",
        ),
    ),
    (
        1,
        (
            "Until when is the Seaside station open tonight?",
            "Does Garden Street open on Sundays?",
            "At what time do you close at Central?",
            "When does the Old Town station open in the morning?",
        ),
    ),
    (
        2,
        (
            "The brakes of bike B-204 do not work.",
            "Bike B-377 has a flat tyre.",
            "The chain of B-118 came off and I cannot put it back.",
            "The saddle on B-290 is broken, somebody should repair it.",
        ),
    ),
    (
        3,
        (
            "I would like to keep my bike two days longer; my hire is H-5102.",
            "Please add three days to hire H-4410.",
            "Can you prolong H-7731 by one day?",
            "We are not back before Friday, so make H-6020 four days longer.",
        ),
    ),
    (
        4,
        (
            "How much does a mountain bike cost for three days?",
            "What would I pay for a city bike for a week, 7 days?",
            "What is the price of a tandem for 2 days?",
            "Give me the total for five days with an electric bike.",
        ),
    ),
    (
        5,
        (
            "I am done with my hire H-5102 and have locked the bike.",
            "Please finish hire H-3090, I have brought the bike back.",
            "End H-8814 now, the bike stands at the station again.",
            "I returned the bike, please close H-2045.",
        ),
    ),
    (
        None,
        (
            "What will the weather be like tomorrow?",
            "Can you recommend a good restaurant?",
        ),
    ),
)


def schema(**types: str) -> Mapping[str, Any]:
    """An input schema with these parameters, all required."""
    properties = {name: {"type": kind} for name, kind in types.items()}
    return {"type": "object", "properties": properties, "required": list(types)}


SCHEMAS: Sequence[Mapping[str, Any]] = (
    schema(station="string"),
    schema(station="string"),
    schema(bike_number="string", fault="string"),
    schema(hire_number="string", days="integer"),
    schema(days="integer", bike_type="string"),
    schema(hire_number="string"),
)
"""What each tool takes; the same for every wording."""


def the_tools(nonce: Nonce) -> Scene:
    """The texts that the learner has written."""
    return Scene("TOOLS")


# --- measuring


@lru_cache(maxsize=32)
def measured(texts: tuple[Text, ...], questions: Questions) -> Measurement:
    """What the practice model chooses by these texts; it reads nothing else."""
    from anthropic import Anthropic, DefaultHttpxClient

    client = Anthropic(
        api_key="practice",
        base_url="http://practice.invalid",
        http_client=DefaultHttpxClient(transport=practice()),
    )
    definitions = [
        {"name": name, "description": description, "input_schema": schema}
        for (name, description), schema in zip(texts, SCHEMAS, strict=True)
    ]
    asked = [
        Question(text, None if place is None else texts[place][0])
        for place, of_tool in questions
        for text in of_tool
    ]
    return measure(definitions, asked, client=client, progress=False)


def texts_in(found: Any) -> tuple[Text, ...] | str:
    """The names and descriptions of a toolset, or why they are none."""
    if not isinstance(found, list) or len(found) != len(SCHEMAS):
        return ngettext(
            "your TOOLS has to stay a list of {count} tool, in the order they came in",
            "your TOOLS has to stay a list of {count} tools, in the order they came in",
            len(SCHEMAS),
        )
    texts = []
    for each in found:
        name, description = (
            (each.get("name"), each.get("description")) if isinstance(each, dict) else (None, None)
        )
        if not isinstance(name, str) or not isinstance(description, str):
            return gettext("each tool is a dict with a name and a description, both of them text")
        if not NAME_PATTERN.fullmatch(name):
            return gettext("the API refuses the name {name!r:.70}", name=name)
        if description.encode("utf-8", "ignore").decode() != description:
            return gettext(
                "the description of {name!r} holds half a character, which cannot be sent",
                name=name,
            )
        if len(description) > LONGEST:
            return ngettext(
                "the description of {name!r} has {count} character, and {most} are the most "
                "that each request should pay for",
                "the description of {name!r} has {count} characters, and {most} are the most "
                "that each request should pay for",
                len(description),
                name=name,
                most=LONGEST,
            )
        texts.append((name, description))
    if len({name for name, _ in texts}) < len(texts):
        return gettext("two of your tools have the same name")
    return tuple(texts)


def measurement_of(evidence: Evidence, questions: Questions) -> Measurement | str:
    """What became of these questions, or why that was not measured."""
    from anthropic import APIStatusError

    texts = texts_in(evidence.returned)
    if isinstance(texts, str):
        return texts
    try:
        return unfair(texts) or measured(texts, questions)
    except APIStatusError as error:
        return gettext("the API refused your tools: {message:.200}", message=error.message)


def unfair(texts: Sequence[Text]) -> str | None:
    """Whether a text repeats one of the questions that are known, or claims them all."""
    for name, description in texts:
        for sentence in re.split(r"(?<=[.!?;])\s+", description):
            claim = None if LIMIT.search(sentence) else GREEDY.search(sentence)
            if claim:
                return gettext(
                    "the description of {name!r} claims too much for one tool: {claim!r}",
                    name=name,
                    claim=claim[0],
                )
        runs = runs_of_words(description)
        for _, of_tool in SEEN:
            if copied := [text for text in of_tool if runs & runs_of_words(text)]:
                return gettext(
                    "the description of {name!r} repeats a question: {question!r}",
                    name=name,
                    question=copied[0],
                )
    return None


def runs_of_words(text: str) -> set[tuple[str, ...]]:
    """Every few words that follow each other in a text."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {tuple(words[at : at + COPIED]) for at in range(len(words) - COPIED + 1)}


# --- judging


def reaching(
    share: float, questions: Questions, *, are_seen: bool = True
) -> Callable[[Evidence], str | None]:
    """A judge of whether enough questions find their tool.

    Args:
        share: the least, from 0 to 1.
        questions: what is asked.
        are_seen: whether the learner knows the questions, so that one may be named.
    """

    def judge(evidence: Evidence) -> str | None:
        done = measurement_of(evidence, questions)
        if isinstance(done, str):
            return done
        if done.accuracy >= share:
            return None
        found, asked = len(done.right), len(done.selections)
        if not are_seen:
            return ngettext(
                "{count} of {total} questions that you have not seen found its tool, and "
                "{share:.0%} have to",
                "{count} of {total} questions that you have not seen found their tool, and "
                "{share:.0%} have to",
                found,
                total=asked,
                share=share,
            )
        return ngettext(
            "{count} of {total} questions found its tool, and {share:.0%} have to; {example}",
            "{count} of {total} questions found their tool, and {share:.0%} have to; {example}",
            found,
            total=asked,
            share=share,
            example=example_of(done),
        )

    return judge


def example_of(done: Measurement) -> str:
    """One question that went wrong."""
    each = next(each for each in done.selections if each.verdict != "right")
    return gettext("{question!r} led to {called}", question=each.question.text, called=called(each))


def called(each: Selection) -> str:
    """What was called, in words."""
    return gettext(" and ").join(each.called) or gettext("no tool")


def finding_each(questions: Questions) -> Callable[[Evidence], str | None]:
    """A judge of whether each tool is found for half of its questions."""

    def judge(evidence: Evidence) -> str | None:
        done = measurement_of(evidence, questions)
        if isinstance(done, str):
            return done
        for name in done.tools:
            own = [each for each in done.selections if each.expected == (name,)]
            found = sum(each.verdict == "right" for each in own)
            if 2 * found < len(own):
                return ngettext(
                    "your tool {name!r} was found for {found} of its {count} question",
                    "your tool {name!r} was found for {found} of its {count} questions",
                    len(own),
                    name=name,
                    found=found,
                )
        return None

    return judge


def worded(evidence: Evidence) -> str | None:
    """Whether each text says what, when and what not, under a name that says it too."""
    texts = texts_in(evidence.returned)
    if isinstance(texts, str):
        return texts
    rules = (
        "vague-name",
        "one-word-name",
        "no-purpose",
        "vague-description",
        "no-when",
        "no-limit",
    )
    for (name, description), schema in zip(texts, SCHEMAS, strict=True):
        for each in lint({"name": name, "description": description, "input_schema": schema}):
            if each.rule in rules:
                # Translators: {problem} is the same as {lowered}, and begins with a capital.
                return gettext(
                    "about {name!r}: {lowered} {fix}",
                    name=name,
                    lowered=each.problem[0].lower() + each.problem[1:],
                    problem=each.problem,
                    fix=each.fix,
                )
    return unfair(texts)


EXERCISE = Exercise(
    number="07",
    title=gettext("Raise a weak toolset"),
    answers=("TOOLS",),
    cases=(
        Case(
            "better",
            gettext("60% of the questions find their tool"),
            the_tools,
            reaching(BETTER, SEEN),
        ),
        Case(
            "bar", gettext("80% of the questions find their tool"), the_tools, reaching(BAR, SEEN)
        ),
        Case("every_tool", gettext("no tool is left behind"), the_tools, finding_each(SEEN)),
        Case("wording", gettext("what it does, when to call it, its limits"), the_tools, worded),
    ),
    hints=(
        gettext(
            "Begin with the names: a verb and what it is done to. Measure after each change; "
            "the list of wrong choices says which two tools are taken for each other."
        ),
        gettext(
            "Say in the first sentence what the tool does, in the words that a customer would "
            "use for it, and in the second one when to call it."
        ),
        gettext(
            "Where a tool is not found, think of three other ways to ask for it, and name what "
            "they have in common. A list of words out of the questions will not find the "
            "unseen ones."
        ),
    ),
)
