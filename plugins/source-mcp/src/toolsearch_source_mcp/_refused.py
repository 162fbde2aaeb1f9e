"""A server that cannot be had under its name, as a source that says so wherever sources are shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolsearch_hookspecs import RunContext, SourceKind, SourceListing, SourceUnavailable, ToolCall


class RefusedServer:
    """Never starts anything. `why` is for the operator."""

    kind: SourceKind = "mcp"
    trusted = False

    def __init__(self, name: str, origin: str, why: str) -> None:
        self.name = name
        self.origin = origin
        self._why = why

    async def start(self, changed: Callable[[], None]) -> None:
        pass

    async def list_tools(self, run: RunContext) -> SourceListing:
        error = SourceUnavailable("another server has its name")
        error.add_note(self._why)
        raise error

    async def call(self, call: ToolCall) -> Any:
        raise SourceUnavailable(f"server {self.name} is not started")

    async def aclose(self) -> None:
        pass
