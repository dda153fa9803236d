"""A class of a hundred graded by agentlab, by nbgrader's own executor and by otter-grader.

All three get the same exercise and the same checks; nbgrader and otter run them in a kernel of
their own, and so without a wall. Healthy hand-ins only are compared: of those that hang, nbgrader
waits for each cell, and otter for ever.
"""

import argparse
import csv
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from results import holds, measured_with, write_section
from rich.console import Console
from rich.table import Table

from agentlab.exercises.suites import find_folder, load
from agentlab.grading.releasing import release
from agentlab.grading.sandbox import Limits, probe

HERE = Path(__file__).parent
ROOT = HERE.parent
TITLE = "Grading a class"
NUMBER = "05"
FOLDER = find_folder(NUMBER)
HEALTHY, WRONG, HANGING = 80, 15, 5
PEERS = 12
"""Hand-ins that nbgrader grades; each takes it seconds."""
OTTERS = 2
HANGS = "def run_agent(*arguments, **more):\n    while True: pass"
AIM = 10
"""How many times as many hand-ins a minute as nbgrader."""

OTTER_TEST = """test = {{"name": "{case}", "points": 1, "suites": [{{"cases": [{{"code": r'''
>>> from agentlab.exercises.kernel import play
>>> from agentlab.exercises.suites import load
>>> play(load("{number}").case("{case}"), globals())[0].points
1
'''}}], "scored": True, "setup": "", "teardown": "", "type": "doctest"}}]}}
"""


@dataclass(frozen=True)
class Figure:
    """How fast one grader is."""

    name: str
    hand_ins: int
    seconds: float

    @property
    def per_minute(self) -> float:
        """Hand-ins a minute."""
        return 60 * self.hand_ins / self.seconds


def main() -> None:
    """Measure, print the table and write it down."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth; nothing is written down")
    settings = parser.parse_args()
    share = 10 if settings.quick else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        healthy = hand_in(folder / "healthy", HEALTHY // share, right())
        ours = grade_ours("agentlab", folder / "healthy", folder / "report", healthy)
        wrong = hand_in(folder / "all", WRONG // share or 1, wrong_ones(), "wrong")
        hanging = hand_in(folder / "all", HANGING // share or 1, [HANGS], "hangs")
        others = hand_in(folder / "all", HEALTHY // share, right(), "right")
        everybody = wrong + hanging + others
        mixed = grade_ours("agentlab, all", folder / "all", folder / "report-all", everybody)
        rows = points_in(folder / "report-all")
        figures = [ours, mixed, grade_with_nbgrader(folder / "course", PEERS // share or 1)]
        if (otter := otter_python()) is not None:
            figures.append(grade_with_otter(folder / "otter", otter))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    lines = report(figures, hanging, rows, peak)
    print("\n".join(lines))
    show(figures)
    if not settings.quick:
        write_section(TITLE, lines)


def right() -> list[str]:
    """Two right answers, written differently."""
    return [path.read_text("utf-8") for path in sorted(FOLDER.glob("sol*.py"))]


def wrong_ones() -> list[str]:
    """The wrong answers that the exercise brings along."""
    return [path.read_text("utf-8") for path in sorted(FOLDER.glob("wrong/*.py"))]


def notebook(source: str) -> str:
    """The exercise with an answer in it, and without its worked example."""
    read = json.loads((FOLDER / "exercise.ipynb").read_text("utf-8"))
    read["cells"] = [c for c in read["cells"] if "example" not in c["metadata"].get("tags", ())]
    for cell in read["cells"]:
        if "answer" in cell["metadata"].get("tags", ()):
            cell["source"] = source
    return json.dumps(read)


def hand_in(folder: Path, how_many: int, sources: list[str], name: str = "learner") -> int:
    """Write hand-ins, each of them different, and say how many."""
    for number in range(how_many):
        path = folder / f"{name}{number:03}" / FOLDER.name / "exercise.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(notebook(f"# {name} {number}\n{sources[number % len(sources)]}"), "utf-8")
    return how_many


def grade_ours(name: str, folder: Path, out: Path, how_many: int) -> Figure:
    """Grade a folder with the command, everything it loads included."""
    command = ["-m", "agentlab.cli", "grade", str(folder), "--out", str(out)]
    return timed(name, how_many, [sys.executable, *command], folder.parent)


def points_in(out: Path) -> dict[str, float]:
    """Points by learner."""
    with (out / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        return {row["learner"]: float(row["points"]) for row in csv.DictReader(file)}


def grade_with_nbgrader(course: Path, how_many: int) -> Figure:
    """Grade with nbgrader's own executor, after a release by nbgrader itself."""
    release(NUMBER, course / "source", for_nbgrader=True)
    source = course / "source" / FOLDER.name / "exercise.ipynb"
    read = json.loads(source.read_text("utf-8"))
    read["cells"] = [c for c in read["cells"] if "example" not in c["metadata"].get("tags", ())]
    source.write_text(json.dumps(read), "utf-8")
    nbgrader = [sys.executable, "-m", "nbgrader"]
    run([*nbgrader, "generate_assignment", FOLDER.name], course)
    hand_in(course / "submitted", how_many, right())
    return timed("nbgrader", how_many, [*nbgrader, "autograde", FOLDER.name], course)


def grade_with_otter(folder: Path, python: str) -> Figure:
    """Grade with `otter run`, one hand-in after the other, as it takes them."""
    (folder / "tests").mkdir(parents=True)
    for case in load(NUMBER).cases:
        text = OTTER_TEST.format(case=case.name, number=NUMBER)
        (folder / "tests" / f"{case.name}.py").write_text(text, "utf-8")
    otter = [python, "-m", "otter"]
    run([*otter, "generate", "-t", "tests", "-o", "autograder.zip"], folder)
    seconds = []
    for number in range(OTTERS):
        (folder / "hand_in.ipynb").write_text(notebook(f"# {number}\n{right()[0]}"), "utf-8")
        command = [*otter, "run", "-a", "autograder.zip", "--no-logo", "hand_in.ipynb"]
        seconds.append(timed("otter", 1, command, folder).seconds)
    return Figure("otter-grader", 1, statistics.median(seconds))


def otter_python() -> str | None:
    """A Python that has otter-grader and agentlab; made once, `None` where that fails."""
    python = ROOT / ".bench-otter" / "bin" / "python"
    if python.exists():
        return str(python)
    print("making an environment with otter-grader, which takes a minute", flush=True)
    made = subprocess.run([sys.executable, "-m", "venv", str(python.parents[1])], check=False)
    install = ["-m", "pip", "install", "--quiet", "otter-grader>=7", "ipykernel", "-e", str(ROOT)]
    if made.returncode or subprocess.run([str(python), *install], check=False).returncode:
        shutil.rmtree(python.parents[1], ignore_errors=True)
        return None
    return str(python)


def timed(name: str, how_many: int, command: list[str], folder: Path) -> Figure:
    """Run a command and say how long it took."""
    started = time.perf_counter()
    run(command, folder)
    return Figure(name, how_many, time.perf_counter() - started)


def run(command: list[str], folder: Path) -> None:
    """Run a command of a grader, quietly unless it fails."""
    path = f"{Path(command[0]).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path, "AGENTLAB_PROGRESS": str(folder / "progress.json")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")


def report(figures: list[Figure], hanging: int, points: dict[str, float], peak: float) -> list[str]:
    """What was measured, in Markdown."""
    ours, mixed, nbgrader = figures[:3]
    ratio = ours.per_minute / nbgrader.per_minute
    limit = Limits().hand_in_seconds + Limits().seconds
    extra = mixed.seconds - ours.seconds
    earned = [p for learner, p in points.items() if learner.startswith("right")]
    lines = [
        measured_with("nbgrader", "anthropic", besides=[f"behind {probe()}"]),
        "",
        "Hand-ins of exercise 05 in a minute, start-up included; nbgrader and otter run the same "
        "checks in their own executors, and so without a wall.",
        "",
        "| grader | hand-ins | seconds | a minute | of nbgrader's |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for each in figures:
        share = each.per_minute / nbgrader.per_minute
        lines.append(
            f"| {each.name} | {each.hand_ins} | {each.seconds:.1f} | {each.per_minute:.1f} "
            f"| {share:.1f} |"
        )
    lines += [
        "",
        f"- Aim: {AIM} times nbgrader's on healthy hand-ins: {ratio:.1f}, {holds(ratio >= AIM)}.",
        f"- {hanging} that hang cost {extra:.0f} s more on two jobs; each may take {limit:g} s.",
        f"- Right answers among them got {min(earned):g} to {max(earned):g} of 5 points.",
        *([] if len(figures) > 3 else ["- otter-grader could not be installed here."]),
        f"- Most memory of any process, sandboxes included: {peak:.0f} MB.",
    ]
    return lines


def show(figures: list[Figure]) -> None:
    """Print the figures as a table."""
    table = Table("grader", "hand-ins", "seconds", "a minute")
    for each in figures:
        cells = (each.name, str(each.hand_ins), f"{each.seconds:.1f}", f"{each.per_minute:.1f}")
        table.add_row(*cells)
    Console().print(table)


if __name__ == "__main__":
    main()
