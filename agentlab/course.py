"""The course's notebooks, put where a learner works, without a loss of anything that is there."""

from dataclasses import dataclass
from pathlib import Path

from agentlab.errors import ConfigurationError

LESSONS = "notebooks"
EXERCISES = "exercises"
FIRST = "00_start_here.ipynb"


@dataclass(frozen=True)
class Copied:
    """What became of the course's files in a learner's folder."""

    new: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    """Files that were there and differ, so the learner's own stay."""


def course_folder() -> Path:
    """Where the installed package keeps its notebooks, or the clone that it was installed from.

    Raises:
        ConfigurationError: where neither has them.
    """
    package = Path(__file__).resolve().parent
    for place in (package / "lessons", package.parent):
        if (place / LESSONS).is_dir():
            return place
    raise ConfigurationError(
        "There are no lessons beside {package!r}. Install agentlab again: pip install "
        "--force-reinstall agentlab.",
        package=str(package),
    )


def first_lesson(folder: Path, wanted: str) -> str:
    """The lesson to begin with, below the course's folder; English where it is not translated.

    Args:
        folder: the course's folder.
        wanted: the language, such as `de`.
    """
    translated = f"{LESSONS}/{wanted}/{FIRST}"
    return translated if (folder / translated).is_file() else f"{LESSONS}/{FIRST}"


def copy_course(target: Path) -> Copied:
    """Put the lessons and the exercises into a folder; what stands there already is kept.

    Args:
        target: the learner's folder; it is made where it is not there.

    Raises:
        ConfigurationError: where the folder cannot be written.
    """
    new, kept = [], []
    try:
        for source, place in _files():
            path = target / place
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(source.read_bytes())
                new.append(path)
            elif path.read_bytes() != source.read_bytes():
                kept.append(path)
    except OSError as error:
        raise ConfigurationError(
            "The lessons cannot be put into {target!r}: {strerror}. Name a folder of your "
            "own with --folder.",
            target=str(target),
            strerror=error.strerror,
        ) from error
    return Copied(tuple(new), tuple(kept))


def _files() -> list[tuple[Path, Path]]:
    """Each notebook of the course, and its place in a learner's folder."""
    from agentlab.exercises.suites import NOTEBOOK, folders

    lessons = course_folder() / LESSONS
    found = [
        (path, Path(LESSONS, path.relative_to(lessons)))
        for path in sorted([*lessons.glob("*.ipynb"), *lessons.glob("[a-z]*/*.ipynb")])
    ]
    exercises = [(folder / NOTEBOOK, folder.name) for folder in folders().values()]
    return found + [(path, Path(EXERCISES, name, NOTEBOOK)) for path, name in exercises]
