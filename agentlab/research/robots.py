"""What sites ask robots not to fetch (RFC 9309)."""

from urllib.robotparser import RobotFileParser

import httpx2

from agentlab.research.addresses import WebError, shortened
from agentlab.research.fetching import AGENT_NAME, Fetcher, StatusError
from agentlab.research.reading import decoded


class RobotRules:
    """The robots.txt of each site, fetched when the first page of that site is."""

    def __init__(self, fetcher: Fetcher) -> None:
        """Rules that are remembered as long as this object lives.

        Args:
            fetcher: fetches robots.txt itself, under the same guard as pages.
        """
        self._fetcher = fetcher
        self._known: dict[httpx2.URL, RobotFileParser] = {}

    def require_allowed(self, url: httpx2.URL) -> None:
        """Refuse a page that its site keeps from robots.

        A site without rules allows everything; one whose rules cannot be had now allows nothing.

        Raises:
            WebError: for a page that is not allowed.
        """
        place = url.copy_with(raw_path=b"/robots.txt")
        if place not in self._known:
            self._known[place] = self._rules_at(place)
        if not self._known[place].can_fetch(AGENT_NAME, str(url)):
            raise WebError(
                f"{shortened(str(url))!r} is closed to robots by its site. Use another source."
            )

    def _rules_at(self, place: httpx2.URL) -> RobotFileParser:
        rules = RobotFileParser()
        try:
            rules.parse(decoded(self._fetcher.fetch(str(place)).body).splitlines())
        except StatusError as error:
            if error.status >= 500:
                raise
            rules.parse([])  # it has none
        return rules
