"""The real web: a public search engine, and pages from anywhere that is public."""

from collections.abc import Iterable, Mapping
from typing import Any

from agentlab.errors import ConfigurationError
from agentlab.research.addresses import WebError
from agentlab.research.fetching import Fetcher, Limits
from agentlab.research.index import Hit, require_limit
from agentlab.research.reading import Page, read
from agentlab.research.robots import RobotRules

NOTHING_FOUND = "No results found."
"""What ddgs raises in place of an empty list."""


def live_web(limits: Limits | None = None) -> "LiveWeb":
    """The real web; it needs the extra `agentlab[web]`.

    Args:
        limits: what one fetch may take.

    Raises:
        ConfigurationError: where the search is not installed.
    """
    try:
        import ddgs  # noqa: F401
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            "Searching the real web needs ddgs, which is not installed. Run "
            "pip install 'agentlab[web]', or use PracticeWeb()."
        ) from error
    return LiveWeb(limits or Limits())


class LiveWeb:
    """A search by ddgs, which asks several engines, and a fetcher that keeps to robots.txt."""

    def __init__(self, limits: Limits) -> None:
        rules = RobotRules(Fetcher(limits=limits))
        self._fetcher = Fetcher(limits=limits, before=rules.require_allowed)

    def search(self, query: str, limit: int) -> list[Hit]:
        """Pages that fit `query`, in the order of the search engines.

        Raises:
            WebError: where `limit` is not from 1 to 20, or no engine answers.
        """
        from ddgs import DDGS
        from ddgs.exceptions import DDGSException

        require_limit(limit)
        if not query.strip():
            return []
        try:
            return hits_from(DDGS().text(query, max_results=limit))
        except DDGSException as error:
            if NOTHING_FOUND in str(error):
                return []
            raise WebError(
                f"The search does not answer: {error}. Try once more with fewer words, or fetch "
                "an address that you know."
            ) from error

    def fetch(self, url: str) -> Page:
        """The page at `url`, read.

        Raises:
            WebError: with what went wrong with this address, and what to do.
        """
        return read(self._fetcher.fetch(url))


def hits_from(results: Iterable[Mapping[str, Any]]) -> list[Hit]:
    """The hits in what ddgs returns: dicts with `title`, `href` and `body`, all of them text.

    A result without an address is left out, since there is nothing to fetch.
    """
    return [
        Hit(
            str(result.get("title") or result["href"]),
            str(result["href"]),
            str(result.get("body") or ""),
        )
        for result in results
        if result.get("href")
    ]
