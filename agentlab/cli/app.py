"""The command itself, to which each file of this folder adds its own."""

import typer

app = typer.Typer(
    help="Learn to build LLM agents in Jupyter, offline, on the real anthropic SDK.",
    no_args_is_help=True,
    add_completion=False,
)
