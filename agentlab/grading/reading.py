"""A hand-in's bytes as a notebook, or one line that says what is wrong with them."""

import json
import re
from typing import Any

from agentlab.exercises.cells import Cell, code_cells
from agentlab.language import gettext, ngettext

MOST_CODE, MOST_CELLS = 300_000, 500
"""Bytes and number of the code cells of a notebook that is graded."""
LARGEST = 20_000_000
"""Bytes of the largest notebook that is read."""


class Unreadable(Exception):
    """These bytes are no notebook; the text says why, for the learner."""


def read_notebook(content: bytes) -> dict[str, Any]:
    """The notebook that the bytes hold, whichever program wrote them.

    Args:
        content: the bytes of a file; a byte-order mark may stand before them.

    Raises:
        Unreadable: with what is wrong, in a sentence.
    """
    if len(content) > LARGEST:
        raise Unreadable(
            gettext(
                "The file has {megabytes:.0f} MB. Clear its outputs and hand it in again.",
                megabytes=len(content) / 1e6,
            )
        )
    if not content.strip():
        raise Unreadable(gettext("The file is not a notebook: it is empty."))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(gettext("The file is not a notebook: it is not UTF-8.")) from error
    if re.search(r"^(?:<{7}|>{7}|={7})(?: |$)", text, re.MULTILINE):
        raise Unreadable(
            gettext("The file holds merge conflict marks (<<<<<<<). Resolve them first.")
        )
    try:
        notebook = json.loads(text)
    except RecursionError as error:
        raise Unreadable(gettext("The file is not a notebook: it is nested too deeply.")) from error
    except ValueError as error:
        cut = "Unterminated" in str(error) or text.lstrip().startswith("{")
        raise Unreadable(
            gettext("The file is not a notebook: it was cut short.")
            if cut
            else gettext("The file is not a notebook: it is not JSON.")
        ) from error
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise Unreadable(gettext("The file is not a notebook: it has no cells."))
    return notebook


def cells_of(notebook: dict[str, Any]) -> list[Cell]:
    """The code cells; what is no cell at all is passed over.

    Raises:
        Unreadable: where a cell is not what the format says.
    """
    cells = [cell for cell in notebook["cells"] if isinstance(cell, dict)]
    try:
        read = code_cells({"cells": cells})
        size = sum(len(cell.source.encode("utf-8")) for cell in read)
    except (TypeError, AttributeError) as error:
        raise Unreadable(
            gettext("The file is not a notebook: a cell of it is malformed.")
        ) from error
    except UnicodeEncodeError as error:
        raise Unreadable(
            gettext("The file holds half a character. Type that place anew.")
        ) from error
    if size > MOST_CODE or len(read) > MOST_CELLS:
        raise Unreadable(
            ngettext(
                "The file has {count} cell with {kilobytes:.0f} kB of code. "
                "Hand in the exercise with your answers only.",
                "The file has {count} cells with {kilobytes:.0f} kB of code. "
                "Hand in the exercise with your answers only.",
                len(read),
                kilobytes=size / 1e3,
            )
        )
    return read


def exercise_named_in(notebook: dict[str, Any]) -> str | None:
    """The exercise that a notebook says it belongs to."""
    metadata = notebook.get("metadata")
    named = metadata.get("agentlab", {}) if isinstance(metadata, dict) else {}
    number = named.get("exercise") if isinstance(named, dict) else None
    return number if isinstance(number, str) and re.fullmatch(r"\d\d", number) else None
