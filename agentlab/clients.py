"""One switch: the same client in practice, live, or replaying what was recorded."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2

from agentlab.errors import ConfigurationError
from agentlab.language import gettext
from agentlab.models import MODEL, find_model, is_live
from agentlab.practice.script import Fault, Script
from agentlab.practice.transport import practice
from agentlab.spending import SESSION, dollars

if TYPE_CHECKING:
    from anthropic import Anthropic

_announced: set[str] = set()


def client(
    script: Script | None = None,
    *,
    faults: dict[int, list[Fault]] | None = None,
    live: bool | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    cap: float | None = None,
    record_to: str | Path | None = None,
    replay_from: str | Path | None = None,
) -> "Anthropic":
    """An `anthropic.Anthropic`: on the practice API, or live by one switch.

    Practice is free, offline and the same every time. `AGENTLAB_LIVE=1` (or `live=True`) makes
    the same code live; a key in the environment alone changes nothing.

    Args:
        script: replies and faults to give in order, or a function of the request. A client with
            a script is a practice client, live mode or not.
        faults: errors to meet before the reply at a position, for replies that are not written.
        live: whether to send requests; the environment decides where this is `None`.
        base_url: a server that speaks the Messages API, such as a local model's.
        api_key: the key of a live client; `ANTHROPIC_API_KEY` where this is `None`.
        cap: most that all live requests of this session may cost together, in dollars ($0.50); it
            holds for every live client of the session from now on.
        record_to: a cassette file to write every live answer to.
        replay_from: a cassette file to answer from; needs no key and no network.

    Raises:
        ConfigurationError: for settings that contradict each other, a missing key, or a model
            that is unknown or retired.
        RecordingError: for a cassette that cannot be read.
    """
    from anthropic import Anthropic, DefaultHttpxClient

    def connect(transport: httpx2.BaseTransport, key: str, url: str | None = None) -> Anthropic:
        http_client = DefaultHttpxClient(transport=transport)
        return Anthropic(api_key=key, base_url=url, http_client=http_client)

    if replay_from is not None:
        from agentlab.cassette import ReplayTransport

        return connect(ReplayTransport(replay_from), "replay", "http://cassette.invalid")
    if live is None:
        live = is_live()
    if script is not None or not live:
        _refuse_live_settings(api_key=api_key, base_url=base_url, record_to=record_to, cap=cap)
        find_model(MODEL)
        if script is None:
            _announce_practice()
        return connect(practice(script, faults), "practice", "http://practice.invalid")
    return _live(connect, base_url, api_key, cap, record_to, faults)


def _live(
    connect: Any,
    base_url: str | None,
    api_key: str | None,
    cap: float | None,
    record_to: str | Path | None,
    faults: dict[int, list[Fault]] | None,
) -> "Anthropic":
    if faults:
        raise ConfigurationError(
            "faults= needs the practice API, and live mode is on. Leave faults out, or live."
        )
    base_url = base_url or os.environ.get("ANTHROPIC_BASE_URL")
    api_key = api_key or os.environ.get("ANTHROPIC_API_KEY") or ("local" if base_url else None)
    if api_key is None:
        raise ConfigurationError(
            "Live mode is on and there is no key. Set ANTHROPIC_API_KEY, or give base_url= of a "
            "local server, or unset AGENTLAB_LIVE to practise offline."
        )
    if base_url is None:
        find_model(MODEL)
    transport: httpx2.BaseTransport = httpx2.HTTPTransport()
    if record_to is not None:
        from agentlab.cassette import RecordingTransport

        transport = RecordingTransport(record_to, transport)
    if cap is not None:
        SESSION.cap = cap
    where = base_url or gettext("the Anthropic API")
    _announce(
        gettext(
            "live: {model} at {where}; spending cap {cap} a session, estimated",
            model=MODEL,
            where=where,
            cap=dollars(SESSION.cap),
        )
    )
    connected: Anthropic = connect(transport, api_key, base_url)
    return connected.with_middleware(SESSION.watch)


def _refuse_live_settings(**settings: Any) -> None:
    given = [name for name, value in settings.items() if value is not None]
    if given:
        raise ConfigurationError(
            "{given} only has a meaning in live mode, and this is a practice client. Set "
            "AGENTLAB_LIVE=1 or give live=True to send requests, or leave it out.",
            given=", ".join(given),
        )


def _announce_practice() -> None:
    from agentlab.practice.brain import about

    unused = gettext("ANTHROPIC_API_KEY is set and not used")
    suffix = f" ({unused})" if "ANTHROPIC_API_KEY" in os.environ else ""
    _announce(f"{about()}{suffix}")


def _announce(text: str) -> None:
    """Say once in this process what is answering."""
    if text not in _announced:
        _announced.add(text)
        print(text)
