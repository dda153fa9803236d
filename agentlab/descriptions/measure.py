"""Measuring descriptions: ask questions, and see which tool a model picks for each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agentlab.clients import client as connect
from agentlab.descriptions.asking import (
    BATCH_PRICE,
    Body,
    ask_each,
    ask_in_batch,
    is_live,
)
from agentlab.descriptions.definitions import AnyTool, definitions_of
from agentlab.descriptions.matching import arguments_fit, verdict_on
from agentlab.descriptions.measurement import Measurement, Selection
from agentlab.descriptions.sets import Question, similar_names
from agentlab.errors import DefinitionError
from agentlab.language import gettext, ngettext
from agentlab.models import MODEL, estimate_cost

if TYPE_CHECKING:
    from anthropic import Anthropic
    from anthropic.types import Message

SYSTEM = (
    "Call the tools that the user's request needs, all of them in one reply. Where no tool fits, "
    "answer in a sentence and call none."
)
"""It says nothing of the tools: their descriptions are what is measured."""

MAX_TOKENS = 400
"""Enough for some calls; a longer answer would only cost."""

ENCODER_LANGUAGES = frozenset(
    ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
)
"""What the practice model's sentence encoder was trained on, as its authors list it."""


def measure(
    tools: Sequence[AnyTool],
    questions: Sequence[Question],
    client: "Anthropic | None" = None,
    samples: int = 1,
    model: str = MODEL,
    batch: bool = False,
    progress: bool | None = None,
) -> Measurement:
    """See how often a model picks the right tools, by their names, texts and schemas alone.

    Each question is one request with all tools; the calls of the reply are compared with what the
    question needs, and nothing is executed.

    Args:
        tools: tools, functions, or definitions as a request carries them.
        questions: the questions, each with the tools it needs.
        client: who answers; the practice model, or live by the usual switch, where this is `None`.
        samples: how often each question is asked. The practice model answers the same each time.
        model: the model that is asked.
        batch: send all requests as one message batch: half the price, but it may take hours.
        progress: show a bar on the error stream. `None` shows it in a terminal when the work
            takes longer than two seconds, and never in a notebook.

    Raises:
        DefinitionError: for no tools, no questions, or a question that expects an unknown tool.
        ValueError: for fewer samples than one.
        SpendingCapReached: for live requests that could together cost more than is left.
    """
    definitions = definitions_of(tools)
    asked = _each_once(questions)
    _require_known_tools(asked, [each["name"] for each in definitions])
    if samples < 1:
        raise ValueError(
            gettext(
                "Each question is asked once or more; found was samples={samples}.",
                samples=samples,
            )
        )
    client = client or connect()
    repeated = [question for question in asked for _ in range(samples)]
    bodies = [_request(question, definitions, model) for question in repeated]
    replies = list((ask_in_batch if batch else ask_each)(client, bodies, progress))
    by_name = {each["name"]: each for each in definitions}
    return Measurement(
        tuple(
            _selection(question, reply, by_name)
            for question, reply in zip(repeated, replies, strict=True)
        ),
        tuple(by_name),
        model,
        _tokens(replies),
        _cost(model, replies, BATCH_PRICE if batch else 1.0),
        tuple(_notes(questions, asked, replies, practising=not is_live(client))),
    )


def _each_once(questions: Sequence[Question]) -> list[Question]:
    """The questions without those that stand in the list twice.

    Raises:
        DefinitionError: for no questions, or one text with two different expectations.
    """
    found: dict[str, Question] = {}
    for each in questions:
        if not isinstance(each, Question):
            raise TypeError(
                gettext(
                    "Questions are Question(text, expected), and found was {found!r}. Write "
                    'Question("Where is SP-1024?", "get_order_status").',
                    found=each,
                )
            )
        first = found.setdefault(each.text, each)
        if first.calls != each.calls:
            raise DefinitionError(
                "The question {question!r} stands in the list twice, once expecting {first} "
                "and once {second}. Keep one of them.",
                question=each.text,
                first=list(first.tools),
                second=list(each.tools),
            )
    if not found:
        raise DefinitionError("There are no questions, so there is nothing to measure. Give some.")
    return list(found.values())


def _require_known_tools(questions: Sequence[Question], names: Sequence[str]) -> None:
    for question in questions:
        for name in question.tools:
            if name not in names:
                raise DefinitionError(
                    "The question {question!r} expects the tool {name!r}, which is not among "
                    "the {tools} measured. Did you mean {similar}? For no tool at all, expect "
                    "None.",
                    question=question.text,
                    name=name,
                    tools=ngettext("{count} tool", "{count} tools", len(names)),
                    similar=similar_names(name, names),
                )


def _request(question: Question, definitions: Sequence[Mapping[str, Any]], model: str) -> Body:
    return {
        "model": model,
        "max_tokens": MAX_TOKENS,
        "system": SYSTEM,
        "tools": list(definitions),
        "messages": [{"role": "user", "content": question.text}],
    }


def _selection(
    question: Question, reply: "Message", definitions: Mapping[str, Mapping[str, Any]]
) -> Selection:
    calls = [(block.name, block.input) for block in reply.content if block.type == "tool_use"]
    called = tuple(name for name, _ in calls)
    verdict = verdict_on(question, called)
    fit = arguments_fit(question, calls, definitions) if verdict == "right" else None
    return Selection(question, called, verdict, fit)


def _tokens(replies: Sequence["Message"]) -> dict[str, int]:
    return {
        "input_tokens": sum(reply.usage.input_tokens for reply in replies),
        "output_tokens": sum(reply.usage.output_tokens for reply in replies),
    }


def _cost(model: str, replies: Sequence["Message"], share: float) -> float | None:
    """Dollars at list prices; `share` is what a batch leaves of them."""
    costs = [estimate_cost(model, reply.usage.to_dict()) for reply in replies]
    known = [cost for cost in costs if cost is not None]
    return share * sum(known) if len(known) == len(costs) else None


def _notes(
    given: Sequence[Question],
    asked: Sequence[Question],
    replies: Sequence["Message"],
    *,
    practising: bool,
) -> Iterator[str]:
    """What to know before trusting the figures."""
    if repeated := len(given) - len(asked):
        yield ngettext(
            "{count} question stood in the list before, and was asked once.",
            "{count} questions stood in the list before, and was asked once.",
            repeated,
        )
    if cut := sum(reply.stop_reason == "max_tokens" for reply in replies):
        yield gettext(
            "{cut} of {total} replies ended early, at {most} tokens.",
            cut=cut,
            total=len(replies),
            most=MAX_TOKENS,
        )
    foreign = [question for question in asked if not _is_english(question)]
    if foreign and practising:
        count = ngettext(
            "{count} question not in English.", "{count} questions not in English.", len(foreign)
        )
        reason = gettext(
            "The practice model's encoder was trained on 16 languages, and its rules for arguments "
            "were made for English first: expect fewer right choices than from a language model."
        )
        yield f"{count} {reason}"
    if practising and (unread := sorted({each.language for each in asked} - ENCODER_LANGUAGES)):
        yield gettext(
            "The practice model's encoder was not trained on: {languages}.",
            languages=", ".join(unread),
        )


def _is_english(question: Question) -> bool:
    """By the question's own word, unless most of its letters are of another alphabet."""
    letters = [letter for letter in question.text if letter.isalpha()]
    foreign = sum(not letter.isascii() for letter in letters)
    return question.language == "en" and 2 * foreign <= len(letters)
