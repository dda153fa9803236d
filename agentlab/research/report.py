"""A report, the pages behind it, and its Markdown: what is cited has to be what was fetched."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import TypeAdapter

from agentlab.language import gettext

WEB_ADDRESS = re.compile(r"https?://(?:[^\s<>()\[\]\"'`]|\([^\s()]*\))+")
"""An address in a text; parentheses belong to it only in pairs."""
HEADING_OF_ALL = re.compile(r"\A\s*# [^\n]*\n*")

NO_SOURCE = gettext("> **No source.** No page that was fetched supports this report.")
FALLBACK = gettext(
    "> **Fallback report.** The model ended with this text and never called `write_report`."
)
SOME_NOT_FETCHED = gettext(
    "> **Check the citations.** Some addresses were cited and never fetched; they stand at the end."
)
NOTHING_RESTS_ON_THEM = gettext(
    "These addresses were cited, and no page was fetched from them, so nothing here rests on them."
)


def address(url: str) -> str:
    """`url` in the form in which two spellings of one address are equal.

    The fragment, which names a place inside a page, is left out; scheme and host are in small
    letters.
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:  # no address at all, such as one with half a pair of brackets
        return url.strip()
    return urlunsplit((parts.scheme, parts.netloc.lower(), parts.path or "/", parts.query, ""))


@dataclass(frozen=True)
class Source:
    """A page that was fetched."""

    url: str
    """Where it was found in the end, after redirects."""
    title: str
    asked: tuple[str, ...] = ()
    """The addresses under which it was asked for."""

    def is_at(self, url: str) -> bool:
        """Whether `url` is an address of this page, the one after redirects or one before."""
        return address(url) in {address(each) for each in (self.url, *self.asked)}


def find_source(sources: Iterable[Source], url: str) -> Source | None:
    """The one of `sources` that `url` is an address of."""
    return next((source for source in sources if source.is_at(url)), None)


@dataclass(frozen=True)
class Citation:
    """An address that a report names, with the number by which the text refers to it."""

    number: int
    url: str
    title: str | None = None
    """The title of the page; `None` where no page was fetched from there."""

    @property
    def is_fetched(self) -> bool:
        """Whether there is a fetched page behind it."""
        return self.title is not None


@dataclass(frozen=True)
class Report:
    """A title, a text in Markdown, and what the text cites.

    A citation of a page that was never fetched does not stop a report from being written. To
    refuse it could take the run's last step and leave no report at all; so the report is kept, its
    first lines say that something is wrong, and such an address is not shown as a source.
    """

    title: str
    content: str
    citations: tuple[Citation, ...] = ()
    fallback: bool = False
    """Whether this is text that the model gave in place of a report."""

    @classmethod
    def citing(
        cls,
        cited: Sequence[str],
        fetched: Sequence[Source],
        *,
        title: str,
        content: str,
        fallback: bool = False,
    ) -> "Report":
        """A report whose citations are held against the pages that were fetched.

        Args:
            cited: addresses in the order of their numbers, the first of which is 1. Addresses that
                only stand in the text get the numbers after them.
            fetched: the sources of the run.
            title: the heading.
            content: the text, in Markdown.
            fallback: whether it is text that the model gave in place of a report.
        """
        citations = [_citation(number, url, fetched) for number, url in enumerate(cited, 1)]
        for url in _addresses_in(content):
            found = _citation(len(citations) + 1, url, fetched)
            if address(found.url) not in {address(each.url) for each in citations}:
                citations.append(found)
        text = HEADING_OF_ALL.sub("", content).strip() or content.strip()
        return cls(" ".join(title.split()), text, tuple(citations), fallback)

    @property
    def sources(self) -> list[str]:
        """The addresses of the fetched pages that it cites, each once."""
        return list(dict.fromkeys(each.url for each in self.citations if each.is_fetched))

    @property
    def not_fetched(self) -> list[str]:
        """The addresses that it cites and that no page was fetched from, each once."""
        return list(dict.fromkeys(each.url for each in self.citations if not each.is_fetched))

    @property
    def unsupported(self) -> bool:
        """Whether it cites not one fetched page."""
        return not self.sources

    @property
    def markdown(self) -> str:
        """The whole report: notices, text, sources, and what was cited without being fetched."""
        notices = {
            FALLBACK: self.fallback,
            NO_SOURCE: self.unsupported,
            SOME_NOT_FETCHED: bool(self.not_fetched),
        }
        parts = [f"# {self.title}"]
        parts += [notice for notice, holds in notices.items() if holds]
        parts.append(self.content)
        if self.sources:
            parts += ["## Sources", _listed(each for each in self.citations if each.is_fetched)]
        if self.not_fetched:
            others = _listed(each for each in self.citations if not each.is_fetched)
            parts += [gettext("## Not fetched"), NOTHING_RESTS_ON_THEM, others]
        return "\n\n".join(parts) + "\n"

    def to_data(self) -> dict[str, Any]:
        """The report as plain data that JSON can hold."""
        data: dict[str, Any] = _REPORT.dump_python(self, mode="json")
        return data

    @classmethod
    def from_data(cls, data: Any) -> "Report":
        """The report that `to_data` made data of."""
        return _REPORT.validate_python(data)


_REPORT = TypeAdapter(Report)


def _addresses_in(text: str) -> list[str]:
    return [found.rstrip(".,;:!?*_") for found in WEB_ADDRESS.findall(text)]


def _citation(number: int, url: str, fetched: Sequence[Source]) -> Citation:
    source = find_source(fetched, url)
    return Citation(number, source.url, source.title) if source else Citation(number, url.strip())


def _listed(citations: Iterable[Citation]) -> str:
    return "\n".join(f"- [{each.number}] {_shown(each)}" for each in citations)


def _shown(citation: Citation) -> str:
    """A link for a fetched page; for another address only its letters, which lead nowhere."""
    if citation.title is None:
        return f"`{' '.join(citation.url.split()).replace('`', '%60')}`"
    title = re.sub(r"([\\\[\]*_`<>])", r"\\\1", " ".join(citation.title.split()) or citation.url)
    url = citation.url.replace("(", "%28").replace(")", "%29")
    return f"[{title}]({url})"
