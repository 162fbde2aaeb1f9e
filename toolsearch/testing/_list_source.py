"""A source made of functions, for tests that need one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from toolsearch_hookspecs import (
    RunContext,
    SourceKind,
    SourceListing,
    ToolCall,
    ToolSource,
    ToolSpec,
)


class ListSource(ToolSource):
    """Tools by name, each with the function (plain or async) that executes it.

    Fields of their specs stand under the tool's name: `ListSource("mail", {"send": send},
    send={"description": "Send a message."})`. Tests may look at `calls` (or `called`, their names
    and arguments) and `listed`, set `broken` to an exception that listing raises, and change
    `specs` (then raise `generation` and call `changed()`).
    """

    kind: SourceKind = "plugin"
    trusted = True

    def __init__(
        self, name: str, tools: Mapping[str, Callable[..., Any]], **specs: Mapping[str, Any]
    ) -> None:
        self.name = name
        self.origin = f"tests:{name}"
        self.functions = dict(tools)
        self.specs = {
            tool: ToolSpec(name=tool, **{"description": f"{tool} of {name}", **specs.get(tool, {})})
            for tool in tools
        }
        self.calls: list[ToolCall] = []
        self.listed: list[RunContext] = []
        self.generation = 1
        self.changed: Callable[[], None] = lambda: None
        self.broken: Exception | None = None

    @property
    def called(self) -> list[tuple[str, dict[str, Any]]]:
        """The calls so far, each as the tool's name and its arguments."""
        return [(call.tool.name, dict(call.arguments)) for call in self.calls]

    async def start(self, changed: Callable[[], None]) -> None:
        self.changed = changed

    async def list_tools(self, run: RunContext) -> SourceListing:
        self.listed.append(run)
        if self.broken is not None:
            raise self.broken
        return SourceListing(generation=str(self.generation), tools=list(self.specs.values()))

    async def call(self, call: ToolCall) -> Any:
        self.calls.append(call)
        answer = self.functions[call.tool.name](**call.arguments)
        return await answer if inspect.isawaitable(answer) else answer

    async def aclose(self) -> None:
        """It holds nothing."""
