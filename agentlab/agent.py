"""An agent is five fields: who it is, which model, what it is told, what it may call, and how."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agentlab.errors import DefinitionError
from agentlab.models import MODEL
from agentlab.tools import Context, Tool, tool

RESULT_LIMIT = 50_000
"""Characters of a tool result that a model gets to see unless `Calling` says otherwise."""

Instructions = str | Callable[[Context], str]


@dataclass(frozen=True)
class Calling:
    """How an agent's tools may be called."""

    choice: Literal["auto", "any", "none"] | str = "auto"
    """`auto`: the model decides; `any`: it must call; `none`: it must not; else a tool's name."""
    parallel: bool = True
    """Whether one reply may hold several calls."""
    result_limit: int = RESULT_LIMIT
    """Longest tool result, in characters; what is longer is cut, and the cut is said."""

    def to_param(self) -> dict[str, Any] | None:
        """`tool_choice` as a request carries it; `None` where the API's default says the same."""
        if self.choice in ("auto", "any", "none"):
            choice: dict[str, Any] = {"type": self.choice}
        else:
            choice = {"type": "tool", "name": self.choice}
        if not self.parallel and self.choice != "none":
            choice["disable_parallel_tool_use"] = True
        return None if choice == {"type": "auto"} else choice


@dataclass(frozen=True)
class Agent:
    """A model with instructions and tools.

    Raises:
        DefinitionError: for a tool that cannot be described, or two tools with one name.
    """

    name: str
    instructions: Instructions = ""
    """The system prompt: text, or a function of the run's context that returns text."""
    tools: Sequence[Tool | Callable[..., Any]] = ()
    """Tools, or plain functions, which are made tools."""
    model: str = MODEL
    calling: Calling = field(default_factory=Calling)
    max_tokens: int = 1024
    """Longest reply, in tokens."""

    def __post_init__(self) -> None:
        defined: dict[str, Tool] = {}
        for each in self.tools:
            made = tool(each)
            if defined.setdefault(made.name, made).function is not made.function:
                raise DefinitionError(
                    "Agent {name!r} has two different tools named {name_2!r}; the API "
                    "refuses a request with a name used twice. Rename one of the functions.",
                    name=self.name,
                    name_2=made.name,
                )
        object.__setattr__(self, "tools", tuple(defined.values()))

    def __repr__(self) -> str:
        return f"Agent({self.name!r}, tools=[{', '.join(self.toolbox)}], model={self.model!r})"

    @property
    def toolbox(self) -> dict[str, Tool]:
        """The tools by name."""
        return {each.name: each for each in self.tools if isinstance(each, Tool)}

    def request(
        self, messages: Sequence[dict[str, Any]], context: Context | None = None
    ) -> dict[str, Any]:
        """The keyword arguments of `client.messages.create` for the next reply."""
        told = self.instructions
        system = told(context if context is not None else Context()) if callable(told) else told
        tools = [each.to_param() for each in self.toolbox.values()]
        optional = {
            "system": system,
            "tools": tools,
            "tool_choice": self.calling.to_param() if tools else None,
        }
        return {
            "model": self.model,
            "max_tokens": self.max_tokens,
            **{name: value for name, value in optional.items() if value},
            "messages": list(messages),
        }
