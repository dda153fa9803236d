"""What the commands say, beside their output."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from agentlab.errors import AgentlabError


def tell(line: str) -> None:
    """Print a line for the person who waits, beside the output."""
    Console(stderr=True).print(line, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def faults_as_sentences() -> Iterator[None]:
    """Print this package's own errors as the sentence they carry; a traceback helps nobody here."""
    try:
        yield
    except AgentlabError as error:
        complain(error)
        raise typer.Exit(1) from error


def complain(error: AgentlabError) -> None:
    """Print an error as the sentence it carries."""
    Console(stderr=True).print(f"agentlab: {error}", markup=False, soft_wrap=True)
