"""Measure the Stepper against a stepper of plain ipywidgets, in one JupyterLab: `make bench`."""

import argparse
import json
from collections.abc import Sequence
from contextlib import suppress

from report import Comparison, print_report, report_in_markdown
from results import measured_with, write_section
from rich.console import Console
from sessions import (
    PLAIN,
    STEPPER,
    VIEWPORT,
    Session,
    Subject,
    measure,
    running_browser,
    running_lab,
    warm_up,
)
from stepper_runs import long_run

TITLE = "The Stepper"
LENGTHS, REPETITIONS = (12, 200, 2_000), 3
PACKAGES = ("jupyterlab", "ipywidgets", "anywidget", "ipykernel")


def main() -> None:
    """Measure, print the tables and, unless it was only a try, write them down."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="12 turns, once; nothing is written down"
    )
    is_quick = parser.parse_args().quick
    lengths, repetitions = (LENGTHS[:1], 1) if is_quick else (LENGTHS, REPETITIONS)
    comparisons, browser_version = compare(lengths, repetitions)
    print_report(comparisons, repetitions)
    if not is_quick:
        with_what = measured_with(*PACKAGES, besides=[f"Chromium {browser_version}"])
        write_section(TITLE, report_in_markdown(comparisons, repetitions, with_what).splitlines())


def compare(lengths: Sequence[int], repetitions: int) -> tuple[list[Comparison], str]:
    """Both steppers on runs of these lengths; also the browser's version.

    The two take turns, so that whatever else the computer does slows both.
    """
    comparisons = []
    with running_lab() as lab, running_browser() as browser, Console().status("") as status:
        context = browser.new_context(viewport=VIEWPORT)
        status.update("JupyterLab has started; both are shown once")
        warm_up(lab, context)
        for turns in lengths:
            sessions: dict[Subject, list[Session]] = {STEPPER: [], PLAIN: []}
            for repetition in range(1, repetitions + 1):
                for subject, measured in sessions.items():
                    status.update(f"{turns:,} turns, {subject.name}, {repetition}/{repetitions}")
                    name = f"{turns}-{len(measured)}-{subject.name.split()[0]}"
                    measured.append(measure(lab, context, subject, turns, name))
            length = len(json.dumps(long_run(turns).messages))
            comparisons.append(
                Comparison(turns, length, tuple(sessions[STEPPER]), tuple(sessions[PLAIN]))
            )
        return comparisons, browser.version


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
