"""The web as the research agent sees it: a search, and pages to fetch.

    with PracticeWeb() as web:
        hits = web.search("chunking", limit=5)
        page = web.fetch(hits[0].url)

`live_web()` has the same two methods and goes out into the world.
"""

import threading
from functools import cache
from types import TracebackType
from typing import Protocol, Self

from agentlab.research.addresses import WebError
from agentlab.research.articles import articles, document, front_pages
from agentlab.research.fetching import Fetcher, Limits
from agentlab.research.index import Entry, Hit, Index
from agentlab.research.live import live_web
from agentlab.research.reading import Page, read
from agentlab.research.site import Answer, Site
from agentlab.research.troubles import HTML, troubles

__all__ = ["Hit", "Page", "PracticeWeb", "Web", "WebError", "live_web"]


class Web(Protocol):
    """What the research agent needs of a web."""

    def search(self, query: str, limit: int) -> list[Hit]:
        """Pages that fit `query`, the best first; none is an empty list.

        Raises:
            WebError: where `limit` is not from 1 to 20, or the search does not answer.
        """

    def fetch(self, url: str) -> Page:
        """The page at `url`, read.

        Raises:
            WebError: with what went wrong with this address, and what to do.
        """


class PracticeWeb:
    """A small web on this computer: some fifty pages, a search over them, and usual troubles.

    Its server starts with the first use or `start`, and ends with the block or `close`.
    """

    def __init__(self, *, seconds: float = 3.0) -> None:
        """A web that is the same on every computer.

        Args:
            seconds: how long one fetch may take.
        """
        self.limits = Limits(seconds=seconds, ports=frozenset({80, 443}))
        self._starting = threading.Lock()
        self._running: tuple[Site, Index] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def start(self) -> tuple[Site, Index]:
        """Start the server and make the index, unless they are there."""
        with self._starting:
            if self._running is None:
                self._running = Site(practice_answers()), Index(practice_entries())
            return self._running

    def close(self) -> None:
        """End the server and give its port back; a later use starts another one."""
        with self._starting:
            if self._running:
                for part in self._running:
                    part.close()
            self._running = None

    def search(self, query: str, limit: int) -> list[Hit]:
        """Pages with the words of `query`, the best first; none is an empty list.

        Args:
            query: any text; nothing in it is an operator.
            limit: how many hits at most, from 1 to 20.

        Raises:
            WebError: for another limit.
        """
        _, index = self.start()
        return index.search(query, limit)

    def fetch(self, url: str) -> Page:
        """The page at `url`, read.

        Raises:
            WebError: with what went wrong with this address, and what to do.
        """
        site, _ = self.start()
        return read(Fetcher(site.resolve, site.permit, self.limits).fetch(url))


@cache
def practice_answers() -> dict[str, Answer]:
    """What the server of the practice web sends, by address."""
    pages = {
        article.url: document(article.title, article.body, host=article.host)
        for article in articles()
    }
    pages |= front_pages(articles())
    answers = {url: Answer([page.encode()], headers=HTML) for url, page in pages.items()}
    for trouble in troubles():
        answers |= trouble.answers
    return answers


@cache
def practice_entries() -> list[Entry]:
    """What the search of the practice web knows: articles as they are, troubles as they promise."""
    known = [Entry(article.url, article.title, article.text) for article in articles()]
    return [*known, *(trouble.promise for trouble in troubles())]
