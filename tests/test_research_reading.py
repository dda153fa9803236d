"""From bytes to text: what a reader would see, in the letters that were meant."""

# ruff: noqa: RUF001 - letters of several alphabets are meant as they are

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.research.addresses import WebError
from agentlab.research.fetching import Download
from agentlab.research.reading import decoded, read

URL = "http://a.example/x"
SENTENCES = "<p>One passage says what a chunk is, and another one says where to cut it.</p>" * 6
RUSSIAN = (
    "Тетрадь хранит рядом текст, код и результат, и ученик сразу видит, что изменилось. "
    "Чтобы результат был одинаков у всех, её запускают с начала и до конца."
)


def page(body: bytes | str, content_type: str = "text/html; charset=utf-8") -> Download:
    return Download(URL, content_type, body.encode() if isinstance(body, str) else body)


def words_of(body: bytes | str, content_type: str = "text/html") -> str:
    with pytest.raises(WebError) as caught:
        read(page(body, content_type))
    return str(caught.value)


def test_a_page_gives_its_title_and_what_it_says() -> None:
    found = read(
        page(
            "<html><head><title> On\n chunks </title><style>p { color: red }</style></head><body>"
            "<nav><a href='/'>Home</a> <a href='/login'>Log in</a></nav><main><h1>Chunks</h1>"
            f"{SENTENCES}<ul><li>first &amp; last</li></ul></main>"
            "<script>alert('no')</script><!-- nor this --></body></html>"
        )
    )
    assert (found.url, found.title) == (URL, "On chunks")
    assert "where to cut it." in found.text
    assert "first & last" in found.text
    assert not [
        word for word in ("color", "alert", "nor this", "<p>", "Log in") if word in found.text
    ]


def test_a_title_comes_from_the_first_heading_where_there_is_no_title() -> None:
    assert read(page(f"<h1>Chunks <em>again</em></h1>{SENTENCES}")).title == "Chunks again"
    assert read(page(f"<title> </title><h1>Chunks</h1>{SENTENCES}")).title == "Chunks"
    assert read(page(SENTENCES)).title == URL


@pytest.mark.parametrize("markup", ["<p>Hi</p>", "<b>Hi</b>", "Hi", "<div hidden>Hi</div>"])
def test_a_page_in_which_no_article_is_found_gives_all_its_words(markup: str) -> None:
    assert read(page(f"{markup}<script>no()</script>")).text == "Hi"


@pytest.mark.parametrize(
    "body", ["", " \n", "<html></html>", "<!-- only this -->", "<script>x()</script>", "<p></p>"]
)
def test_a_page_without_text_is_said_to_be_empty(body: str) -> None:
    assert words_of(body) == f"'{URL}' is empty: there is no text to read. Use another source."


def test_plain_text_and_json_stay_as_they_are() -> None:
    assert read(page("a  <b>\n c\n", "text/plain")).text == "a  <b>\n c"
    assert read(page('{"a": [1, 2]}', "application/json")).text == '{"a": [1, 2]}'


def test_html_is_known_by_its_beginning_where_the_header_names_something_else() -> None:
    assert read(page(f"<!DOCTYPE html><title>A</title>{SENTENCES}", "text/plain")).title == "A"


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        (b"%PDF-1.7\n", "text/html", "a PDF"),
        (b"text", "application/pdf", "a PDF"),
        (b"PK\x03\x04", "application/octet-stream", "a ZIP archive or an office document"),
        (b"\x89PNG\r\n", "", "a picture"),
        (b"<svg/>", "image/svg+xml", "a picture"),
        (b"", "video/mp4", "a film"),
        (b"\x1f\x8b\x08", "text/plain", "a packed file"),
        (b"\x7fELF\0\0", "application/octet-stream", "a file of type 'application/octet-stream'"),
    ],
)
def test_what_is_no_text_is_named(body: bytes, content_type: str, kind: str) -> None:
    assert words_of(body, content_type) == (
        f"'{URL}' is {kind}, which is not read here. Use a page of text."
    )


# --- letters ---


@pytest.mark.parametrize(
    ("encoding", "declared", "in_page"),
    [
        ("utf-8", "", ""),
        ("utf-8", "iso-8859-1", "windows-1251"),
        ("utf-8-sig", "koi8-r", ""),
        ("utf-16", "", ""),
        ("utf-16-be", "utf-16-be", ""),
        ("cp1251", "windows-1251", ""),
        ("cp1251", "", "windows-1251"),
        ("cp1251", "utf-8", "windows-1251"),
        ("cp1251", "no-such-charset", "windows-1251"),
        ("koi8-r", "koi8-r", "windows-1251"),
        ("cp1251", "", ""),
    ],
)
def test_an_encoding_is_found_wherever_it_is_named_or_not(
    encoding: str, declared: str, in_page: str
) -> None:
    text = f"<meta charset='{in_page}'>{RUSSIAN}" if in_page else RUSSIAN
    assert decoded(text.encode(encoding), declared) == text


def test_who_says_latin_1_means_windows_1252() -> None:
    assert decoded("“so” – 5 €".encode("cp1252"), "iso-8859-1") == "“so” – 5 €"
    assert decoded("déjà vu".encode("latin-1"), "us-ascii") == "déjà vu"


def test_a_seven_bit_encoding_is_believed_though_it_looks_like_ascii() -> None:
    assert decoded("日本語".encode("iso-2022-jp"), "iso-2022-jp") == "日本語"


def test_a_few_broken_letters_do_not_change_the_encoding() -> None:
    german = "Größe und Übermut tun selten gut, sagt der Müller. " * 4
    broken = german.encode() + b"\xff"
    assert decoded(broken, "utf-8") == f"{german}\ufffd"
    assert decoded(b"<meta charset=utf-8>" + broken).endswith(f"{german}\ufffd")


@pytest.mark.parametrize(
    "name", ["unicode_escape", "utf-7", "idna", "rot13", "base64", "undefined", "punycode", "\0"]
)
def test_a_page_cannot_choose_a_codec_that_is_none_of_pages(name: str) -> None:
    assert decoded(b"+AGE- \\u0061 YQ==", name) == "+AGE- \\u0061 YQ=="


def test_the_older_form_of_the_meta_element_is_read() -> None:
    old = "<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=windows-1251'>Привет"
    assert decoded(old.encode("cp1251")) == old


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff"), min_size=1))
def test_utf_8_is_read_whatever_the_header_says(text: str) -> None:
    if not text.isascii():
        assert decoded(text.encode(), "windows-1252") == text


@given(
    st.binary(max_size=300),
    st.sampled_from(["text/html", "text/plain", "", ";;", "x/y; charset=z"]),
)
def test_any_bytes_are_read_or_refused_in_words(body: bytes, content_type: str) -> None:
    with contextlib.suppress(WebError):
        assert read(page(body, content_type)).text


FRAGMENTS = [
    "<p>",
    "</p>",
    "<div>",
    "<table><tr><td>",
    "text ",
    "<script>",
    "<!--",
    "&amp",
    "<a href=",
    "'",
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join))
def test_any_markup_is_read_or_refused_in_words(markup: str) -> None:
    with contextlib.suppress(WebError):
        assert read(page(markup)).text


@pytest.mark.parametrize("element", ["<table><tr><td>x</td></tr></table>", "<ul><li>x</li></ul>"])
def test_a_page_of_endless_elements_gives_all_its_words(element: str) -> None:
    hidden = "<script>no()</script><style>p {}</style>"
    assert read(page(element * 40_000 + hidden)).text == "\n".join("x" * 40_000)


def test_a_text_of_endless_comments_is_no_html() -> None:
    assert read(page("<!---->" * 280 + "text", "text/plain")).text.endswith("text")


def test_a_page_nested_without_end_does_not_stop_the_reader() -> None:
    with contextlib.suppress(WebError):
        assert read(page("<div>" * 100_000 + "deep")).text
    assert "shallow" in read(page("<p>shallow</p>" + "<b><i>" * 20_000)).text
