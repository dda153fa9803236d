"""The lessons as tests, cell by cell under nbval: on one worker, and on two as `make test` does."""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from results import holds, measured_with, table, write_section

TITLE = "Lessons as tests"
ROOT = Path(__file__).parent.parent
MOST = 0.60
WAYS = {"one after the other": ["-n", "0"], "on two workers": ["-n", "2", "--dist", "loadscope"]}


def run(flags: list[str], lessons: list[str]) -> tuple[float, int]:
    """Seconds that the lessons take, and how many cells were compared.

    Exits where one of them fails: its time would mean nothing.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *flags, *lessons]
    started = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    taken = time.perf_counter() - started
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-2000:]}")
    passed = done.stdout.rpartition(" passed")[0].split()[-1]
    return taken, int(passed)


def main() -> None:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two lessons; nothing is written down")
    quick = parser.parse_args().quick
    lessons = sorted(str(path) for path in (ROOT / "notebooks").glob("*.ipynb"))
    lessons = lessons[:2] if quick else lessons
    run([], lessons[:1])  # so that the first way does not pay for cold files
    taken = {name: run(flags, lessons) for name, flags in WAYS.items()}
    serial, parallel = (seconds for seconds, _ in taken.values())
    lines = [
        measured_with("nbval", "pytest", "pytest-xdist", "ipykernel"),
        "",
        f"All {len(lessons)} notebooks, every cell run again and its outputs compared; each has a "
        "kernel of its own, and pytest's start is included.",
        "",
        *table(
            ["lessons", "cells", "seconds", "of the first"],
            [
                [name, f"{cells:,}", f"{seconds:.1f}", f"{seconds / serial:.0%}"]
                for name, (seconds, cells) in taken.items()
            ],
        ),
        "",
        f"- At most {MOST:.0%} of the time one after the other: {parallel / serial:.0%}, "
        f"{holds(parallel <= MOST * serial)}.",
    ]
    print("\n".join(lines))
    if not quick:
        write_section(TITLE, lines)


if __name__ == "__main__":
    main()
