"""Learn to build LLM agents: the loop, tools and runs, on the real `anthropic` SDK.

Names are loaded when they are first used, so that `import agentlab` costs nothing, prints nothing
and needs no key.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentlab.agent import Agent, Calling
    from agentlab.calls import Outcome, deny
    from agentlab.clients import client
    from agentlab.errors import AgentlabError
    from agentlab.events import Run
    from agentlab.loop import ask, run
    from agentlab.recorder import record
    from agentlab.rules import check_run, check_transcript
    from agentlab.signatures import CallId
    from agentlab.tools import Context, Tool, ToolError, tool
    from agentlab.views import Stepper, ask_human, compare, meter, predict, show

__all__ = [
    "Agent",
    "AgentlabError",
    "CallId",
    "Calling",
    "Context",
    "Outcome",
    "Run",
    "Stepper",
    "Tool",
    "ToolError",
    "ask",
    "ask_human",
    "check_run",
    "check_transcript",
    "client",
    "compare",
    "deny",
    "meter",
    "predict",
    "record",
    "run",
    "show",
    "tool",
]

_HOMES = {
    "agent": ("Agent", "Calling"),
    "calls": ("Outcome", "deny"),
    "clients": ("client",),
    "errors": ("AgentlabError",),
    "events": ("Run",),
    "loop": ("ask", "run"),
    "recorder": ("record",),
    "signatures": ("CallId",),
    "rules": ("check_run", "check_transcript"),
    "tools": ("Context", "Tool", "ToolError", "tool"),
    "views": ("Stepper", "ask_human", "compare", "meter", "predict", "show"),
}


def __getattr__(name: str) -> Any:
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'agentlab' has no attribute {name!r}")
    try:
        return getattr(import_module(f"agentlab.{home}"), name)
    except ModuleNotFoundError as error:
        from agentlab.errors import ConfigurationError

        raise ConfigurationError(
            "agentlab.{name} needs the package {name_2!r}, which is not installed in "
            "{prefix!r}. Run `agentlab doctor`, or install agentlab again.",
            name=name,
            name_2=error.name,
            prefix=sys.prefix,
        ) from error


def __dir__() -> list[str]:
    return sorted(__all__)
