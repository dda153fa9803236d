"""Collect what people read into the catalogues: `python scripts/catalogue.py`.

    python scripts/catalogue.py            collect the texts, and renew every translation
    python scripts/catalogue.py --start de begin a translation: agentlab/locale/de/LC_MESSAGES/*.po
    python scripts/catalogue.py --check    say what is not up to date, and change nothing

A text whose English changed keeps its old translation, marked `fuzzy`, until a translator has
looked at it; until then English is shown.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from agentlab import errors
from agentlab.language import PAGE

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "agentlab" / "locale"

SOURCES = {
    "agentlab": ["agentlab/**/*.py", "agentlab/**/*.js", "exercises/*/checks.py"],
    "hidden": ["exercises/*/hidden.py"],
}
"""The files whose texts go into each catalogue."""

RAISED = [name for name in vars(errors) if name[0].isupper()]
KEYWORDS = {"gettext": None, "ngettext": (1, 2), **dict.fromkeys(RAISED)}
"""The calls whose first arguments are texts; our exceptions translate theirs."""


def collected(domain: str) -> Catalog:
    """A catalogue of every text of the sources, in the order of the files, not translated."""
    catalog = Catalog(domain=domain, fuzzy=False)
    for path in sorted({path for glob in SOURCES[domain] for path in ROOT.glob(glob)}):
        language = "javascript" if path.suffix == ".js" else "python"
        place = path.relative_to(ROOT).as_posix()
        for _, message, comments, _ in extract_from_file(
            language, path, KEYWORDS, comment_tags=["Translators:"]
        ):
            catalog.add(message, locations=[(place, 0)], auto_comments=comments)
        if place.startswith("agentlab/cli/"):
            for told in helps(path):
                catalog.add(told, locations=[(place, 0)])
    return catalog


def helps(path: Path) -> Iterator[str]:
    """The docstrings of a file's commands, which are their help."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and any(
            "app.command" in ast.unparse(decorator) for decorator in node.decorator_list
        ):
            yield ast.get_docstring(node) or node.name


def template(domain: str) -> bytes:
    """The `.pot` file: what a translation is begun from."""
    written = io.BytesIO()
    write_po(written, collected(domain), omit_header=True, include_lineno=False, width=100)
    return written.getvalue()


def translation(path: Path) -> Catalog:
    """A `.po` file with the texts of today; what was translated before is kept."""
    with path.open("rb") as file:
        catalog = read_po(file, locale=path.parents[1].name, domain=path.stem)
    catalog.update(collected(path.stem), update_creation_date=False)
    return catalog


def compiled(catalog: Catalog) -> bytes:
    """The `.mo` file that Python reads."""
    written = io.BytesIO()
    write_mo(written, catalog)
    return written.getvalue()


def written(catalog: Catalog) -> bytes:
    """The `.po` file that a translator edits."""
    file = io.BytesIO()
    write_po(file, catalog, include_lineno=False, width=100)
    return file.getvalue()


def page(catalog: Catalog) -> bytes:
    """What the scripts of the pages begin with: their own texts, and the rule for plural forms."""
    texts = {
        first_of(message): message.string if isinstance(message.id, str) else list(message.string)
        for message in translated(catalog)
        if any(place.endswith(".js") for place, _ in message.locations)
    }
    listed = json.dumps(texts, ensure_ascii=False, indent=0)
    return (
        f"const CATALOGUE = {listed};\nconst pluralForm = (n) => Number({catalog.plural_expr});\n"
    ).encode()


def translated(catalog: Catalog) -> Iterator[Message]:
    for message in catalog:
        text = message.string or ""
        strings = [text] if isinstance(text, str) else text
        if message.id and all(strings) and not message.fuzzy:
            yield message


def first_of(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def files() -> Iterator[tuple[Path, bytes]]:
    """Every file of the catalogues, and what it has to hold."""
    for domain in SOURCES:
        yield LOCALE / f"{domain}.pot", template(domain)
    for path in sorted(LOCALE.glob("*/LC_MESSAGES/*.po")):
        catalog = translation(path)
        yield path, written(catalog)
        yield path.with_suffix(".mo"), compiled(catalog)
        if path.stem == "agentlab":
            yield path.parents[1] / PAGE, page(catalog)


def start(language: str) -> None:
    """Begin a translation, if it is not begun."""
    for domain in SOURCES:
        path = LOCALE / language / "LC_MESSAGES" / f"{domain}.po"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(written(Catalog(locale=language, domain=domain, fuzzy=False)))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--start", metavar="LANGUAGE", help="begin a translation, such as de")
    parser.add_argument("--check", action="store_true", help="change nothing, fail if it is stale")
    options = parser.parse_args(arguments)
    if options.start:
        start(options.start)
    stale = [
        (path, content)
        for path, content in files()
        if not path.is_file() or path.read_bytes() != content
    ]
    for path, content in stale:
        print(f"{'stale' if options.check else 'written'}: {path.relative_to(ROOT)}")
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
