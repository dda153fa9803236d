"""The fetcher: it goes where it may, no further, and not for longer than it may."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_addresses import CLOSED_NUMBERS, HIDDEN_LOOPBACK, NO_WEB_PAGES

from agentlab.research.addresses import Address, WebError, require_public
from agentlab.research.fetching import Fetcher, Limits, StatusError
from agentlab.research.robots import RobotRules
from agentlab.research.site import Answer, Site

PAGE = Answer([b"<h1>here</h1>"], headers={"Content-Type": "text/html; charset=utf-8"})
A, B = "http://a.example/", "http://b.example/"


def redirect(location: str, status: int = 301) -> Answer:
    return Answer(status=status, headers={"Location": location})


@contextmanager
def serving(answers: dict[str, Answer]) -> Iterator[Site]:
    with closing(Site(answers)) as site:
        yield site


def fetcher(site: Site, **limits: int | float) -> Fetcher:
    return Fetcher(site.resolve, site.permit, Limits(**limits))


def words_of(fetch: Callable[[str], object], url: str) -> str:
    with pytest.raises(WebError) as caught:
        fetch(url)
    return str(caught.value)


# --- what comes back ---


def test_a_page_is_fetched_by_its_name_without_its_port() -> None:
    with serving({A: PAGE}) as site:
        download = fetcher(site).fetch(f"{A}#part")
    assert download.url == A
    assert download.content_type == "text/html; charset=utf-8"
    assert download.body == b"<h1>here</h1>"


def test_a_site_is_told_its_name_and_ours() -> None:
    with listening(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") as (address, received):
        fetched = Fetcher(lambda host, port: [address], go_anywhere).fetch("http://a.example/x?y=1")
    lines = received[0].decode().split("\r\n")
    assert fetched.body == b"ok"
    assert lines[0] == "GET /x?y=1 HTTP/1.1"
    assert "Host: a.example" in lines
    assert "User-Agent: agentlab (a research agent for teaching)" in lines
    assert "Accept-Encoding: identity" in lines


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (404, f"'{A}x' answers 404 Not Found. The page is not there. Use another source."),
        (
            403,
            f"'{A}x' answers 403 Forbidden. The site does not give it to us. Use another source.",
        ),
        (500, f"'{A}x' answers 500 Internal Server Error. Try once more, or use another source."),
        (599, f"'{A}x' answers 599 unknown status. Try once more, or use another source."),
        (304, f"'{A}x' answers 304 Not Modified. Try once more, or use another source."),
        (301, f"'{A}x' answers 301 Moved Permanently. Try once more, or use another source."),
    ],
)
def test_an_error_of_the_server_is_said_with_advice(status: int, words: str) -> None:
    with serving({f"{A}x": Answer(status=status)}) as site, pytest.raises(StatusError) as caught:
        fetcher(site).fetch(f"{A}x")
    assert str(caught.value) == words
    assert caught.value.status == status


def test_what_comes_packed_is_refused_before_it_could_unpack() -> None:
    packed = Answer([b"\x1f\x8b"], headers={"Content-Encoding": "gzip"})
    with serving({A: packed}) as site:
        assert words_of(fetcher(site).fetch, A) == (
            f"'{A}' comes packed as 'gzip', which is not read. Use another source."
        )


def test_a_server_that_is_not_there_or_talks_nonsense_is_said_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        nobody = unused.getsockname()
    gone = Fetcher(lambda host, port: [nobody], go_anywhere)
    assert f"'{A}' cannot be reached: " in words_of(gone.fetch, A)
    with listening(b"SSH-2.0-server\r\n\r\n") as (address, _):
        words = words_of(Fetcher(lambda host, port: [address], go_anywhere).fetch, A)
    assert f"'{A}' cannot be reached: " in words
    assert "Check the address, or use another source." in words


ANSWERS = st.tuples(
    st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 301 Moved\r\nLocation: "]),
    st.sampled_from([b"", b"Content-Length: ", b"Transfer-Encoding: chunked\r\n\r\n", b"//\xff:"]),
    st.binary(max_size=40),
    st.sampled_from([b"", b"\r\n\r\n"]),
).map(b"".join)


@settings(max_examples=60)
@given(ANSWERS)
def test_whatever_a_server_sends_is_a_page_or_refused_in_words(answer: bytes) -> None:
    with listening(answer) as (address, _):
        curious = Fetcher(lambda host, port: [address], go_anywhere, Limits(redirects=0))
        with contextlib.suppress(WebError):
            assert curious.fetch(A).url == A


def test_a_name_without_an_address_is_said_in_words() -> None:
    words = words_of(Fetcher(lambda host, port: []).fetch, A)
    assert words == (
        f"'{A}' cannot be reached: 'a.example' has no address. Check the address, or use another "
        "source."
    )


def test_a_second_address_is_tried_when_the_first_is_silent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        nobody = unused.getsockname()
    with serving({A: PAGE}) as site:
        both = Fetcher(lambda host, port: [nobody, site.address], go_anywhere)
        assert both.fetch(A).body == b"<h1>here</h1>"


# --- redirects ---


def test_a_redirect_is_followed_and_the_page_says_where_it_is() -> None:
    for status in (301, 302, 303, 307, 308):
        answers = {A: redirect("//b.example/x", status), f"{B}x": redirect("y#z"), f"{B}y": PAGE}
        with serving(answers) as site:
            assert fetcher(site).fetch(A).url == f"{B}y"


def test_five_redirects_are_followed_and_a_sixth_is_not() -> None:
    answers = {f"{A}{step}": redirect(f"/{step + 1}") for step in range(6)} | {f"{A}6": PAGE}
    with serving(answers) as site:
        assert fetcher(site).fetch(f"{A}1").url == f"{A}6"
        assert words_of(fetcher(site).fetch, f"{A}0") == (
            f"'{A}0' was redirected more than 5 times. Use another source."
        )


def test_a_redirect_in_a_circle_ends() -> None:
    with serving({A: redirect(B), B: redirect(A)}) as site:
        assert "was redirected more than 5 times" in words_of(fetcher(site).fetch, A)


@pytest.mark.parametrize("location", HIDDEN_LOOPBACK)
def test_a_redirect_to_this_computer_is_refused(location: str) -> None:
    with serving({A: redirect(location.encode().decode("latin-1"))}) as site:
        words = words_of(fetcher(site).fetch, A)
    assert words.startswith(f"'{A}' leads on, and not to a page: ")


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "ftp://b.example/", "data:,x", "http://u@b.example/"]
)
def test_a_redirect_out_of_the_web_is_refused(location: str) -> None:
    with serving({A: redirect(location)}) as site:
        assert "leads on, and not to a page: " in words_of(fetcher(site).fetch, A)


def test_no_form_that_is_refused_is_ever_asked_for() -> None:
    asked: list[str] = []

    def resolve(host: str, port: int) -> Sequence[Address]:
        asked.append(host)
        return []

    for url in [*HIDDEN_LOOPBACK, *NO_WEB_PAGES]:
        assert words_of(Fetcher(resolve).fetch, url)
    assert asked == []


# --- where a name leads ---


def go_anywhere(address: Address) -> None:
    """A guard for tests that have a server of their own."""


@contextmanager
def listening(answer: bytes) -> Iterator[tuple[Address, list[bytes]]]:
    """A server that answers everything with the same bytes, and what it received."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                received.append(connection.recv(65_536))
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname(), received
        thread.join()


@pytest.mark.parametrize("number", CLOSED_NUMBERS)
def test_a_name_that_leads_to_a_closed_number_is_refused(number: str) -> None:
    words = words_of(Fetcher(lambda host, port: [(number, port)]).fetch, A)
    assert words.startswith(f"The name 'a.example' leads to a closed address: {number!r} is ")


def test_one_closed_number_among_public_ones_closes_the_name() -> None:
    leads = [("1.1.1.1", 80), ("127.0.0.1", 80)]
    assert "'127.0.0.1'" in words_of(Fetcher(lambda host, port: leads).fetch, A)


def test_a_name_that_changes_its_mind_gains_nothing() -> None:
    """Rebinding: public when it is looked at, and this computer when it is asked again."""
    with serving({A: PAGE}) as checked, serving({A: Answer([b"secret"])}) as inner:
        leads = iter([[checked.address], [inner.address], [inner.address]])
        asked: list[str] = []

        def resolve(host: str, port: int) -> Sequence[Address]:
            asked.append(host)
            return next(leads)

        careful = Fetcher(resolve, checked.permit)
        assert careful.fetch(A).body == b"<h1>here</h1>"
        assert asked == ["a.example"]
        assert "outside the practice web" in words_of(careful.fetch, A)


def test_a_name_that_changes_its_mind_between_redirects_is_looked_at_again() -> None:
    with serving({A: redirect("/inner"), f"{A}inner": Answer([b"secret"])}) as site:
        leads = iter([[site.address], [("127.0.0.1", site.address[1])]])
        seen: list[Address] = []

        def permit(address: Address) -> None:
            seen.append(address)
            if len(seen) > 1:
                require_public(address)

        words = words_of(Fetcher(lambda host, port: next(leads), permit).fetch, A)
    assert words.startswith("The name 'a.example' leads to a closed address: '127.0.0.1'")
    assert len(seen) == 2


def test_tls_is_spoken_with_the_name_and_not_with_the_number() -> None:
    with listening(b"no TLS here") as (address, received):
        secure = Fetcher(lambda host, port: [address], go_anywhere)
        assert "cannot be reached" in words_of(secure.fetch, "https://secure.example/")
    assert received[0].startswith(b"\x16\x03")  # a handshake, whose greeting names the server
    assert b"secure.example" in received[0]


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving({A: PAGE}) as site:
        assert fetcher(site).fetch(A).body == b"<h1>here</h1>"


# --- limits ---


def test_a_page_that_announces_too_much_is_not_read() -> None:
    announced = Answer([b"x"], headers={"Content-Length": "3000000"})
    with serving({A: announced}) as site:
        assert words_of(fetcher(site).fetch, A) == (
            f"'{A}' is larger than 2 MB, and was not read. Use another source."
        )


def test_reading_stops_at_the_limit_of_size(capsys: pytest.CaptureFixture[str]) -> None:
    sent: list[int] = []

    def pieces() -> Iterator[bytes]:
        for number in range(1_000):
            sent.append(number)
            yield b"x" * 100_000

    with serving({A: Answer(pieces())}) as site:
        words = words_of(fetcher(site, size=50_000).fetch, A)
        for thread in threading.enumerate():
            if "process_request_thread" in thread.name:  # the server's side of it
                thread.join()
    assert words == f"'{A}' is larger than 0.05 MB, and was not read. Use another source."
    assert len(sent) < 1_000
    assert capsys.readouterr().err == ""


def test_a_page_of_exactly_the_limit_is_read() -> None:
    with serving({A: Answer([b"x" * 50_000])}) as site:
        assert len(fetcher(site, size=50_000).fetch(A).body) == 50_000


@pytest.mark.parametrize(
    "endless", [Answer([b"x"] * 10_000, pause=0.01), Answer([b"at last"], pause=60)]
)
def test_a_server_that_drips_or_waits_is_cut_off(endless: Answer) -> None:
    with serving({A: endless}) as site:
        assert words_of(fetcher(site, seconds=0.3).fetch, A) == (
            f"'{A}' took longer than 0.3 seconds. Use another source."
        )


def test_a_server_that_drips_its_headers_is_cut_off() -> None:
    enough = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
                while not enough.wait(0.02):
                    connection.sendall(b"x")

        thread = threading.Thread(target=drip)
        thread.start()
        impatient = Fetcher(
            lambda host, port: [listener.getsockname()], go_anywhere, Limits(seconds=0.3)
        )
        try:
            assert "took longer than 0.3 seconds" in words_of(impatient.fetch, A)
        finally:
            enough.set()
            thread.join()


def test_a_resolver_that_does_not_answer_is_not_waited_for() -> None:
    enough = threading.Event()

    def resolve(host: str, port: int) -> Sequence[Address]:
        enough.wait()
        return []

    try:
        words = words_of(Fetcher(resolve, limits=Limits(seconds=0.2)).fetch, A)
        assert words == f"'{A}' took longer than 0.2 seconds. Use another source."
    finally:
        enough.set()


def test_redirects_share_one_time() -> None:
    with serving({A: redirect("/")}) as site:
        words = words_of(fetcher(site, seconds=0.3, redirects=1_000_000).fetch, A)
    assert words == f"'{A}' took longer than 0.3 seconds. Use another source."


def test_a_port_may_be_closed_by_the_limits() -> None:
    only_80 = Fetcher(limits=Limits(ports=frozenset({80})))
    assert words_of(only_80.fetch, "https://a.example/") == (
        "Port 443 of 'https://a.example/' is not one for web pages. Use another address."
    )


# --- robots.txt ---


def polite(site: Site) -> Fetcher:
    rules = RobotRules(Fetcher(site.resolve, site.permit))
    return Fetcher(site.resolve, site.permit, before=rules.require_allowed)


def test_a_page_that_is_closed_to_robots_is_not_fetched() -> None:
    rules = Answer([b"User-agent: *\nDisallow: /private\n"])
    answers = {
        f"{A}robots.txt": rules,
        A: PAGE,
        f"{A}private/x": PAGE,
        f"{A}to": redirect("/private/x"),
    }
    with serving(answers) as site:
        fetch = polite(site).fetch
        assert fetch(A).body == b"<h1>here</h1>"
        closed = f"'{A}private/x' is closed to robots by its site. Use another source."
        assert words_of(fetch, f"{A}private/x") == closed
        assert words_of(fetch, f"{A}to") == closed


def test_rules_for_our_name_go_before_those_for_all() -> None:
    rules = Answer([b"User-agent: *\nDisallow: /\n\nUser-agent: agentlab\nDisallow: /not\n"])
    with serving({f"{A}robots.txt": rules, A: PAGE, f"{A}not": PAGE}) as site:
        assert polite(site).fetch(A).body == b"<h1>here</h1>"
        assert "closed to robots" in words_of(polite(site).fetch, f"{A}not")


def test_a_site_without_rules_allows_everything() -> None:
    with serving({A: PAGE}) as site:
        assert polite(site).fetch(A).body == b"<h1>here</h1>"


def test_a_site_whose_rules_are_out_of_order_allows_nothing_now() -> None:
    with serving({f"{A}robots.txt": Answer(status=503), A: PAGE}) as site:
        assert f"'{A}robots.txt' answers 503 Service Unavailable" in words_of(polite(site).fetch, A)


def test_rules_are_asked_for_once_for_each_site() -> None:
    asked: list[str] = []

    def resolve(host: str, port: int) -> Sequence[Address]:
        asked.append(host)
        return site.resolve(host, port)

    with serving({A: PAGE, B: PAGE}) as site:
        rules = RobotRules(Fetcher(resolve, site.permit))
        for url in (A, f"{A}x", A, B, f"{B}?y"):
            rules.require_allowed(httpx2.URL(url))
    assert asked == ["a.example", "b.example"]
