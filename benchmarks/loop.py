"""agentlab's loop beside a bare one, the SDK's tool runner and pydantic-ai, on the same API.

Every one of them has the same conversation of 1, 10, 100 and 1,000 steps with the practice API in
the same process, so what is measured is the loop's own time and the SDK's, and no network.
"""

import argparse
import asyncio
import math
import os
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx2
from anthropic import (
    Anthropic,
    AsyncAnthropic,
    DefaultAsyncHttpxClient,
    DefaultHttpxClient,
    beta_tool,
)
from rich.console import Console
from rich.table import Table

from agentlab import Agent, ask
from agentlab.practice import practice, say, use

RESULTS = Path(__file__).parent / "results" / "loop.md"
MODEL = "claude-haiku-4-5"
LENGTHS = (1, 10, 100, 1_000)
ROUNDS = {1: 30, 10: 20, 100: 5, 1_000: 1}
SETTINGS = {"api_key": "practice", "base_url": "http://practice.invalid"}
MOST_OVER_BARE = 1.10
MOST_SHARE = 0.15
MEASURED_MEMORY = 100
"""Steps of the run whose memory is measured, which slows it many times over."""
IMPORTS = 40


def look(place: int) -> str:
    """Look at a place.

    Args:
        place: which one.
    """
    return f"nothing at {place}"


def script(steps: int) -> list[Any]:
    """So many calls, and an answer."""
    return [*(use("look", place=number) for number in range(steps - 1)), say("done")]


def sync_client(steps: int) -> Anthropic:
    """A client of the practice API with that script."""
    http_client = DefaultHttpxClient(transport=practice(script(steps)))
    return Anthropic(**SETTINGS, http_client=http_client)


def bare(steps: int) -> str:
    """The fewest lines that do it: the floor."""
    client = sync_client(steps)
    definitions: Any = [beta_tool(look).to_dict()]
    messages: list[Any] = [{"role": "user", "content": "Look everywhere."}]
    while True:
        reply = client.messages.create(
            model=MODEL, max_tokens=500, messages=messages, tools=definitions
        )
        messages.append({"role": "assistant", "content": [b.to_dict() for b in reply.content]})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply.content[0].text  # type: ignore[union-attr]
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": look(**call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})


def ours(steps: int) -> str:
    """`agentlab.ask`."""
    return ask(
        Agent("looker", "", [look], MODEL),
        "Look everywhere.",
        client=sync_client(steps),
        max_steps=steps + 1,
    ).answer


def tool_runner(steps: int) -> str:
    """The SDK's own runner, in this thread as the others are."""
    runner = sync_client(steps).beta.messages.tool_runner(
        model=MODEL,
        max_tokens=500,
        tools=[beta_tool(look)],
        messages=[{"role": "user", "content": "Look everywhere."}],
        max_iterations=steps + 1,
        thread=False,
    )
    return runner.until_done().content[0].text  # type: ignore[union-attr]


def pydantic_ai(steps: int) -> str:
    """pydantic-ai on the same SDK, with its asynchronous client."""
    from pydantic_ai import Agent as TheirAgent
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider
    from pydantic_ai.usage import UsageLimits

    http_client = DefaultAsyncHttpxClient(transport=practice(script(steps)))
    client = AsyncAnthropic(**SETTINGS, http_client=http_client)
    model = AnthropicModel(MODEL, provider=AnthropicProvider(anthropic_client=client))
    agent = TheirAgent(model, tools=[look])
    limits = UsageLimits(request_limit=None)
    return asyncio.run(agent.run("Look everywhere.", usage_limits=limits)).output


LOOPS: dict[str, Callable[[int], str]] = {
    "bare SDK loop": bare,
    "agentlab": ours,
    "tool_runner": tool_runner,
    "pydantic-ai": pydantic_ai,
}


def seconds_of(loop: Callable[[int], str], steps: int) -> float:
    """How long a whole run takes."""
    started = time.perf_counter()
    assert loop(steps) == "done"
    return time.perf_counter() - started


def measure(lengths: tuple[int, ...], quick: bool) -> dict[str, dict[int, float]]:
    """Median seconds by loop and length; the loops take turns, so that a busy moment hits all."""
    times: dict[str, dict[int, list[float]]] = {name: {n: [] for n in lengths} for name in LOOPS}
    for steps in lengths:
        for loop in LOOPS.values():
            loop(1)
        for _ in range(2 if quick else ROUNDS[steps]):
            for name, loop in LOOPS.items():
                times[name][steps].append(seconds_of(loop, steps))
    return {
        name: {steps: statistics.median(taken) for steps, taken in by_length.items()}
        for name, by_length in times.items()
    }


def exponent(by_length: dict[int, float]) -> float:
    """How time grows with the length of a run, between the two longest: 1 is linear."""
    (short, less), (long, more) = sorted(by_length.items())[-2:]
    return math.log(more / less) / math.log(long / short)


def peak_memory(loop: Callable[[int], str], steps: int) -> float:
    """Most megabytes that a run has allocated."""
    tracemalloc.start()
    loop(steps)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def practice_share() -> tuple[float, float]:
    """Milliseconds of one SDK call, and of the practice API's part in it."""
    messages: Any = [{"role": "user", "content": "Hello."}]
    transport = practice([say("done")])
    inside: list[float] = []

    def timed(request: httpx2.Request) -> httpx2.Response:
        started = time.perf_counter()
        response = transport.handle_request(request)
        inside.append(time.perf_counter() - started)
        return response

    http_client = DefaultHttpxClient(transport=httpx2.MockTransport(timed))
    client = Anthropic(**SETTINGS, http_client=http_client)
    whole = []
    for _ in range(300):
        started = time.perf_counter()
        client.messages.create(model=MODEL, max_tokens=50, messages=messages)
        whole.append(time.perf_counter() - started)
    return 1000 * statistics.median(whole), 1000 * statistics.median(inside)


def import_seconds(name: str) -> float:
    """Median seconds of importing a package in a fresh process, Python's own start left out."""
    code = f"import time; t = time.perf_counter(); import {name}; print(time.perf_counter() - t)"
    taken = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(5)
    ]
    return statistics.median(taken)


def report(times: dict[str, dict[int, float]]) -> list[str]:
    """What was measured, in Markdown."""
    lengths = list(times["agentlab"])
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("anthropic", "pydantic-ai-slim", "httpx2")
    )
    lines = [
        "# The loop",
        "",
        "`make bench` writes this page. Milliseconds of a whole run, the median of several, the "
        "loops taking turns; in brackets the ratio to the bare SDK loop.",
        "",
        f"Measured with Python {platform.python_version()}, {packages} on {os.cpu_count()} CPUs, "
        f"{date.today():%d %B %Y}.",
        "",
        "| loop | " + " | ".join(f"{n:,} steps" for n in lengths) + " | grows as | memory |",
        "| --- |" + " ---: |" * (len(lengths) + 2),
    ]
    longest = max(n for n in lengths if n <= MEASURED_MEMORY)
    for name, by_length in times.items():
        cells = [
            f"{1000 * by_length[n]:.1f} ({by_length[n] / times['bare SDK loop'][n]:.2f})"
            for n in lengths
        ]
        power = f"steps^{exponent(by_length):.2f}" if len(lengths) > 1 else ""
        memory = f"{peak_memory(LOOPS[name], longest):.0f} MB"
        lines.append(f"| {name} | {' | '.join(cells)} | {power} | {memory} |")
    return [*lines, "", *aims(times, lengths)]


def aims(times: dict[str, dict[int, float]], lengths: list[int]) -> list[str]:
    """Each aim, and whether it holds."""
    over = max(times["agentlab"][n] / times["bare SDK loop"][n] for n in lengths)
    peers = [name for name in LOOPS if name not in ("agentlab", "bare SDK loop")]
    behind = [p for p in peers if any(times[p][n] < times["agentlab"][n] for n in lengths)]
    call, inside = practice_share()
    package, sdk = import_seconds("agentlab"), import_seconds("anthropic")
    return [
        f"- At most {MOST_OVER_BARE:.2f} times the bare loop: {over:.2f}, "
        f"{holds(over <= MOST_OVER_BARE)}.",
        f"- Ahead of every peer: {holds(not behind)}"
        + (f" ({', '.join(behind)} is faster at some length)." if behind else "."),
        f"- The practice API's part of an SDK call of {call:.2f} ms: {inside / call:.0%}, "
        f"aim {MOST_SHARE:.0%}: {holds(inside / call <= MOST_SHARE)}.",
        f"- `import agentlab` {1000 * package:.0f} ms, `import anthropic` {1000 * sdk:.0f} ms: "
        f"1/{sdk / package:.0f}, aim 1/{IMPORTS}: {holds(package * IMPORTS <= sdk)}.",
    ]


def holds(kept: bool) -> str:
    """Whether an aim was met."""
    return "holds" if kept else "missed"


def main() -> None:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short runs; nothing is written down")
    quick = parser.parse_args().quick
    times = measure(LENGTHS[:3] if quick else LENGTHS, quick)
    table = Table("loop", *(f"{n:,} steps, ms" for n in times["agentlab"]))
    for name, by_length in times.items():
        table.add_row(name, *(f"{1000 * seconds:.1f}" for seconds in by_length.values()))
    Console().print(table)
    lines = report(times)
    print("\n".join(lines))
    if not quick:
        RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
