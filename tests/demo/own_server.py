"""A small MCP server, as somebody might have one: it notes each call in a file."""

import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("own")
calls = Path(sys.argv[1])


def note(name: str) -> None:
    with calls.open("a", encoding="utf-8") as file:
        file.write(f"{name}\n")


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def harbour_list() -> list[str]:
    """List the harbours."""
    note("harbour_list")
    return ["Aalesund", "Molde"]


@server.tool(annotations=ToolAnnotations(readOnlyHint=False, destructiveHint=True))
def harbour_delete(name: str = "") -> str:
    """Delete a harbour."""
    note("harbour_delete")
    return name


@server.tool()
def harbour_rename(name: str = "") -> str:
    """Rename a harbour."""
    note("harbour_rename")
    return name


server.run("stdio")
