"""What a request carries besides the question, and how to carry less of it.

Definitions of tools and everything said so far are sent with every request. `tokens`, `fold` and
`on_demand` are about the definitions; `compact` and `compacting` are about what was said, and
`finish_step` is about what was begun and never finished.
"""

from agentlab.history.compaction import Compaction, compact, compacting
from agentlab.history.definitions import deferred, fold, on_demand, tokens
from agentlab.history.resuming import finish_step

__all__ = [
    "Compaction",
    "compact",
    "compacting",
    "deferred",
    "finish_step",
    "fold",
    "on_demand",
    "tokens",
]
