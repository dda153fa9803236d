"""The licences of everything that an installation for learners brings along.

python scripts/licences.py            print the list
python scripts/licences.py --write    write docs/licences.md
"""

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PAGE = Path(__file__).resolve().parent.parent / "docs" / "licences.md"
ROOTS = ("agentlab", ("lab",))
"""What learners install: the package with its notebook."""
HEAD = """\
# Licences

What an installation for learners (`agentlab[lab]`) brings along, and under which licence.
`python scripts/licences.py --write` writes this page; a test fails where something is missing on it
or where a licence is one that nobody has looked at.

| package | licence |
| --- | --- |
"""
LOOKED_AT = re.compile(
    r"\b(?:Apache|MIT|BSD|ISC|PSF|Python Software Foundation|MPL|Mozilla Public|Unlicense|"
    r"Zope|ZPL|HPND|Historical Permission|0BSD|CC0|LGPL-2\.1)\b|^Python-2\.0",
    re.IGNORECASE,
)
"""They allow use, change and distribution; MPL and LGPL bind changes to their own files."""


def licences() -> dict[str, str]:
    """The licence of each package, by its name."""
    found: dict[str, str] = {}
    waiting = [ROOTS]
    seen: set[tuple[str, tuple[str, ...]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue  # for another platform
        found[name] = licence_of(package)
        waiting += [
            (canonicalize_name(needed.name), tuple(sorted(needed.extras)))
            for needed in map(Requirement, package.requires or ())
            if applies(needed, extras)
        ]
    return dict(sorted(found.items()))


def applies(needed: Requirement, extras: tuple[str, ...]) -> bool:
    """Whether a requirement holds here, with these extras."""
    if needed.marker is None:
        return True
    return any(needed.marker.evaluate({"extra": extra}) for extra in (*extras, ""))


def licence_of(package: Distribution) -> str:
    """What a package says of its licence, in a line: by its expression, classifiers or words."""
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return expression
    classified = [
        line.split(" :: ")[-1]
        for line in metadata.get_all("Classifier") or ()
        if line.startswith("License :: ") and line != "License :: OSI Approved"
    ]
    if classified:
        return ", ".join(classified)
    words = (metadata.get("License") or "").strip().splitlines()
    return words[0][:60] if words else "not said"


def page() -> str:
    """The page of all licences."""
    return HEAD + "".join(f"| {name} | {licence} |\n" for name, licence in licences().items())


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page())
