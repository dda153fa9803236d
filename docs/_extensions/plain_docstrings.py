"""What autodoc finds in this package, brought into the form that Sphinx reads.

Docstrings here are plain text with Markdown's backticks, in which an indented paragraph is an
example; Sphinx would take it for a quotation.
"""

import re
from typing import Any

from sphinx.application import Sphinx

INDENTED = re.compile(r"^ {4}\S")
SECTION = re.compile(r"^(Args|Returns|Raises|Yields):$")
CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)(\w?)")
NOT_PYTHON = re.compile(r"<(?:[^<>]|<\w+>)+>")
"""A default that is written as no Python could read it, such as `<factory>` of a dataclass."""


def mark_code(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Mark what is code in one docstring, in place."""
    lines[:] = with_literal_blocks([with_literal_words(line) for line in lines])


def with_literal_words(line: str) -> str:
    """The line with two backticks for each; a letter may follow, as in the plural of a name."""
    return CODE.sub(lambda found: f"``{found[1]}``" + (found[2] and f"\\ {found[2]}"), line)


def with_literal_blocks(lines: list[str]) -> list[str]:
    """The lines, with a mark before each indented paragraph that belongs to no Google section."""
    found: list[str] = []
    in_section = in_block = False
    for number, line in enumerate(lines):
        if line and not line.startswith(" "):
            in_section, in_block = bool(SECTION.match(line)), False
        after_a_gap = number > 0 and not lines[number - 1].strip()
        if INDENTED.match(line) and after_a_gap and not in_section and not in_block:
            found += ["::", ""]
            in_block = True
        found.append(line)
    return found


def leave_out_defaults(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str, returned: str
) -> tuple[str, str] | None:
    """The signature with `...` for each default that cannot be written, so that Sphinx can read it.

    Sphinx would print the whole of it as it stands, with every type's full name.
    """
    return signature and (NOT_PYTHON.sub("...", signature), returned)


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx calls this once."""
    app.connect("autodoc-process-docstring", mark_code, priority=400)  # before napoleon
    app.connect("autodoc-process-signature", leave_out_defaults)
    return {"parallel_read_safe": True}
