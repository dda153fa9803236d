"""A table for a terminal and for a page: the same words in both, and no script."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from textwrap import wrap
from typing import Literal

from agentlab.views.parts import CONTROL

LINE_WIDTH = 100
NARROWEST = 20
"""No column of text is made narrower, however many there are."""
GAP = "  "

STYLES = {
    "name": "text-align:left;vertical-align:top;white-space:nowrap",
    "text": "text-align:left;vertical-align:top;overflow-wrap:anywhere",
    "number": "text-align:right;vertical-align:top;white-space:nowrap",
    "bar": "text-align:left;vertical-align:top;white-space:nowrap;font-family:monospace",
}


@dataclass(frozen=True)
class Column:
    """A column of a table: what stands over it, and how its cells are set."""

    head: str
    kind: Literal["name", "text", "number", "bar"] = "text"
    """Text may be wrapped; what a bar shows must stand in other columns, too, as numbers."""


@dataclass(frozen=True)
class Table:
    """Rows under columns; the first cell of a row names it. A row of one cell spans them all."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]

    def as_text(self) -> str:
        """The table as lines of text; the same lines every time."""
        heads = [column.head for column in self.columns]
        widths = self._widths(heads)
        rule = ["-" * width for width in widths]
        lines = [self.caption, *self._lines(heads, widths), *self._lines(rule, widths)]
        for row in self.rows:
            lines += self._lines(row, widths) if len(row) > 1 else row
        return "\n".join(line.rstrip() for line in lines)

    def as_html(self) -> str:
        """The table as HTML that screen readers find their way in; everything in it is escaped."""
        heads = "".join(
            f'<th scope="col" style="{STYLES[column.kind]}">{safe(column.head)}</th>'
            for column in self.columns
        )
        rows = "".join(f"<tr>{''.join(self._cells(row))}</tr>" for row in self.rows)
        caption = f'<caption style="text-align:left">{safe(self.caption)}</caption>'
        return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"

    def _widths(self, heads: Sequence[str]) -> list[int]:
        whole = [heads, *(row for row in self.rows if len(row) > 1)]
        longest = [max(map(len, cells)) for cells in zip(*whole, strict=True)]
        wrapped = [at for at, column in enumerate(self.columns) if column.kind == "text"]
        taken = sum(width for at, width in enumerate(longest) if at not in wrapped)
        room = LINE_WIDTH - taken - len(GAP) * (len(self.columns) - 1)
        most = max(NARROWEST, room // len(wrapped)) if wrapped else 0
        return [min(width, most) if at in wrapped else width for at, width in enumerate(longest)]

    def _lines(self, row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
        """A row as lines, as many as its longest cell needs."""
        cells = [wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            yield GAP.join(
                part.rjust(width) if column.kind == "number" else part.ljust(width)
                for part, width, column in zip(parts, widths, self.columns, strict=True)
            )

    def _cells(self, row: Sequence[str]) -> Iterator[str]:
        if len(row) == 1:
            yield f'<td colspan="{len(self.columns)}" style="{STYLES["text"]}">{safe(row[0])}</td>'
            return
        for at, (column, cell) in enumerate(zip(self.columns, row, strict=True)):
            style, content = STYLES[column.kind], safe(cell)
            if column.kind == "bar":  # read aloud it would be noise
                content = f'<span aria-hidden="true">{content}</span>'
            start, end = ('th scope="row"', "th") if at == 0 else ("td", "td")
            yield f'<{start} style="{style}">{content}</{end}>'


def on_one_line(text: str, most: int) -> str:
    """Text for a cell: no line breaks or control characters, cut to `most` characters."""
    words = " ".join(CONTROL.sub("", text[: 10 * most]).split())
    return words if len(words) <= most else f"{words[:most]}…"


def safe(text: str) -> str:
    """Escaped; `$` too, or a notebook would set what stands between two of them as mathematics."""
    return escape(text).replace("$", "&#36;")
