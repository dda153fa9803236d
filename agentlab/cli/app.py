"""The command itself, to which each file of this folder adds its own."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import typer

from agentlab.language import gettext

Function = TypeVar("Function", bound=Callable[..., Any])


class Commands(typer.Typer):
    """Commands whose docstrings are their help, in the reader's language."""

    def command(self, *arguments: Any, **settings: Any) -> Callable[[Function], Function]:
        """As in Typer; the decorated function is a command."""

        def register(function: Function) -> Function:
            docstring = inspect.getdoc(function)
            settings.setdefault("help", docstring and gettext(docstring))
            return super(Commands, self).command(*arguments, **settings)(function)

        return register


app = Commands(
    help=gettext("Learn to build LLM agents in Jupyter, offline, on the real anthropic SDK."),
    no_args_is_help=True,
    add_completion=False,
)
