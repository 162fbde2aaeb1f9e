"""Tools that the caller supplies for one run (S2, kind `client`)."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import attrs
from toolsearch_hookspecs import (
    RunContext,
    SourceKind,
    SourceListing,
    SourceUnavailable,
    ToolCall,
    ToolSpec,
)

from ..catalog import SourcePart, provenance_of, source_part


@attrs.frozen
class ClientTool:
    """One tool of the caller: a spec, and the function that executes it, sync or async.

    The function gets the arguments as one mapping. Without a function the tool is direct-only.
    """

    spec: ToolSpec
    execute: Callable[[Mapping[str, Any]], Any | Awaitable[Any]] | None = None


class ClientSource:
    """The source of one run's client tools; its texts are untrusted."""

    kind: SourceKind = "client"
    trusted = False

    def __init__(self, name: str, tools: Sequence[ClientTool]) -> None:
        self.name = name
        self.origin = f"client:{name}"
        self._tools = {tool.spec.name: tool for tool in tools}

    async def start(self, changed: Callable[[], None]) -> None:
        """Nothing to start."""

    async def list_tools(self, run: RunContext) -> SourceListing:
        return self.listing()

    def listing(self) -> SourceListing:
        specs = [
            tool.spec
            if tool.execute is not None
            else tool.spec.model_copy(update={"catalog_mode": "direct-only"})
            for tool in self._tools.values()
        ]
        return SourceListing(generation="run", tools=specs)

    def part(self) -> SourcePart:
        return source_part(self, provenance_of(self, "client"), self.listing())

    async def call(self, call: ToolCall) -> Any:
        tool = self._tools[call.tool.name]
        if tool.execute is None:
            message = "the caller gave this tool no way to be executed"
            raise SourceUnavailable(message)
        answer = tool.execute(call.arguments)
        return await answer if inspect.isawaitable(answer) else answer

    async def aclose(self) -> None:
        """Nothing to close."""
