"""Tools for any program that speaks MCP, the Model Context Protocol: a server on standard input.

    python -m agentlab.mcp_server

serves what reads in the shop of the lessons. It needs the extra `agentlab[mcp]`.
"""

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from agentlab.errors import ConfigurationError
from agentlab.tools import Tool

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer


def server_of(tools: Sequence[Tool], name: str) -> "MCPServer[Any]":
    """An MCP server with these tools; a tool that raises is a result with the error flag.

    Args:
        tools: what is offered. MCP asks nobody, so none may be destructive.
        name: the server's name.

    Raises:
        ConfigurationError: where the package `mcp` is missing, or a tool is destructive.
    """
    try:
        from mcp.server.mcpserver import MCPServer
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            "An MCP server needs another package: pip install 'agentlab[mcp]'."
        ) from error
    if destructive := [tool.name for tool in tools if tool.destructive]:
        raise ConfigurationError(
            "{destructive} needs a person's yes, and an MCP server has nobody to ask. "
            "Leave it out, or ask in the program that calls it.",
            destructive=", ".join(destructive),
        )
    server = MCPServer(name)
    for each in tools:
        server.add_tool(_explaining(each), name=each.name, description=each.description)
    return server


def _explaining(each: Tool) -> Callable[..., Any]:
    """The tool's function; what it raises is told to the model, as the loop tells it.

    The MCP package hides the words of every exception but its own, and a model that reads "Error
    executing tool" can repair nothing.
    """
    from anthropic.lib.tools import ToolError
    from mcp.server.mcpserver.exceptions import ToolError as ToldError

    @functools.wraps(each.function)
    def explaining(*args: Any, **kwargs: Any) -> Any:
        try:
            return each.function(*args, **kwargs)
        except ToolError as error:
            raise ToldError(str(error)) from error
        except Exception as error:
            raise ToldError(f"{type(error).__name__}: {error}") from error

    return explaining


def main() -> None:
    """Serve what reads in the lessons' shop until standard input ends."""
    from agentlab.shop import shop

    server_of([tool for tool in shop.tools if not tool.destructive], "shop").run("stdio")


if __name__ == "__main__":
    main()
