"""The offline Messages API: as strict as the real one, with written or chosen replies."""

from agentlab.practice.script import (
    Fault,
    Reply,
    Script,
    Turn,
    both,
    break_off,
    cut_off,
    garbled,
    overloaded,
    pause,
    rate_limited,
    refuse,
    say,
    server_error,
    think,
    use,
)
from agentlab.practice.transport import practice

__all__ = [
    "Fault",
    "Reply",
    "Script",
    "Turn",
    "both",
    "break_off",
    "cut_off",
    "garbled",
    "overloaded",
    "pause",
    "practice",
    "rate_limited",
    "refuse",
    "say",
    "server_error",
    "think",
    "use",
]
