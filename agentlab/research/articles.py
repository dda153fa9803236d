"""The articles of the practice web: Markdown files, served as HTML."""

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

FOLDER = Path(__file__).parent / "pages"
"""`pages/rag.example/chunking.md` is the source of `http://rag.example/chunking`."""


@dataclass(frozen=True)
class Article:
    """One page of the practice web."""

    url: str
    markdown: str
    """Its first line is the title, with a `#` before it."""

    @property
    def host(self) -> str:
        """The site that it is on."""
        return self.url.split("/")[2]

    @property
    def title(self) -> str:
        """Its heading."""
        return self.markdown.partition("\n")[0].removeprefix("#").strip()

    @cached_property
    def body(self) -> str:
        """Its HTML, from the heading on."""
        from markdown_it import MarkdownIt

        return str(MarkdownIt().render(self.markdown))

    @property
    def text(self) -> str:
        """Its words below the title, as a search engine reads them: without marks and links."""
        from lxml.html import fragment_fromstring  # type: ignore[import-untyped]

        _, *rest = fragment_fromstring(self.body, create_parent=True)
        return " ".join(" ".join(part.text_content() for part in rest).split())


def articles() -> list[Article]:
    """Every article, in the order of the addresses."""
    return [
        Article(
            f"http://{path.relative_to(FOLDER).with_suffix('').as_posix()}", path.read_text("utf-8")
        )
        for path in sorted(FOLDER.glob("*/*.md"))
    ]


def document(title: str, body: str, *, host: str, charset: str = "utf-8") -> str:
    """A whole HTML page, with what stands around the text of a site: a menu, a footer, a script."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="{charset}">'
        f"<title>{html.escape(title)}</title>"
        "<style>body { max-width: 40em; margin: auto }</style></head>\n"
        f'<body><nav><a href="/">All pages of {host}</a></nav>\n'
        f"<main><article>\n{body}</article></main>\n"
        f"<footer><p>Written for practice. {host} exists on this computer only.</p></footer>\n"
        "<script>document.body.classList.add('ready')</script></body></html>\n"
    )


def front_pages(found: Iterable[Article]) -> Mapping[str, str]:
    """The HTML of each site's front page, by its address: a list of its articles."""
    pages = {}
    for host, group in groupby(found, key=lambda article: article.host):
        links = "\n".join(
            f'<li><a href="{article.url}">{html.escape(article.title)}</a></li>'
            for article in group
        )
        heading = f"<h1>{host}</h1><p>The pages of this site, by their addresses:</p>"
        pages[f"http://{host}/"] = document(host, f"{heading}<ul>\n{links}\n</ul>", host=host)
    return pages
