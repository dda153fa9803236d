"""The page of all figures, RESULTS.md: each measurement writes a section of its own."""

import os
import platform
import re
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path

PAGE = Path(__file__).parent / "RESULTS.md"
SECTIONS = ("The loop", "The practice API", "Lessons as tests", "Grading a class", "The Stepper")
"""In the order of the page."""
HEAD = (
    "# Results",
    "`make bench` writes this page; README.md says what is measured and how. On another computer "
    "only the ratios mean something.",
)
BELOW_HEADING = re.compile(r"^## ([^\n]+)\n\n(.*?)(?=\n## |\Z)", re.MULTILINE | re.DOTALL)


def write_section(title: str, lines: Sequence[str], page: Path = PAGE) -> None:
    """Put a section into the page, in place of the one that it had.

    Args:
        title: one of `SECTIONS`.
        lines: Markdown below the heading; headings of its own begin at the third level.
        page: the file.

    Raises:
        ValueError: for a title that the page has no place for.
    """
    if title not in SECTIONS:
        raise ValueError(f"There is no section {title!r}. Add it to SECTIONS, in its place.")
    written = page.read_text("utf-8") if page.exists() else ""
    sections = {**dict(BELOW_HEADING.findall(written)), title: "\n".join(lines)}
    parts = [f"## {name}\n\n{sections[name].strip()}" for name in SECTIONS if name in sections]
    page.write_text("\n\n".join([*HEAD, *parts]) + "\n", encoding="utf-8")


def measured_with(*packages: str, besides: Sequence[str] = ()) -> str:
    """A sentence with the versions, the computer and the day.

    Args:
        packages: distributions whose versions matter.
        besides: what else does, as words.
    """
    versions = [f"Python {platform.python_version()}"]
    versions += [f"{name} {version(name)}" for name in packages]
    return (
        f"Measured with {', '.join([*versions, *besides])} on {os.cpu_count()} CPUs "
        f"({processor()}, {platform.system()} {platform.release()}), {date.today():%d %B %Y}."
    )


def processor() -> str:
    """The processor's name, as the system gives it."""
    described = Path("/proc/cpuinfo")
    text = described.read_text() if described.exists() else ""
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return found.group(1) if found else platform.processor() or platform.machine()


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in Markdown: words in the first column, figures in the others."""
    ruler = ["---", *["---:"] * (len(headings) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (headings, ruler, *rows)]


def holds(kept: bool) -> str:
    """Whether an aim was met."""
    return "holds" if kept else "missed"
