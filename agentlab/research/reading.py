"""Reading: from the bytes of a page to its title and text."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from typing import Any

from agentlab.research.addresses import WebError, shortened
from agentlab.research.fetching import Download

BINARY_STARTS = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a ZIP archive or an office document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x1f\x8b": "a packed file",
}
BINARY_TYPES = {
    "application/pdf": "a PDF",
    "image": "a picture",
    "audio": "sound",
    "video": "a film",
}

MARKS_OF_ORDER = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
"""How a text may begin to tell its encoding (RFC 3629 and the Unicode Standard, 23.8)."""

ENCODINGS_OF_PAGES = re.compile(
    r"utf-(8|16)(-[bl]e|-sig)?|cp(125[0-8]|866|874|932|949)|iso8859-\d+|koi8-[ru]|"
    r"mac-(roman|cyrillic)|gb(k|2312|18030)|big5(hkscs)?|euc_(jp|kr)|iso2022_jp|shift_jis"
)
"""By Python's names; its other codecs, such as that of escapes, are not for a page to choose."""

IN_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:.-]{1,40})", re.I)
LOOKS_LIKE_HTML = re.compile(
    r"\s*(?:<!--.*?-->\s*)*+<(?:!doctype html|html|head|body)\b", re.I | re.S
)

MOST_ELEMENTS = 15_000
"""Of a page whose main text is made out; trafilatura's time grows with the square of tables."""
FEW_FAULTS = 0.01
"""The share of characters that may be unreadable in a text that is in the encoding it names."""


@dataclass(frozen=True)
class Page:
    """A page that was fetched and read."""

    url: str
    """Where it was found in the end, after redirects."""
    title: str
    text: str
    """What a reader sees: markup, scripts and menus are left out."""


def read(download: Download) -> Page:
    """The page in what a server sent.

    HTML gives its main text; plain text and JSON stay as they are.

    Raises:
        WebError: where there is nothing to read, or it is no text.
    """
    shown = shortened(download.url)
    kind = Message()
    kind["content-type"] = download.content_type or "text/html"
    if binary := _kind_of_binary(download.body, kind.get_content_type()):
        raise WebError(f"{shown!r} is {binary}, which is not read here. Use a page of text.")
    written = decoded(download.body, str(kind.get_param("charset", "")))
    is_html = kind.get_content_type() in ("text/html", "application/xhtml+xml")
    if is_html or LOOKS_LIKE_HTML.match(written[:2000]):
        title, text = _title_and_text(written)
    else:
        title, text = "", written.strip()
    if not text:
        raise WebError(f"{shown!r} is empty: there is no text to read. Use another source.")
    return Page(download.url, title or download.url, text)


def decoded(body: bytes, declared: str = "") -> str:
    """The characters of a page, whatever it says of its encoding.

    What proves itself comes first: a mark of order, then UTF-8, which other texts hardly ever
    happen to be. Then the header, the page's own meta element, and a guess.

    Args:
        body: the page as it was sent.
        declared: the charset of the Content-Type header; empty where it names none.
    """
    named = list(_named_encodings(body, declared))
    for encoding in [*_proven_encodings(body), *named, "ascii"]:
        try:
            return body.decode(encoding)
        except UnicodeDecodeError:
            continue
    for encoding in named:
        text = body.decode(encoding, "replace")
        if text.count("\ufffd") <= FEW_FAULTS * len(text):
            return text
    from charset_normalizer import from_bytes

    guess = from_bytes(body[:20_000]).best()
    return body.decode(guess.encoding if guess else "utf-8", "replace")


def _proven_encodings(body: bytes) -> Iterator[str]:
    yield from (encoding for mark, encoding in MARKS_OF_ORDER if body.startswith(mark))
    if not body.isascii():
        yield "utf-8"


def _named_encodings(body: bytes, declared: str) -> Iterator[str]:
    in_page = IN_META.search(body[:4096])
    for name in (declared, in_page[1].decode("ascii") if in_page else ""):
        try:
            encoding = codecs.lookup(name).name
        except (LookupError, ValueError):  # unknown, or no name at all
            continue
        if encoding in ("iso8859-1", "ascii"):
            yield "cp1252"  # who says latin-1 means it, as the WHATWG's Encoding Standard has it
        elif ENCODINGS_OF_PAGES.fullmatch(encoding):
            yield encoding


def _kind_of_binary(body: bytes, content_type: str) -> str | None:
    """What a file is, by its first bytes and then by its header; `None` for text."""
    for start, kind in BINARY_STARTS.items():
        if body.startswith(start):
            return kind
    main = content_type.partition("/")[0]
    named = BINARY_TYPES.get(content_type) or BINARY_TYPES.get(main)
    if named or not body:
        return named
    has_mark = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return f"a file of type {content_type!r}" if b"\0" in body[:4096] and not has_mark else None


def _title_and_text(markup: str) -> tuple[str, str]:
    import trafilatura
    from lxml import etree, html  # type: ignore[import-untyped]

    try:
        parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
        tree = html.document_fromstring(markup.encode("utf-8", "replace"), parser=parser)
    except etree.LxmlError:  # there is no element in it
        return "", ""
    title = next((found for path in ("//title", "//h1") if (found := _first_text(tree, path))), "")
    main = None
    if sum(1 for _ in tree.iter()) <= MOST_ELEMENTS:
        main = trafilatura.extract(tree, include_comments=False, favor_recall=True)
    return title, (main or _all_text(tree)).strip()


def _first_text(tree: Any, path: str) -> str:
    found = tree.xpath(path)
    return " ".join(found[0].text_content().split()) if found else ""


def _all_text(tree: Any) -> str:
    """Every word that is shown, for pages in which no main text can be made out."""
    for hidden in tree.xpath("//script | //style | //noscript | //template | //head"):
        hidden.drop_tree()
    lines = (" ".join(line.split()) for line in tree.itertext())
    return "\n".join(line for line in lines if line)
