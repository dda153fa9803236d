"""What holds for every test: no key, no live mode, no network beyond this computer."""

import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

LOOPBACK = ("127.", "::1", "localhost")

settings.register_profile("local", deadline=None, database=None)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, print_blob=True)
settings.register_profile(
    "fuzz", settings.get_profile("local"), max_examples=4_000, print_blob=True
)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if "CI" in os.environ else "local")
)


@pytest.fixture(autouse=True)
def no_keys_and_no_live_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("ANTHROPIC_", "AGENTLAB_"))]:
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Fail a test that connects to another computer, rather than let it depend on one."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in ("connect", "connect_ex"):
            monkeypatch.setattr(socket.socket, name, only_to_this_computer(name))
        yield


def only_to_this_computer(name: str) -> Any:
    connect = getattr(socket.socket, name)

    def checked(self: socket.socket, address: Any) -> Any:
        if isinstance(address, tuple) and not str(address[0]).startswith(LOOPBACK):
            self.close()
            # Not an OSError: a client under test would take that for a network fault and retry.
            pytest.fail(f"The test tried to connect to {address[0]!r}. Tests work offline.")
        return connect(self, address)

    return checked
