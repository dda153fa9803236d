"""Which addresses of the web may be visited: the form of a URL, and the numbers its host leads to.

An agent fetches what a page or a stranger told it to. Unless every address is looked at, it can be
led to what only this computer can reach: its own services, the network it stands in, or the keys
that a cloud hands out at 169.254.169.254. The attack is called server-side request forgery.
"""

import re
import socket
from collections.abc import Callable, Collection, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import httpx2

from agentlab.errors import AgentlabError

Address = tuple[str, int]
"""Where a connection goes: the number of a host, as text, and a port."""

Resolve = Callable[[str, int], Sequence[Address]]
"""Gives every address that a host's name and a port stand for."""

Permit = Callable[[Address], None]
"""Looks at one address before a connection goes there; raises `WebError` where none may."""

STANDARD_PORTS = {"http": 80, "https": 443}
WEB_PORTS = frozenset({80, 443, 8080, 8443})

HOST = re.compile(r"(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")

CLOSED_IPV4 = [
    ip_network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared between a carrier and its customers
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, and the keys of a cloud
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # relays from IPv6, withdrawn
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # measuring networks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
]
"""After the IANA IPv4 Special-Purpose Address Registry, and multicast."""

OPEN_IPV6 = ip_network("2000::/3")
"""The part of IPv6 that is given out for the public net; all else is closed."""

CLOSED_IPV6 = [
    ip_network(network)
    for network in (
        "2001::/23",  # protocol assignments, with the Teredo tunnels
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4 tunnels, which lead to any IPv4 address
        "3fff::/20",  # documentation
    )
]
"""After the IANA IPv6 Special-Purpose Address Registry."""

NAT64 = ip_network("64:ff9b::/96")
"""IPv4 as seen from a network without it (RFC 6052): the last 32 bits are the address."""


class WebError(AgentlabError):
    """A page or a search that could not be had: words for the model, with what to do next."""


def checked_url(text: str, ports: Collection[int] = WEB_PORTS) -> httpx2.URL:
    """The URL in `text`, where its form is that of a page on the public web.

    Where its host leads is a second question, which `require_public` answers for each address.

    Args:
        text: a whole URL with scheme and host.
        ports: the ports that may be asked.

    Raises:
        WebError: for another scheme, a user name, a host that is this computer, or a host written
            in a way that hides which one it is.
    """
    shown = shortened(text)
    if not text or re.search(r"[\s\x00-\x20\x7f-\x9f\\]", text):
        raise WebError(
            f"{shown!r} is not an address: it is empty, or has a space, a backslash or a control "
            "character in it. Copy the whole address again."
        )
    try:
        url = httpx2.URL(text)
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise WebError(f"{shown!r} is not an address: {error}. Copy it again.") from error
    if url.scheme not in STANDARD_PORTS or not url.host:
        raise WebError(
            f"{shown!r} is not the address of a web page. Give a whole one that begins with "
            "http:// or https:// and a host."
        )
    authority = re.split(r"[/?#]", text.partition("//")[2])[0]
    if "@" in authority:  # also an empty user name, which the parsed URL does not show
        raise WebError(f"{shown!r} has a user name in it. Leave out all that stands before the @.")
    if (port := port_of(url)) not in ports:
        raise WebError(f"Port {port} of {shown!r} is not one for web pages. Use another address.")
    _require_plain_host(url.raw_host.decode("ascii"), shown)
    return url.copy_with(fragment=None)


def port_of(url: httpx2.URL) -> int:
    """The port that a URL means, also where it names none."""
    return STANDARD_PORTS[url.scheme] if url.port is None else url.port


def shortened(text: str) -> str:
    """Enough of a URL to tell which one is meant."""
    return text if len(text) <= 200 else f"{text[:200]}..."


def _require_plain_host(host: str, shown: str) -> None:
    is_number = ":" in host or NUMBER.fullmatch(host.rpartition(".")[2])
    if is_number:
        try:
            ip_address(host)
        except ValueError as error:
            raise WebError(
                f"The host of {shown!r} is a number in an unusual form. Use the site's name."
            ) from error
        require_public((host, 0))
    elif not HOST.fullmatch(host):
        raise WebError(
            f"The host of {shown!r} is not written as the name of a site. Use letters, digits, "
            "hyphens and dots, without a dot at the end."
        )
    elif f".{host}".endswith(".localhost"):
        raise WebError(f"{shown!r} is on this computer, not on the web. Use a public address.")


def require_public(address: Address) -> None:
    """Let pass what anybody on the public internet can reach, and nothing else.

    Raises:
        WebError: for an address of this computer, of its network, or of no host at all.
    """
    number = address[0]
    if "%" in number or not _is_public(ip_address(number)):
        raise WebError(
            f"{number!r} is an address of this computer, of its own network or of no public site. "
            "It is not fetched. Use a page on the public web."
        )


def _is_public(number: IPv4Address | IPv6Address) -> bool:
    if isinstance(number, IPv4Address):
        return not any(number in network for network in CLOSED_IPV4)
    if number.ipv4_mapped:
        return _is_public(number.ipv4_mapped)
    if number in NAT64:
        return _is_public(IPv4Address(number.packed[-4:]))
    return number in OPEN_IPV6 and not any(number in network for network in CLOSED_IPV6)


def resolve(host: str, port: int) -> list[Address]:
    """Every address that the system's resolver knows for a host, in its order.

    Raises:
        WebError: where it knows none.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise WebError(f"There is no site {host!r}. Check the address, or use another.") from error
    return [(str(address[0]), int(address[1])) for *_, address in found]
