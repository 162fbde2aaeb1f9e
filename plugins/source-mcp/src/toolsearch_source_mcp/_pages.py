"""A whole listing, page by page, from a server that may never stop giving pages."""

from __future__ import annotations

from typing import Any

from ._codes import METHOD_NOT_FOUND
from ._failures import ServerError
from ._session import Connection
from ._settings import McpSettings


async def listed_tools(connection: Connection, bounds: McpSettings) -> list[Any]:
    """Every raw tool. Raises `ServerError` for endless pages; a server without tools has none."""
    from mcp import MCPError

    tools: list[Any] = []
    seen: set[str] = set()
    cursor: str | None = None
    for _ in range(bounds.max_pages):
        try:
            page = await connection.tools_page(cursor)
        except MCPError as error:
            if error.code == METHOD_NOT_FOUND and cursor is None:
                return []
            raise ServerError(f"it does not list its tools (code {error.code})") from error
        found = page.get("tools")
        tools += found if isinstance(found, list) else []
        if len(tools) > bounds.max_tools:
            raise ServerError(f"it lists more than {bounds.max_tools} tools")
        cursor = page.get("nextCursor")
        if not isinstance(cursor, str) or not cursor:
            return tools
        if cursor in seen:
            raise ServerError("its listing never ends: a page came back")
        seen.add(cursor)
    raise ServerError(f"its listing has more than {bounds.max_pages} pages")
