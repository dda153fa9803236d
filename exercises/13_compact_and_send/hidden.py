"""Compact and send: cases that are kept for grading."""

from agentlab_exercise_13_compact_and_send_checks import (
    asked,
    compacted,
    keeps_question,
    keeps_steps,
    new_facts,
    step,
)

from agentlab.exercises import Case, Nonce, Scene
from agentlab.language import gettext


def second_question(nonce: Nonce) -> Scene:
    """A question that was answered long ago, and the one that is worked on."""
    first, second = f"Where does {nonce.word()} live?", f"And where does {nonce.word()} live?"
    facts = new_facts(nonce, 4)
    messages = [
        asked(first),
        *step(1, facts[:1]),
        {"role": "assistant", "content": facts[0]},
        asked(second),
        *step(2, facts[1:2]),
        *step(3, facts[2:3]),
        *step(4, facts[3:]),
    ]
    return compacted(nonce, messages, 2, 4, {"question": second, "gone": facts[:2]})


def paused(nonce: Nonce) -> Scene:
    """A step whose reply came in two pieces, because it had paused."""
    question, facts = f"Where does {nonce.word()} live?", new_facts(nonce, 4)
    pause = {
        "type": "server_tool_use",
        "id": "srvtoolu_1",
        "name": "web_search",
        "input": {"query": "houses"},
    }
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    call, results = step(4, facts[3:])
    messages = [
        asked(question),
        *step(1, facts[:1]),
        *step(2, facts[1:2]),
        *step(3, facts[2:3]),
        {"role": "assistant", "content": [pause]},
        {"role": "assistant", "content": [found, *call["content"]]},
        results,
    ]
    return compacted(nonce, messages, 2, 5, {"question": question, "gone": facts[:2]})


HIDDEN = (
    Case(
        "second", gettext("the question that is worked on stays"), second_question, keeps_question
    ),
    Case("paused", gettext("a step in two pieces stays whole"), paused, keeps_steps),
)
