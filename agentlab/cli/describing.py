"""Commands about descriptions: lint and measure."""

import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from agentlab.cli.app import app
from agentlab.cli.speaking import complain, faults_as_sentences
from agentlab.errors import ConfigurationError
from agentlab.language import gettext, ngettext

if TYPE_CHECKING:
    from agentlab.descriptions.figures import Figure


@app.command("lint")
def lint_file(
    path: Annotated[
        Path, typer.Argument(help=gettext("A .py file with tools, or a .json of definitions."))
    ],
    strict: Annotated[bool, typer.Option("--strict", help=gettext("Fail on any finding."))] = False,
) -> None:
    """Find what is weak in tool definitions: 0 nothing, 1 errors, 2 a file without tools."""
    from agentlab.descriptions.files import tools_in
    from agentlab.descriptions.lint import lint_all

    try:
        tools = tools_in(path)
    except ConfigurationError as error:
        complain(error)
        raise typer.Exit(2) from error
    findings = lint_all(tools)
    for each in findings:
        Console().print(str(each), markup=False, highlight=False, soft_wrap=True)
    asked = ngettext("{count} tool", "{count} tools", len(tools))
    found = ngettext("{count} finding", "{count} findings", len(findings))
    print(f"{asked}, {found}")
    if any(strict or each.severity == "error" for each in findings):
        raise typer.Exit(1)


@app.command("measure")
def measure_sets(
    sets: Annotated[
        list[str] | None,
        typer.Argument(help=gettext("Shipped sets or .json files; all shipped sets.")),
    ] = None,
    held_out: Annotated[
        bool,
        typer.Option("--held-out", help=gettext("Ask the questions kept back from tuning.")),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help=gettext("Print JSON."))] = False,
    write_card: Annotated[
        bool,
        typer.Option(
            "--write-card", help=gettext("Renew the figures in the practice model's card.")
        ),
    ] = False,
) -> None:
    """Measure how often the right tool is called, by set and by how the tools are described.

    The card is of the practice model, and holds all shipped sets with the questions held out.
    """
    with faults_as_sentences():
        from agentlab.clients import client
        from agentlab.descriptions import figures
        from agentlab.descriptions import sets as shipped_sets

        with redirect_stdout(sys.stderr):  # what is answering is no part of the output
            answering = client(live=False if write_card else None)
        if write_card:
            measured = figures.renew_card(answering)
        else:
            names = sets or shipped_sets.shipped()
            measured = list(figures.measure_sets(names, held_out, answering))
        print_figures(measured, as_json=as_json)


def print_figures(figures: "Sequence[Figure]", *, as_json: bool) -> None:
    """Print measured figures, as JSON or as a table."""
    from rich.box import SIMPLE
    from rich.table import Table

    from agentlab.descriptions.figures import HEADS

    if as_json:
        print(json.dumps([each.to_dict() for each in figures], indent=2))
        return
    table = Table(
        title=gettext("Right tools by set and description"), box=SIMPLE, padding=(0, 1, 0, 0)
    )
    for head in HEADS:
        justify: Literal["left", "right"] = "left" if head in ("set", "tools") else "right"
        table.add_column(head, justify=justify, no_wrap=True)
    for each in figures:
        table.add_row(*each.cells)
    Console().print(table)
