"""What a learner has done so far, in one file on their own computer."""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from agentlab.exercises.suites import folders, load


@dataclass
class Record:
    """One exercise, as far as the learner has come."""

    tries: int = 0
    best: dict[str, float] = field(default_factory=dict)
    """The most points had so far, by case."""


def progress_file() -> Path:
    """Where it is kept; `AGENTLAB_PROGRESS` names another file. Nothing is sent anywhere."""
    named = os.environ.get("AGENTLAB_PROGRESS")
    return Path(named) if named else Path.home() / ".agentlab" / "progress.json"


def read_progress() -> dict[str, Record]:
    """The records by exercise number; a file that cannot be read counts as empty and is kept."""
    path = progress_file()
    try:
        read: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return {number: Record(**values) for number, values in read.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError):
        if path.exists():
            path.replace(path.with_suffix(".unreadable"))
        return {}


def write_progress(records: dict[str, Record]) -> None:
    """Keep `records`; where nothing can be written, learning goes on without."""
    path = progress_file()
    written = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        values = {number: asdict(record) for number, record in sorted(records.items())}
        written.write_text(json.dumps(values, indent=1), "utf-8")
        written.replace(path)  # whole, or not at all
    except OSError:
        return


def done(record: Record | None, number: str) -> tuple[float, float]:
    """Points had and points there are, of one exercise."""
    exercise = load(number)
    had = sum(record.best.get(case.name, 0) for case in exercise.cases) if record else 0
    return had, exercise.points


def all_done() -> list[tuple[str, str, float, float]]:
    """Number, title, points had and points there are of each exercise."""
    records = read_progress()
    return [(n, load(n).title, *done(records.get(n), n)) for n in folders()]
