"""No form of an address leads to this computer or its network."""

import contextlib
import ipaddress

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.research.addresses import WebError, checked_url, require_public, resolve

CLOSED_NUMBERS = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.5",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.5",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:80ff:fffe",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "2606:4700::1111%eth0",
    "fec0::1",
    "ff02::1",
]

OPEN_NUMBERS = [
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "2606:4700::1111",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
]

HIDDEN_LOOPBACK = [
    "http://127.0.0.1/",
    "http://127.0.0.1:8080/",
    "http://127.0.0.1./",
    "http://127.1/",
    "http://127.0.1/",
    "http://127.0.0.1.:80/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://0177.0.0.01/",
    "http://017700000001/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0X7F.1/",
    "http://127.0.0.0x1/",
    "http://0/",
    "http://0x/",
    "http://%31%32%37.0.0.1/",
    "http://127.0.0.%31/",
    "http://127%2e0%2e0%2e1/",
    "http://\uff11\uff12\uff17.0.0.1/",
    "http://127\u30020\u30020\u30021/",
    "http://\u2460\u2461\u2466.0.0.1/",
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://admin.localhost/",
    "http://\u24dbocalhost/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::1%25lo]/",
    "http://[::1%lo]/",
    "http://[fe80::1%25eth0]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
]

NO_WEB_PAGES = [
    "",
    " ",
    "chunking",
    "/chunking",
    "//rag.example/chunking",
    "rag.example/chunking",
    "http:rag.example",
    "http:///chunking",
    "http://",
    "https://:443/",
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "ftp://rag.example/x",
    "gopher://rag.example/x",
    "data:text/html,hello",
    "javascript:alert(1)",
    "jar:http://rag.example!/x",
    "http://rag.example/a b",
    " http://rag.example/",
    "http://rag.example/\n",
    "http://rag.example/\r\nHost: other.example",
    "http://rag.example\t/",
    "http://rag.example/\x00",
    "http://rag.example/\x85",
    "http://rag.example\\@other.example/",
    "http://rag.example/\u2028",
    "http://user@rag.example/",
    "http://user:word@rag.example/",
    "http://@rag.example/",
    "http://:@rag.example/",
    "http://user@rag.example:80@other.example/",
    "http://rag.example:22/",
    "http://rag.example:0/",
    "http://rag.example:99999/",
    "http://rag.example:eighty/",
    "http://rag..example/",
    "http://.example/",
    "http://rag.example./",
    "http://rag,example/",
    "http://rag%00.example/",
    "http://[::1/",
    "http://[not:an:address]/",
    f"http://{'a' * 64}.example/",
    f"http://{'a.' * 130}example/",
    f"http://rag.example/{'a' * 70_000}",
    "http://rag.example/\ud800",
]


@pytest.mark.parametrize("number", CLOSED_NUMBERS)
def test_a_number_that_is_not_public_is_refused(number: str) -> None:
    with pytest.raises(WebError, match="Use a page on the public web"):
        require_public((number, 80))


@pytest.mark.parametrize("number", OPEN_NUMBERS)
def test_a_public_number_passes(number: str) -> None:
    require_public((number, 80))


@given(st.ip_addresses())
def test_what_passes_python_calls_global_too(
    number: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    try:
        require_public((str(number), 80))
    except WebError:
        return
    inner = getattr(number, "ipv4_mapped", None) or number
    assert inner.is_global
    assert not inner.is_multicast


@given(st.ip_addresses(v=4))
def test_an_embedded_number_is_treated_like_the_number_itself(
    number: ipaddress.IPv4Address,
) -> None:
    def passes(text: str) -> bool:
        try:
            require_public((text, 80))
        except WebError:
            return False
        return True

    assert passes(f"::ffff:{number}") == passes(f"64:ff9b::{number}") == passes(str(number))


@pytest.mark.parametrize("url", HIDDEN_LOOPBACK)
def test_this_computer_is_refused_however_it_is_written(url: str) -> None:
    with pytest.raises(WebError):
        checked_url(url)


@pytest.mark.parametrize("url", NO_WEB_PAGES)
def test_what_is_no_address_of_a_page_is_refused_in_words(url: str) -> None:
    with pytest.raises(WebError) as caught:
        checked_url(url)
    assert 40 < len(str(caught.value)) < 600
    assert str(caught.value).endswith((".", "@."))


def test_the_words_say_what_was_wrong_and_what_to_do() -> None:
    said = {
        "file:///etc/passwd": (
            "'file:///etc/passwd' is not the address of a web page. Give a whole one that begins "
            "with http:// or https:// and a host."
        ),
        "http://user@rag.example/": (
            "'http://user@rag.example/' has a user name in it. Leave out all that stands before "
            "the @."
        ),
        "http://rag.example:22/": (
            "Port 22 of 'http://rag.example:22/' is not one for web pages. Use another address."
        ),
        "http://2130706433/": (
            "The host of 'http://2130706433/' is a number in an unusual form. Use the site's name."
        ),
        "http://localhost/": (
            "'http://localhost/' is on this computer, not on the web. Use a public address."
        ),
    }
    for url, words in said.items():
        with pytest.raises(WebError) as caught:
            checked_url(url)
        assert str(caught.value) == words


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://rag.example", "http://rag.example"),
        ("HTTPS://RAG.example/Chunking?x=1#part", "https://rag.example/Chunking?x=1"),
        ("http://rag.example:8080/a%20b", "http://rag.example:8080/a%20b"),
        ("http://rag.example/@someone", "http://rag.example/@someone"),
        ("http://rag.example?q=a@b", "http://rag.example?q=a@b"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://1.1.1.1/", "http://1.1.1.1/"),
        ("http://3com.example/", "http://3com.example/"),
        ("http://a_b.example/", "http://a_b.example/"),
    ],
)
def test_an_ordinary_address_passes_without_its_fragment(text: str, url: str) -> None:
    assert checked_url(text) == httpx2.URL(url)


@given(st.text())
def test_any_text_is_an_address_or_refused_in_words(text: str) -> None:
    for url in (text, f"http://{text}", f"http://{text}.example/{text}"):
        with contextlib.suppress(WebError):
            checked = checked_url(url)
            assert checked.scheme in ("http", "https")
            assert checked.host
            assert not checked.userinfo


def test_the_systems_resolver_gives_numbers_with_the_port() -> None:
    assert ("127.0.0.1", 8080) in resolve("127.0.0.1", 8080)


def test_a_name_that_nobody_knows_is_no_site() -> None:
    with pytest.raises(WebError, match="There is no site 'nothing here'"):
        resolve("nothing here", 80)
