"""The directive `command-help`: what each command of agentlab says about itself, asked anew."""

from typing import Any

import typer.main
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from agentlab.cli import app as command_line

COLUMNS = 92


class CommandHelp(SphinxDirective):
    """A section for each command, with its `--help`."""

    def run(self) -> list[nodes.Node]:
        """The sections, in the order of their names."""
        group: Any = typer.main.get_command(command_line)
        return [self._section(name, group.commands[name]) for name in sorted(group.commands)]

    def _section(self, name: str, command: Any) -> nodes.section:
        section = nodes.section(ids=[f"agentlab-{name}"])
        section += nodes.title(text=f"agentlab {name}")
        section += nodes.literal_block(text=help_of(name, command), language="text")
        return section


def help_of(name: str, command: Any) -> str:
    """What `agentlab <name> --help` says, without the frames that it gets in a terminal."""
    command.rich_markup_mode = None
    context = command.context_class(
        command, info_name=f"agentlab {name}", terminal_width=COLUMNS, max_content_width=COLUMNS
    )
    return str(command.get_help(context))


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx calls this once."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
