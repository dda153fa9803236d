"""Keep translated lessons, notebooks/LANGUAGE/, beside the English ones.

    python scripts/translations.py --start de 00_start_here    begin the translation of a lesson
    python scripts/translations.py                             renew every translation
    python scripts/translations.py --check                     would renewing change anything?

What is translated is the prose. Code and its outputs are those of the English lesson, always, so
the tests of the English lesson hold for its translations too.

A cell that waits for a translator carries a tag, which JupyterLab shows and takes off:
`untranslated` where its text is still English, `stale` where the English cell has changed since.
Translate it and renew, and the tag goes; where the text is right as it is, take it off by hand.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from notebooks import FOLDER, as_text, read

STALE, UNTRANSLATED = "stale", "untranslated"
WAITING = {STALE, UNTRANSLATED}
RECORD = "translation"
"""In a cell's metadata: of which English text it is the translation, and what was found last."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--start", nargs=2, metavar=("LANGUAGE", "LESSON"), help="begin one")
    parser.add_argument("--check", action="store_true", help="change nothing, fail if it would")
    options = parser.parse_args(arguments)
    if options.start:
        start(FOLDER, *options.start)
    changed = [(path, text) for path, text in renewed(FOLDER) if path.read_text("utf-8") != text]
    for path, text in changed:
        print(f"{path.parent.name}/{path.name}: {'to be renewed' if options.check else 'renewed'}")
        if not options.check:
            path.write_text(text, encoding="utf-8", newline="\n")
    for path in translations(FOLDER):
        for cell in waiting(read(path)):
            tags = WAITING.intersection(cell.metadata.tags)
            print(f"{path.parent.name}/{path.name}: cell {cell.id!r} is {', '.join(sorted(tags))}")
    return 1 if options.check and changed else 0


def start(folder: Path, language: str, lesson: str) -> Path:
    """Put a lesson beside the English one, every cell of prose waiting for its translation."""
    source = folder / f"{Path(lesson).stem}.ipynb"
    target = folder / language / source.name
    if not source.is_file():
        known = ", ".join(path.stem for path in sorted(folder.glob("*.ipynb")))
        sys.exit(f"There is no lesson {lesson!r}. There are: {known}.")
    if target.exists():
        sys.exit(f"{language}/{target.name} exists. Renew it: python scripts/translations.py")
    empty = nbformat.v4.new_notebook()
    target.parent.mkdir(exist_ok=True)
    target.write_text(as_text(renew(empty, read(source))), encoding="utf-8", newline="\n")
    return target


def translations(folder: Path) -> list[Path]:
    """Every translated lesson."""
    return sorted(folder.glob("[a-z]*/*.ipynb"))


def renewed(folder: Path) -> Iterator[tuple[Path, str]]:
    """Every translated lesson, and what has to stand in its file."""
    for path in translations(folder):
        english = folder / path.name
        if not english.is_file():
            sys.exit(f"{path.parent.name}/{path.name} translates no lesson. Remove or rename it.")
        yield path, as_text(renew(read(path), read(english)))


def renew(translation: NotebookNode, english: NotebookNode) -> NotebookNode:
    """The English lesson with the prose that is translated, marked where it is out of date."""
    known = {cell.id: cell for cell in translation.cells if cell.cell_type == "markdown"}
    result = copy.deepcopy(english)
    result.cells = [
        translated(known.get(cell.id), cell) if cell.cell_type == "markdown" else cell
        for cell in result.cells
    ]
    return result


def translated(cell: NotebookNode | None, english: NotebookNode) -> NotebookNode:
    """A cell of prose: its translation as it is, with a tag if it waits for a translator."""
    now = fingerprint(english.source)
    if cell is None:
        return marked(english, english, UNTRANSLATED, of=now)
    tags = WAITING.intersection(cell.metadata.get("tags", []))
    record = cell.metadata.get(RECORD, {"of": now})
    waits = "waits_as" in record and tags and fingerprint(cell.source) == record["waits_as"]
    if waits and UNTRANSLATED in tags:
        return marked(english, english, UNTRANSLATED, of=now)
    # Whoever worked on it had the English text of that time before them, not today's.
    of = record["of"] if waits else record.get("waits_for", record["of"])
    if of != now:
        return marked(cell, english, STALE, of=of)
    return with_record(cell, english, {"of": of})


def marked(cell: NotebookNode, english: NotebookNode, tag: str, *, of: str) -> NotebookNode:
    """The cell with a tag, and with what is needed to see later that somebody worked on it."""
    waits = {"waits_as": fingerprint(cell.source), "waits_for": fingerprint(english.source)}
    result = with_record(cell, english, {"of": of, **waits})
    result.metadata["tags"] = [*english.metadata.get("tags", []), tag]
    return result


def with_record(cell: NotebookNode, english: NotebookNode, record: dict[str, str]) -> NotebookNode:
    """The cell's text, and else what the English cell is."""
    result = copy.deepcopy(english)
    result.source = cell.source
    result.metadata[RECORD] = record
    return result


def waiting(notebook: NotebookNode) -> Iterator[NotebookNode]:
    """The cells that wait for a translator."""
    for cell in notebook.cells:
        if WAITING.intersection(cell.metadata.get("tags", [])):
            yield cell


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
