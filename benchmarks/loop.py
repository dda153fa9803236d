"""agentlab's loop beside a bare one, the SDK's tool runner and frameworks, on the same API.

Every one of them has the same conversation of 1, 10, 100 and 1,000 steps with the practice API on
this computer, so what is measured is the loop's own time and that of its way of sending.
"""

import argparse
import math
import statistics
import time
import tracemalloc
from collections.abc import Mapping, Sequence

from loops import IN_PROCESS, LEFT_OUT, ON_A_PORT, PACKAGES, Loop
from results import holds, measured_with, table, write_section

TITLE = "The loop"
LENGTHS = (1, 10, 100, 1_000)
ROUNDS = {1: 30, 10: 20, 100: 5, 1_000: 1}
MEMORY_LENGTHS = (10, 100, 300)
"""Measuring memory slows a run many times over, so the longest is left out."""
FLOOR, OURS = "bare SDK loop", "agentlab"
MOST_OVER_BARE = 1.10
GROUPS = {"In the same process": IN_PROCESS, "On a port": ON_A_PORT}
EXPLANATION = (
    "Milliseconds of a whole run, the median of several, the loops taking turns; in brackets the "
    "ratio to the bare SDK loop of the same table. Time is not linear in the steps because each "
    "request carries the transcript so far: n steps send and check n² messages in all."
)
ON_A_PORT_WORDS = (
    "These bring their own way of sending, so the practice API is served to them on a port of this "
    "computer, and the bare loop and agentlab's are measured there once more. LangChain makes its "
    "HTTP client at the first request, which counts."
)

Figures = Mapping[str, Mapping[int, float]]
"""By the loop's name and the number of steps."""


def seconds_of(loop: Loop, steps: int) -> float:
    """How long a whole run takes."""
    with loop.opened(steps) as api:
        started = time.perf_counter()
        answer = loop.talk(api, steps)
        taken = time.perf_counter() - started
    assert answer == "done", answer
    return taken


def peak_megabytes(loop: Loop, steps: int) -> float:
    """The most that a run has allocated at once."""
    with loop.opened(steps) as api:
        tracemalloc.start()
        loop.talk(api, steps)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return peak / 1e6


def times_of(loops: Sequence[Loop], lengths: Sequence[int], quick: bool) -> Figures:
    """Median seconds; the loops take turns, so that a busy moment hits all of them."""
    times: dict[str, dict[int, list[float]]] = {
        each.name: {n: [] for n in lengths} for each in loops
    }
    for steps in lengths:
        for loop in loops:
            seconds_of(loop, 1)
        for _ in range(2 if quick else ROUNDS[steps]):
            for loop in loops:
                times[loop.name][steps].append(seconds_of(loop, steps))
    return {
        name: {steps: statistics.median(taken) for steps, taken in by_length.items()}
        for name, by_length in times.items()
    }


def memory_of(loops: Sequence[Loop], lengths: Sequence[int]) -> Figures:
    """Most megabytes of each loop."""
    return {each.name: {n: peak_megabytes(each, n) for n in lengths} for each in loops}


def exponent(by_length: Mapping[int, float]) -> float:
    """How a figure grows with the length of a run, between the two longest: 1 is linear."""
    (short, less), (long, more) = sorted(by_length.items())[-2:]
    return math.log(more / less) / math.log(long / short)


def tables(times: Figures, memory: Figures) -> list[str]:
    """Time and memory of one group, in Markdown."""
    lengths, sizes = list(times[FLOOR]), list(memory[FLOOR])
    time_rows = [
        [
            name,
            *(f"{1000 * taken[n]:.1f} ({taken[n] / times[FLOOR][n]:.2f})" for n in lengths),
            f"steps^{exponent(taken):.2f}",
        ]
        for name, taken in times.items()
    ]
    memory_rows = [
        [name, *(f"{most[n]:.2f}" for n in sizes), f"steps^{exponent(most):.2f}"]
        for name, most in memory.items()
    ]
    return [
        *table(["ms", *map(counted, lengths), "grows as"], time_rows),
        "",
        *table(["most memory, MB", *map(counted, sizes), "grows as"], memory_rows),
    ]


def counted(steps: int) -> str:
    """A number of steps as a heading."""
    return "1 step" if steps == 1 else f"{steps:,} steps"


def aims(groups: Mapping[str, Figures]) -> list[str]:
    """Each aim, and whether it holds."""
    first, *_ = groups.values()
    over = max(first[OURS][n] / first[FLOOR][n] for n in first[OURS])
    faster = sorted(
        {
            f"{name} at {counted(n)}"
            for times in groups.values()
            for name, taken in times.items()
            if name not in (OURS, FLOOR)
            for n in taken
            if taken[n] < times[OURS][n]
        }
    )
    return [
        f"- At most {MOST_OVER_BARE:.2f} times the bare loop in the same process: {over:.2f}, "
        f"{holds(over <= MOST_OVER_BARE)}.",
        f"- Ahead of every peer: {holds(not faster)}"
        + (
            f"; faster {'are' if len(faster) > 1 else 'is'} {', '.join(faster)}." if faster else "."
        ),
    ]


def main() -> None:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short runs; nothing is written down")
    quick = parser.parse_args().quick
    lengths, sizes = (LENGTHS[:3], MEMORY_LENGTHS[:2]) if quick else (LENGTHS, MEMORY_LENGTHS)
    lines, groups = [measured_with(*PACKAGES), "", EXPLANATION], {}
    for name, loops in GROUPS.items():
        groups[name] = times_of(loops, lengths, quick)
        lines += ["", f"### {name}", ""]
        lines += [ON_A_PORT_WORDS, ""] if loops is ON_A_PORT else []
        lines += tables(groups[name], memory_of(loops, sizes))
    lines += ["", LEFT_OUT, "", *aims(groups)]
    print("\n".join(lines))
    if not quick:
        write_section(TITLE, lines)


if __name__ == "__main__":
    main()
