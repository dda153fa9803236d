"""Full-text search over a set of pages, by the words that they have in common with a query.

The rarer a word, the more it counts, and a word in the title counts most (BM25, by SQLite's FTS5).
Meanings play no part: whoever searches for an abbreviation finds all that is spelt that way.
"""

import re
import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import dataclass

from agentlab.research.addresses import WebError

MOST_HITS = 20
MOST_WORDS = 200
"""A query's words beyond these are left out; SQLite limits the size of an expression, too."""

TITLE_WEIGHT = 4.0
SNIPPET_WORDS = 24

# fmt: off
STOP_WORDS = frozenset({
    "a", "about", "an", "and", "are", "as", "at", "be", "best", "by", "can", "do", "does", "for",
    "from", "get", "good", "has", "have", "how", "i", "in", "is", "it", "its", "my", "of", "on",
    "or", "our", "should", "that", "the", "their", "there", "these", "this", "to", "use", "used",
    "was", "we", "what", "when", "where", "which", "who", "why", "will", "with", "you", "your",
})
# fmt: on
"""Words that are on every page and tell none from another."""


@dataclass(frozen=True)
class Hit:
    """One result of a search."""

    title: str
    url: str
    snippet: str
    """A few words of the page around what was searched for."""


@dataclass(frozen=True)
class Entry:
    """A page as the index knows it, which may not be as it is today."""

    url: str
    title: str
    text: str


class Index:
    """A search over entries, in memory; threads may share it."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute(
            "CREATE VIRTUAL TABLE pages USING fts5(title, text, url UNINDEXED, tokenize='porter')"
        )
        self._database.executemany(
            "INSERT INTO pages VALUES (?, ?, ?)",
            ((entry.title, entry.text, entry.url) for entry in entries),
        )

    def close(self) -> None:
        """Give the memory back."""
        self._database.close()

    def search(self, query: str, limit: int) -> list[Hit]:
        """The pages with any word of `query`, the best first; equally good ones by their address.

        Args:
            query: any text; nothing in it is an operator.
            limit: how many hits at most, from 1 to 20.

        Raises:
            WebError: for another limit.
        """
        require_limit(limit)
        expression = any_of(words_of(query))
        if not expression:
            return []
        with self._lock:
            rows = self._database.execute(
                f"SELECT title, url, snippet(pages, 1, '', '', '…', {SNIPPET_WORDS}) FROM pages "
                f"WHERE pages MATCH ? ORDER BY bm25(pages, {TITLE_WEIGHT}, 1.0), url LIMIT ?",
                (expression, limit),
            ).fetchall()
        return [Hit(title, url, " ".join(snippet.split())) for title, url, snippet in rows]


def require_limit(limit: int) -> None:
    """Refuse to return no hits, or more than anybody reads.

    Raises:
        WebError: for a limit that is not from 1 to 20.
    """
    if limit not in range(1, MOST_HITS + 1):
        raise WebError(f"The limit of a search is from 1 to {MOST_HITS}, not {limit!r}.")


def words_of(query: str) -> list[str]:
    """The words to search for, each once; those that are everywhere only if there are no others."""
    words = list(dict.fromkeys(re.findall(r"\w+", query.lower())))[:MOST_WORDS]
    return [word for word in words if word not in STOP_WORDS] or words


def any_of(words: Iterable[str]) -> str:
    """An FTS5 expression in which each word is a quoted string, so that none is an operator."""
    return " OR ".join(f'"{word}"' for word in words)
