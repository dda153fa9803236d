"""Text from outside that gives the model orders, and what keeps them from being carried out.

The attacks are loaded when they are first used: marking a text needs no practice model.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from agentlab.safety.ledger import Ledger
from agentlab.safety.marks import SAYS_DATA_ONLY, mark_untrusted

if TYPE_CHECKING:
    from agentlab.safety.attacks import ATTACKS, DEFENCES, Attack, Defence, Trial, attempt
    from agentlab.safety.model import gullible

__all__ = [
    "ATTACKS",
    "DEFENCES",
    "SAYS_DATA_ONLY",
    "Attack",
    "Defence",
    "Ledger",
    "Trial",
    "attempt",
    "gullible",
    "mark_untrusted",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "model" if name == "gullible" else "attacks"
    return getattr(import_module(f"{__name__}.{home}"), name)
