"""The practice model: what is called, asked or answered when no script says so.

It is not a language model. A sentence encoder tells which tool a question is closest to, rules
take the arguments out of the question's words, and templates make an answer of the results. The
same request gets the same reply in every process, and nothing is remembered between requests.

Of the system prompt it honours three things: a numbered list that names tools is the order in
which they are called, and a tool by which the work is to end ("end by calling write_report")
is called last, with what was found. Where a long text is all it gets, "at most 8 sentences" says
how many of them it gives back.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentlab.language import gettext
from agentlab.practice import answers, repair, workflow
from agentlab.practice.choosing import ARGUMENTS, CLAIMED, Card, rank
from agentlab.practice.conversation import Call, Conversation, Step, read
from agentlab.practice.plan import SURE, Wanted, most_likely, planned, unserved
from agentlab.practice.schema import parameters
from agentlab.practice.script import Reply, both, say, use

LENGTH = re.compile(r"\bat most (\d{1,2}) sentences\b", re.IGNORECASE)
CLEARLY = 0.05
"""How much better a tool must fit than the one called already, to be called after it."""


def about() -> str:
    """What is answering, in one line."""
    return gettext(
        "practice model USE-multilingual (a sentence encoder of 2019, and rules), "
        "not Claude and not a language model"
    )


def choose(body: Mapping[str, Any]) -> Reply:
    """The practice model's reply to a request to the Messages API.

    Args:
        body: the request: `messages`, and where given `tools`, `tool_choice` and `system`.
    """
    conversation = read(body)
    if not conversation.cards or conversation.choice == "none":
        return say(_in_words(conversation))
    if conversation.choice in ("any", "tool"):
        return _calling(_insisted(conversation))
    ending = workflow.ending_tool(conversation)
    cards = [card for card in conversation.cards if card is not ending]
    wanted = _wanted(conversation, cards)
    if ending and not _unmade(wanted, conversation):
        wanted += workflow.onward(conversation, cards)
    pending = _unmade(wanted, conversation)
    if pending:
        return _calling(pending if conversation.parallel else pending[:1])
    report = workflow.report(ending, conversation) if ending and conversation.steps else None
    return _calling([report]) if report else say(_closing_words(conversation, cards, wanted))


def _calling(calls: Sequence[Call]) -> Reply:
    return both(*(use(call.name, call.input) for call in calls))


def _in_words(conversation: Conversation) -> str:
    if conversation.steps:
        return answers.from_results(conversation.steps)
    asked_for = LENGTH.search(conversation.instructions)
    sentences = int(asked_for[1]) if asked_for else answers.SUMMARY_SENTENCES
    return answers.without_tool(conversation.question, conversation.cards, sentences)


def _wanted(conversation: Conversation, cards: Sequence[Card]) -> list[Wanted]:
    """What is to be called for the question, with what the results so far add to it."""
    wanted = workflow.ordered(conversation, cards) or planned(conversation, cards)
    wanted = [_filled_from_results(each, conversation.steps) for each in wanted]
    return [
        *wanted,
        *_detours(wanted, conversation, cards),
        *_next_ideas(wanted, conversation, cards),
    ]


def _unmade(wanted: Sequence[Wanted], conversation: Conversation) -> list[Call]:
    """The calls to make now: those not made yet, and for a failed one another try, once."""
    calls = _calls(wanted, conversation)
    return [call for call in calls if call.key not in conversation.made]


def _calls(wanted: Sequence[Wanted], conversation: Conversation) -> list[Call]:
    """The calls that the question comes to, made or not, a failed one put right where it can be."""
    failed = {step.call.key: step for step in conversation.steps if step.is_error}
    calls: dict[str, Call] = {}
    for each in wanted:
        call = each.call
        if each.missing:
            continue
        if call.key in failed:
            other = repair.repaired(each.card, failed[call.key], conversation.question)
            if other is not None:
                call = Call(each.card.name, other)
        calls.setdefault(call.key, call)
    return list(calls.values())


def _filled_from_results(wanted: Wanted, steps: Sequence[Step]) -> Wanted:
    if not wanted.missing:
        return wanted
    found = repair.from_results(wanted.card, wanted.missing, steps)
    missing = tuple(name for name in wanted.missing if name not in found)
    return replace(wanted, arguments={**wanted.arguments, **found}, missing=missing)


def _detours(
    wanted: Sequence[Wanted], conversation: Conversation, cards: Sequence[Card]
) -> list[Wanted]:
    """A call that may tell what another one lacks.

    "Where is the parcel of SP-1024?" needs a tracking number and gives an order number: so the
    tool that takes an order number is called first, as its result may hold the other.
    """
    lacking = [each for each in wanted if each.missing]
    if not lacking or len(lacking) < len(wanted) or not _findable(lacking[0]):
        return []
    others = [card for card in cards if card.name != lacking[0].card.name]
    for choice in rank(conversation.question, others):
        if not choice.filling.missing and choice.filling.evidence >= 1 and _only_reads(choice.card):
            return [Wanted(choice.card, choice.filling.values, (), conversation.question)]
    return []


def _findable(wanted: Wanted) -> bool:
    """Whether what is missing is something a result may hold, as it may an identifier."""
    kinds = {each.name: each.kind for each in parameters(wanted.card.input_schema)}
    return all(kinds[name] in ("code", "email", "url") for name in wanted.missing)


def _only_reads(card: Card) -> bool:
    """Whether the name says that the tool looks something up; a detour must not do more."""
    return card.spoken_name.partition(" ")[0] in answers.READING


def _next_ideas(
    wanted: Sequence[Wanted], conversation: Conversation, cards: Sequence[Card]
) -> list[Wanted]:
    """A tool that fits the question better, now that a result has told what it needs."""
    if len(wanted) != 1 or not conversation.steps or wanted[0].missing:
        return []
    called = {step.call.name for step in conversation.steps}
    ranked = rank(conversation.question, cards)
    used = next((c for c in ranked if c.card.name == wanted[0].card.name), None)
    reached, taken = (used.score, used.claimed) if used else (0.0, 0.0)
    for choice in ranked:
        if choice.card.name in called or not choice.filling.missing or not _only_reads(choice.card):
            continue
        found = repair.from_results(choice.card, choice.filling.missing, conversation.steps)
        # what the result tells would count for it as if the question had told it
        score = choice.score + ARGUMENTS * (1 - choice.filling.evidence)
        score += CLAIMED * max(0.0, taken - choice.claimed)
        complete = len(found) == len(choice.filling.missing)
        if complete and score >= max(SURE, reached + CLEARLY):
            return [Wanted(choice.card, {**choice.filling.values, **found}, (), "")]
    return []


def _insisted(conversation: Conversation) -> list[Call]:
    """The call to make where `tool_choice` insists on one.

    The API promises a call each time, also after the results; so another tool comes next where
    there is one, and a caller that insists on a single tool for ever gets it for ever.
    """
    cards = conversation.cards
    if conversation.choice == "tool":
        named = conversation.card(conversation.forced_name)
        cards = (named,) if named else cards
    calls = _calls(planned(conversation, cards), conversation)
    likely = most_likely(conversation, cards)
    if conversation.steps:  # what is done for no reason had better change nothing
        likely.sort(key=lambda each: not _only_reads(each.card))
    calls += [each.call for each in likely]
    fresh = [call for call in calls if call.key not in conversation.made]
    if conversation.steps and not fresh:
        last = conversation.steps[-1].call.key
        fresh = [call for call in calls if call.key != last] or calls
    return fresh[:1]


def _closing_words(
    conversation: Conversation, cards: Sequence[Card], wanted: Sequence[Wanted]
) -> str:
    """The answer from the results, and a question for what is still missing."""
    lacking = [each for each in wanted if each.missing]
    told = [answers.from_results(conversation.steps)] if conversation.steps else []
    if wanted:
        told += [
            f"I have no tool for “{clause.strip(' ?.!')}”."
            for clause in unserved(conversation.question, cards)
        ]
    told += [answers.asking(each.card, each.missing) for each in lacking[:1]]
    return " ".join(told) or answers.without_tool(conversation.question, cards)
