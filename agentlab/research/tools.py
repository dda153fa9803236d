"""The research agent's tools: the registry of what the model may ask for."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from agentlab import tools
from agentlab.events import text_in
from agentlab.loop import as_message
from agentlab.models import MODEL
from agentlab.research.prompt import SUMMARY_INSTRUCTIONS
from agentlab.research.report import Report, Source, address, find_source
from agentlab.research.state import remember_report, remember_source, sources_in
from agentlab.research.web import Hit, Page, Web, WebError
from agentlab.results import sendable
from agentlab.safety import mark_untrusted
from agentlab.tools import Context, Tool, tool

if TYPE_CHECKING:
    from anthropic import Anthropic

MOST_RESULTS = 20
MOST_PAGES = 4
"""Pages of one call, so that one reply of the model cannot ask for a hundred at once."""
SHOWN_CHARACTERS = 6_000
"""Characters of a page that the model reads; what is longer is cut, and the cut is said."""
SUMMARIZED_CHARACTERS = 200_000
"""Characters of a page that go into the request for a summary."""
SUMMARY_TOKENS = 600


@dataclass(frozen=True)
class ResearchTools:
    """Four tools over one web. They remember nothing themselves: the run's context does.

    What comes from the web stands between the marks of `mark_untrusted` in every result.
    """

    web: Web
    client: "Anthropic"
    """Answers the separate request of `summarize_page`."""
    model: str = MODEL

    @property
    def tools(self) -> list[Tool]:
        """The tools, in the order in which they are mostly used; the last one ends a run."""
        return [
            tool(self.search_web),
            tool(self.fetch_pages),
            tool(self.summarize_page),
            tool(final=True)(self.write_report),
        ]

    def search_web(
        self,
        query: str,
        limit: Annotated[int, Field(ge=1, le=MOST_RESULTS)] = 5,
    ) -> str:
        """Find pages on the web by words.

        Returns titles, addresses and a few words of each page, the best first. Use it before
        fetch_pages, and again with other words when nothing fits. It does not return whole pages,
        and a result is no source before it was fetched.

        Args:
            query: The words to look for, abbreviations written out, such as "vector index size".
            limit: How many results to return at most, from 1 to 20.
        """
        if not query.strip():
            raise tools.ToolError("query is empty. Give the words to look for.")
        hits = self.web.search(query, limit)
        if not hits:
            return "No results. Search once more with fewer or other words."
        listed = "\n".join(_listed(number, hit) for number, hit in enumerate(hits, 1))
        return f"{_counted(len(hits), 'result')}:\n{mark_untrusted(listed, 'web search')}"

    def fetch_pages(
        self,
        urls: Annotated[list[str], Field(min_length=1, max_length=MOST_PAGES)],
        context: Context,
    ) -> str:
        """Fetch pages and read their text, up to four at once.

        Use it when search_web has found addresses. Each address gets its own answer, in the order
        asked; one that fails does not disturb the others. A long page is shown in part, and then
        summarize_page reads the whole. Do not fetch the same page again.

        Args:
            urls: One to four addresses, such as ["http://rag.example/chunking"].
            context: The state of the run; the model does not see it.
        """
        wanted = {address(url): url for url in reversed(urls)}
        pool = ThreadPoolExecutor(max_workers=len(wanted))
        try:
            found = dict(zip(wanted, pool.map(self._fetch, wanted.values()), strict=True))
        finally:
            pool.shutdown(wait=False)  # whoever interrupts need not wait for a slow page
        answers = [found[address(url)] for url in urls]
        for url, answer in zip(urls, answers, strict=True):
            if isinstance(answer, Page):
                remember_source(context, Source(answer.url, answer.title, (url,)))
        read = sum(isinstance(answer, Page) for answer in found.values())
        told = "\n\n".join(_told(urls, answers))
        if not read:
            raise tools.ToolError(f"No page could be fetched. Try other addresses.\n\n{told}")
        return f"{read} of {_counted(len(found), 'page')} fetched.\n\n{told}"

    def summarize_page(self, url: str, context: Context) -> str:
        """Read the whole of a long page and return a summary of it.

        Use it for a page that fetch_pages has shown only in part. Do not use it for a page that was
        shown whole, nor for one that was not fetched.

        Args:
            url: The address of the page, as given to fetch_pages.
            context: The state of the run; the model does not see it.
        """
        source = find_source(sources_in(context), url)
        if source is None:
            raise tools.ToolError(f"{url!r} was not fetched. Call fetch_pages with it first.")
        # Read once more: the state holds no texts, as each event would hold them again.
        page = self.web.fetch(source.url)
        text = sendable(page.text[:SUMMARIZED_CHARACTERS])
        question = str(context.get("question", ""))
        asked = f"Question: {question}\n\nPage:\n{mark_untrusted(text, page.url)}"
        reply = self.client.messages.create(
            model=self.model,
            max_tokens=SUMMARY_TOKENS,
            system=SUMMARY_INSTRUCTIONS,
            messages=[{"role": "user", "content": asked}],
        )
        message = as_message(reply)
        summary = text_in(message).strip()
        if not summary:
            raise tools.ToolError(
                f"The summary came back empty, with stop_reason {message['stop_reason']!r}. Use "
                "the part of the page that was shown."
            )
        return f"Summary of {url}:\n{mark_untrusted(summary, page.url)}"

    def write_report(self, title: str, content: str, sources: list[str], context: Context) -> str:
        """Deliver the finished report. This ends the run.

        Use it once, when the pages are read, and also when no source was found: then say so, with
        an empty list of sources. Do not use it for drafts or notes.

        Args:
            title: The heading of the report.
            content: The text in Markdown, without the title and without a list of sources, with
                the number of a source after each sentence, as in [2].
            sources: The addresses of the fetched pages that the text cites, in the order of their
                numbers.
            context: The state of the run; the model does not see it.
        """
        if not title.strip() or not content.strip():
            empty = "title" if not title.strip() else "content"
            raise tools.ToolError(f"{empty} is empty, and nothing was written. Call it again.")
        fetched = sources_in(context)
        report = Report.citing(sources, fetched, title=title, content=content)
        remember_report(context, report)
        return report.markdown

    def _fetch(self, url: str) -> "Page | str":
        """The page, or in words why there is none."""
        try:
            return self.web.fetch(url)
        except WebError as error:
            return str(error)
        except Exception as error:  # whatever a web raises, the other pages of the call stand
            return f"{type(error).__name__}: {error}"


def _listed(number: int, hit: Hit) -> str:
    title, snippet = (" ".join(text.split()) for text in (hit.title, hit.snippet))
    return f"{number}. {title}\n   {hit.url}\n   {snippet}"


def _told(urls: Sequence[str], answers: Sequence[Page | str]) -> Iterator[str]:
    """What the model reads of each address, in order; of a page that comes twice, once."""
    shown: dict[str, int] = {}
    for number, (url, answer) in enumerate(zip(urls, answers, strict=True), 1):
        head = f"Page {number}, {url}:"
        if isinstance(answer, str):
            yield f"{head} not fetched. {answer}"
        elif answer.url in shown:
            yield f"{head} the same as page {shown[answer.url]}."
        else:
            shown[answer.url] = number
            yield f"{head}\n{_marked(answer)}"


def _marked(page: Page) -> str:
    text = f"{' '.join(page.title.split())}\n\n{page.text[:SHOWN_CHARACTERS]}"
    marked = mark_untrusted(text, page.url)
    if len(page.text) <= SHOWN_CHARACTERS:
        return marked
    return (
        f"{marked}\n({SHOWN_CHARACTERS:,} of {len(page.text):,} characters are shown; call "
        "summarize_page with this address for the whole.)"
    )


def _counted(number: int, noun: str) -> str:
    """A number with its noun, for the model, which is told everything in English."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
