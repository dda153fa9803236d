"""Hand-ins as learning platforms give them out: folders, flat files, zips in zips.

    alice/05_write_the_loop/exercise.ipynb                      nbgrader
    Alice Adams_1234_assignsubmission_file/exercise.ipynb       Moodle
    adamsalice_1234_5678_exercise.ipynb                         Canvas
    alice.ipynb                                                 by hand

A name in a zip is never used as a path, and nothing is ever unpacked to the disk.
"""

import io
import lzma
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from agentlab.exercises.judging import clean
from agentlab.exercises.suites import folders, load
from agentlab.grading.reading import LARGEST, Unreadable, cells_of, exercise_named_in, read_notebook
from agentlab.language import gettext, ngettext

DEEPEST, MOST_ENTRIES, MOST_BYTES = 3, 20_000, 2_000_000_000
"""Zips in zips, entries of one zip, and bytes that all zips together may unpack to."""
ZIP_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OverflowError,
)
"""What reading a damaged or an encrypted zip raises, by its kind of compression."""
KINDS = (".ipynb", ".zip")
ALL = 99
"""More names than any path has."""
LINK = gettext("It is a link, and links are not followed. Hand in the file itself.")
LONGEST_NAME = 100


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
    platform_id: str = field(default="", compare=False)
    """The number that the platform put beside the name; two learners may share a name."""
    remark: str = field(default="", compare=False)
    """What the instructor should know about where it came from."""


@dataclass(frozen=True)
class _Found:
    """A file that was found, with the names on the way to it."""

    path: PurePosixPath
    content: bytes
    trouble: str = ""
    outside: int = ALL
    """How many of the names were given by the platform, and not by whoever made a zip in it."""


def collect(folder: Path, exercise: str | None = None) -> list[HandIn]:
    """The hand-ins below a folder, one for each learner and exercise.

    Where a learner handed one in twice, the one that comes last by its name counts.

    Args:
        folder: a folder, a zip, or one notebook.
        exercise: the exercise that all of them are for, where the notebooks cannot tell.
    """
    handed_in = _told_apart([_hand_in(found, exercise) for found in _files(folder)])
    latest: dict[tuple[str, str], HandIn] = {}
    for each in handed_in:
        key = (each.learner, each.exercise or each.place)
        if (before := latest.get(key)) is not None:
            passed_over = gettext(
                "Another hand-in of it, {place}, was passed over.", place=before.place
            )
            each = replace(each, remark=f"{before.remark} {passed_over}".strip())
        latest[key] = each
    return sorted(latest.values(), key=lambda each: (each.learner, each.exercise or ""))


def _told_apart(handed_in: Sequence[HandIn]) -> list[HandIn]:
    """Learners of one name get the platform's number behind it."""
    numbers: dict[str, set[str]] = {}
    for each in handed_in:
        numbers.setdefault(each.learner, set()).add(each.platform_id)
    return [
        replace(each, learner=f"{each.learner} {each.platform_id}".strip())
        if len(numbers[each.learner]) > 1
        else each
        for each in handed_in
    ]


def printable(name: str) -> str:
    """A name without what would play tricks on a terminal or a page."""
    return clean(name, LONGEST_NAME).strip() or "unnamed"


def _files(folder: Path) -> Iterator[_Found]:
    if folder.is_file():
        yield from _opened(PurePosixPath(folder.name), folder.read_bytes(), _Budget(), 0)
        return
    budget = _Budget()
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in KINDS]
    for path in paths:
        shown = PurePosixPath(path.relative_to(folder).as_posix())
        # A zip that is all there is comes from the platform; any other one, from a learner.
        outside = ALL if len(paths) == 1 else len(shown.parts)
        if path.is_symlink() or any(part.is_symlink() for part in _between(folder, path)):
            yield _Found(shown, b"", LINK)
        elif path.is_file() and path.suffix.lower() == ".ipynb" and path.stat().st_size > LARGEST:
            yield _Found(shown, b"", _too_large(path.stat().st_size))
        elif path.is_file() and not _hidden(shown):
            for found in _opened(shown, path.read_bytes(), budget, 0):
                yield replace(found, outside=outside)


def _between(folder: Path, path: Path) -> Iterator[Path]:
    while path not in (folder, path.parent):
        yield path
        path = path.parent


def _hidden(path: PurePosixPath) -> bool:
    """Whether an editor or an operating system made it, and no learner."""
    made_by_programs = {"__MACOSX", ".ipynb_checkpoints", ".git"} & set(path.parts)
    return bool(made_by_programs) or path.name.startswith(".")


def _too_large(size: int) -> str:
    return gettext(
        "It has {megabytes:.0f} MB. Clear its outputs and hand it in again.", megabytes=size / 1e6
    )


@dataclass
class _Budget:
    """What may still be unpacked."""

    left: int = MOST_BYTES


def _opened(path: PurePosixPath, content: bytes, budget: _Budget, depth: int) -> Iterator[_Found]:
    """A notebook as it is; of a zip, the notebooks in it."""
    if path.suffix.lower() != ".zip":
        yield _Found(path, content)
        return
    if depth >= DEEPEST:
        too_deep = ngettext(
            "It is a zip in more than {count} zip. Hand in the notebook itself.",
            "It is a zip in more than {count} zips. Hand in the notebook itself.",
            DEEPEST,
        )
        yield _Found(path, b"", too_deep)
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_ENTRIES:
                too_many = ngettext(
                    "The zip has {count} entry. Hand in the notebook itself.",
                    "The zip has {count} entries. Hand in the notebook itself.",
                    len(entries),
                )
                yield _Found(path, b"", too_many)
                return
            for entry in sorted(entries, key=lambda entry: entry.filename):
                yield from _entry(path, archive, entry, budget, depth)
    except ZIP_FAULTS as error:
        damaged = gettext(
            "The zip cannot be read ({error}). Make it anew.", error=type(error).__name__
        )
        yield _Found(path, b"", damaged)


def _entry(
    path: PurePosixPath,
    archive: zipfile.ZipFile,
    entry: zipfile.ZipInfo,
    budget: _Budget,
    depth: int,
) -> Iterator[_Found]:
    inner = PurePosixPath(entry.filename.replace("\\", "/"))
    if entry.is_dir() or inner.suffix.lower() not in KINDS or _hidden(inner):
        return
    shown = path.with_suffix("") / PurePosixPath(*inner.parts)
    if inner.is_absolute() or ".." in inner.parts or re.match(r"[A-Za-z]:", entry.filename):
        shown = path.with_suffix("") / inner.name
        yield _Found(shown, b"", gettext("Its name in the zip leads out of the zip."))
    elif stat.S_ISLNK(entry.external_attr >> 16):
        yield _Found(shown, b"", LINK)
    else:
        most = LARGEST if inner.suffix.lower() == ".ipynb" else LARGEST * 10
        with archive.open(entry) as file:
            content = file.read(min(most, budget.left) + 1)
        budget.left -= len(content)
        if len(content) > most or budget.left < 0:
            yield _Found(shown, b"", _too_large(max(entry.file_size, len(content))))
        else:
            yield from _opened(shown, content, budget, depth + 1)


def _hand_in(found: _Found, exercise: str | None) -> HandIn:
    number = exercise or _exercise_of(found)
    learner, platform_id = _learner_of(found, number)
    unknown = "" if number else gettext("Nothing tells which exercise it is for.")
    place = printable(str(found.path))
    return HandIn(learner, number, place, found.content, found.trouble or unknown, platform_id)


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


def _learner_of(found: _Found, number: str | None) -> tuple[str, str]:
    """Whose it is: the outermost folder, or the file's own name, as the platforms write them.

    Names inside a learner's own zip say nothing: anybody can write another's name there.
    """
    known = [folder.name for folder in folders().values()]
    parts = found.path.parts[: found.outside]
    folders_above = parts[:-1] if len(parts) == len(found.path.parts) else parts
    outer = [part for part in folders_above if part not in known and not _is_ours(part)]
    name = _person(outer) if outer else PurePosixPath(parts[-1]).stem
    for ending in known if not outer else ():
        name = name.removesuffix(ending)
    platform_id = ""
    if moodle := re.match(r"(.+)_(\d+)_assignsubmission_", name):
        name, platform_id = moodle[1], moodle[2]
    elif canvas := re.match(r"([^\W_]+)(?:_late|_LATE)?_(\d+)_\d+_", name):
        name, platform_id = canvas[1], canvas[2]
    return printable(name.strip("_- ")), platform_id


def _person(outer: Sequence[str]) -> str:
    """The folder that stands for a person, where downloads are wrapped in a folder of their own."""
    for part in outer:
        if "assignsubmission" in part:
            return part
    return outer[0]


def _is_ours(part: str) -> bool:
    return part in ("submissions", "submitted", "downloads", "exercises", "notebooks")
