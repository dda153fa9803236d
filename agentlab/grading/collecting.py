"""Hand-ins as learning platforms give them out: folders, flat files, zips in zips.

    alice/05_write_the_loop/exercise.ipynb                      nbgrader
    Alice Adams_1234_assignsubmission_file/exercise.ipynb       Moodle
    adamsalice_1234_5678_exercise.ipynb                         Canvas
    alice.ipynb                                                 by hand

A name in a zip is never used as a path, and nothing is ever unpacked to the disk.
"""

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from agentlab.exercises.suites import folders, load
from agentlab.grading.reading import LARGEST, Unreadable, cells_of, exercise_named_in, read_notebook

DEEPEST, MOST_ENTRIES, MOST_BYTES = 3, 20_000, 2_000_000_000
"""Zips in zips, entries of one zip, and bytes that all zips together may unpack to."""
LONGEST_NAME = 100
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Control characters, and those that turn the direction of what follows."""


@dataclass(frozen=True)
class HandIn:
    """One notebook of one learner."""

    learner: str
    exercise: str | None
    """The exercise's number; `None` where nothing tells which one it is."""
    place: str
    """Where it was found, to be shown."""
    content: bytes = field(repr=False)
    trouble: str = ""
    """Why it cannot be graded, where that is known already."""


@dataclass(frozen=True)
class _Found:
    """A file that was found, with the names on the way to it."""

    path: PurePosixPath
    content: bytes
    trouble: str = ""


def collect(folder: Path, exercise: str | None = None) -> list[HandIn]:
    """The hand-ins below a folder, one for each learner and exercise.

    Where a learner handed one in twice, the one that comes last by its name counts.

    Args:
        folder: a folder, a zip, or one notebook.
        exercise: the exercise that all of them are for, where the notebooks cannot tell.
    """
    handed_in = [_hand_in(found, exercise) for found in _files(folder)]
    latest = {(each.learner, each.exercise or each.place): each for each in handed_in}
    return sorted(latest.values(), key=lambda each: (each.learner, each.exercise or ""))


def printable(name: str) -> str:
    """A name without what would play tricks on a terminal or a page."""
    return UNPRINTABLE.sub("", name).strip()[:LONGEST_NAME] or "unnamed"


def _files(folder: Path) -> Iterator[_Found]:
    if folder.is_file():
        yield from _opened(PurePosixPath(folder.name), folder.read_bytes(), _Budget(), 0)
        return
    budget = _Budget()
    for path in sorted(folder.rglob("*")):
        shown = PurePosixPath(path.relative_to(folder).as_posix())
        if path.is_symlink() or any(part.is_symlink() for part in _between(folder, path)):
            if path.suffix in (".ipynb", ".zip"):
                yield _Found(shown, b"", "It is a link, and links are not followed.")
        elif path.is_file() and path.suffix == ".ipynb" and path.stat().st_size > LARGEST:
            yield _Found(shown, b"", _too_large(path.stat().st_size))
        elif path.is_file() and path.suffix in (".ipynb", ".zip") and not _hidden(shown):
            yield from _opened(shown, path.read_bytes(), budget, 0)


def _between(folder: Path, path: Path) -> Iterator[Path]:
    while path not in (folder, path.parent):
        yield path
        path = path.parent


def _hidden(path: PurePosixPath) -> bool:
    """Whether an editor or an operating system made it, and no learner."""
    return any(part.startswith(".") or part == "__MACOSX" for part in path.parts)


def _too_large(size: int) -> str:
    return f"It has {size / 1e6:.0f} MB. Clear its outputs and hand it in again."


@dataclass
class _Budget:
    """What may still be unpacked."""

    left: int = MOST_BYTES


def _opened(path: PurePosixPath, content: bytes, budget: _Budget, depth: int) -> Iterator[_Found]:
    """A notebook as it is; of a zip, the notebooks in it."""
    if path.suffix != ".zip":
        yield _Found(path, content)
        return
    if depth >= DEEPEST:
        yield _Found(path, b"", f"It is a zip in more than {DEEPEST} zips.")
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_ENTRIES:
                yield _Found(path, b"", f"The zip has {len(entries)} entries.")
                return
            for entry in sorted(entries, key=lambda entry: entry.filename):
                yield from _entry(path, archive, entry, budget, depth)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        yield _Found(path, b"", f"The zip cannot be read: {error}.")


def _entry(
    path: PurePosixPath,
    archive: zipfile.ZipFile,
    entry: zipfile.ZipInfo,
    budget: _Budget,
    depth: int,
) -> Iterator[_Found]:
    inner = PurePosixPath(entry.filename.replace("\\", "/"))
    if entry.is_dir() or inner.suffix not in (".ipynb", ".zip") or _hidden_in_zip(inner):
        return
    shown = path.with_suffix("") / PurePosixPath(*inner.parts)
    if inner.is_absolute() or ".." in inner.parts or re.match(r"[A-Za-z]:", entry.filename):
        shown = path.with_suffix("") / inner.name
        yield _Found(shown, b"", "Its name in the zip leads out of the zip.")
    elif stat.S_ISLNK(entry.external_attr >> 16):
        yield _Found(shown, b"", "It is a link, and links are not followed.")
    else:
        most = LARGEST if inner.suffix == ".ipynb" else LARGEST * 10
        with archive.open(entry) as file:
            content = file.read(min(most, budget.left) + 1)
        budget.left -= len(content)
        if len(content) > most or budget.left < 0:
            yield _Found(shown, b"", _too_large(max(entry.file_size, len(content))))
        else:
            yield from _opened(shown, content, budget, depth + 1)


def _hidden_in_zip(path: PurePosixPath) -> bool:
    return "__MACOSX" in path.parts or path.name.startswith(".")


def _hand_in(found: _Found, exercise: str | None) -> HandIn:
    number = exercise or _exercise_of(found)
    learner = _learner_of(found.path, number)
    trouble = found.trouble or ("" if number else "Nothing tells which exercise it is for.")
    return HandIn(learner, number, printable(str(found.path)), found.content, trouble)


def _exercise_of(found: _Found) -> str | None:
    """The exercise that a notebook is for: by what it says, by its names, by what it defines."""
    known = folders()
    try:
        notebook = read_notebook(found.content)
        named, cells = exercise_named_in(notebook), cells_of(notebook)
    except Unreadable:
        named, cells = None, []
    if named in known:
        return named
    for number, folder in known.items():
        if any(folder.name in part for part in found.path.parts):
            return number
        if any(cell.grade_id.startswith(f"{number}-") for cell in cells):
            return number
    defined = {name for cell in cells for name in cell.names}
    fitting = [number for number in known if defined >= set(load(number).answers)]
    return fitting[0] if len(fitting) == 1 else None


def _learner_of(path: PurePosixPath, number: str | None) -> str:
    """Whose it is: the outermost folder, or the file's own name, as the platforms write them."""
    known = [folder.name for folder in folders().values()]
    outer = [part for part in path.parts[:-1] if part not in known and not _is_ours(part)]
    name = _person(outer) if outer else path.stem
    for ending in known if not outer else ():
        name = name.removesuffix(ending)
    if moodle := re.match(r"(.+)_\d+_assignsubmission_", name):
        name = moodle[1]
    elif canvas := re.match(r"([^\W_]+)(?:_late|_LATE)?_\d+_\d+_", name):
        name = canvas[1]
    return printable(name.strip("_- "))


def _person(outer: Sequence[str]) -> str:
    """The folder that stands for a person, where downloads are wrapped in a folder of their own."""
    for part in outer:
        if "assignsubmission" in part:
            return part
    return outer[0]


def _is_ours(part: str) -> bool:
    return part in ("submissions", "submitted", "downloads", "exercises", "notebooks")


def exercises_of(handed_in: Iterable[HandIn]) -> list[str]:
    """The numbers of the exercises that were handed in."""
    return sorted({each.exercise for each in handed_in if each.exercise})
