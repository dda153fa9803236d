"""The little that the practice model takes from a system prompt: an order of work, and its end."""

import re
from collections.abc import Sequence
from typing import Any

from agentlab.practice import answers, repair
from agentlab.practice.choosing import Card, demanded, rank
from agentlab.practice.conversation import Call, Conversation, Step
from agentlab.practice.plan import Wanted
from agentlab.practice.schema import fits, parameters
from agentlab.practice.values import core, urls

ENDING = r"\b(?:end|ends|ending|finish|finishes|finally|conclude|last|deliver|submit)\b[^.\n]{0,80}"


def ending_tool(conversation: Conversation) -> Card | None:
    """The tool by which the work is to end, if the system prompt or a description names one."""
    for card in conversation.cards:
        named = rf"{ENDING}\b{re.escape(card.name)}\b"
        if re.search(named, conversation.instructions, re.IGNORECASE):
            return card
        if re.search(
            r"\bends? the (?:run|work|research|task)\b|\bfinal report\b", card.description
        ):
            return card
    return None


def ordered(conversation: Conversation, cards: Sequence[Card]) -> list[Wanted]:
    """The calls in the order in which a numbered list in the system prompt names the tools.

    Those made come first, then the one that is next; a tool whose arguments are neither in the
    question nor in the results so far is passed over. Empty where there is no such list.
    """
    lines = re.findall(r"(?m)^\s*\d+[.)]\s+(.*)$", conversation.instructions)
    named = {
        card.name: card
        for line in lines
        for card in cards
        if re.search(rf"\b{re.escape(card.name)}\b", line)
    }
    if not named or _chats(conversation, cards):
        return []
    wanted: list[Wanted] = []
    for card in named.values():
        made = [step.call for step in conversation.steps if step.call.name == card.name]
        if made:
            wanted.append(Wanted(card, made[0].input))
            continue
        ready = _ready(card, conversation)
        if ready is not None:
            return [*wanted, ready]  # one after the other: the next may need what this one finds
    return wanted


def onward(conversation: Conversation, cards: Sequence[Card]) -> list[Wanted]:
    """Where the work has an end to reach: the best tool, and then those that go on from results."""
    if _chats(conversation, cards):
        return []
    called = {step.call.name for step in conversation.steps}
    for choice in rank(conversation.question, cards):
        if choice.card.name in called:
            continue
        ready = _ready(choice.card, conversation)
        needs_results = bool(choice.filling.missing)
        if ready is not None and needs_results == bool(conversation.steps):
            return [ready]
    return []


def _chats(conversation: Conversation, cards: Sequence[Card]) -> bool:
    """Whether the question is small talk rather than work."""
    return not conversation.steps and demanded(conversation.question) > 0.6 and bool(cards)


def _ready(card: Card, conversation: Conversation) -> Wanted | None:
    """The call of a tool, if question and results give all that it needs."""
    filling = card.fill(conversation.question)
    found = repair.from_results(card, filling.missing, conversation.steps)
    if len(found) < len(filling.missing):
        return None
    return Wanted(card, {**filling.values, **found}, (), conversation.question)


def report(card: Card, conversation: Conversation) -> Call | None:
    """The call that ends the work, with a title, the text and the addresses it rests on.

    `None` where it has been made, or where the tool asks for more than that.
    """
    if any(step.call.name == card.name and not step.is_error for step in conversation.steps):
        return None
    sources = [each.value for step in conversation.steps for each in urls(step.result)]
    arguments: dict[str, Any] = {}
    for each in parameters(card.input_schema):
        if each.many:
            arguments[each.name] = list(dict.fromkeys(sources))
        elif each.words & {"title", "topic", "subject", "question"}:
            arguments[each.name] = core(conversation.question) or conversation.question
        elif each.required and each.kind == "text":
            arguments[each.name] = written(conversation.steps)
    if not all(
        fits(arguments.get(e.name), e.schema) for e in parameters(card.input_schema) if e.required
    ):
        return None
    call = Call(card.name, arguments)
    return None if call.key in conversation.made else call


def written(steps: Sequence[Step]) -> str:
    """What the results say, as the text of a report: each page's main sentences and its address."""
    pages = {
        str(record["url"]): text
        for step in steps
        for record in _records(step.data)
        for key, text in record.items()
        if "url" in record and key in ("text", "content", "body", "summary", "snippet")
    }
    if not pages:
        return answers.from_results(steps)
    return "\n".join(f"- {answers.summary(text)} ({url})" for url, text in pages.items())


def _records(data: Any) -> list[dict[str, Any]]:
    if isinstance(data, dict):
        inner = [record for value in data.values() for record in _records(value)]
        return [data, *inner]
    if isinstance(data, list):
        return [record for each in data for record in _records(each)]
    return []
