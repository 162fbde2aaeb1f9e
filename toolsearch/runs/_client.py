"""Tools that the caller supplies for one run (S2, kind `client`)."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from weakref import finalize

from toolsearch_hookspecs import (
    ClientTool,
    ConfigError,
    RunContext,
    SourceKind,
    SourceListing,
    SourceUnavailable,
    ToolCall,
    ToolResult,
)

from ..catalog import SourcePart, provenance_of, source_part
from ..plugins import Workers

HANDED_BACK_MS = 3_600_000  # an hour: the caller may have to ask a person
WORKERS = 8  # of the plain functions of one run that may run at once


def _checked(tool: Any) -> ClientTool:
    """Raise TypeError for what is no client tool, and say what makes one of it."""
    if isinstance(tool, ClientTool):
        return tool
    if isinstance(tool, Mapping):
        form = "anthropic" if "input_schema" in tool else "openai"
        cure = (
            f"a provider's definitions become client tools by "
            f"toolsearch.adapters.{form}.client_tools_of(tools)"
        )
    elif callable(tool):
        cure = "give a function as `execute`, and its name and schema as `spec`"
    else:
        cure = "give ClientTool(spec=ToolSpec(name=..., input_schema=...), execute=...)"
    message = f"client_tools holds a {type(tool).__name__}, which is no ClientTool; {cure}"
    raise TypeError(message)


class ClientSource:
    """The source of one run's client tools; its texts are untrusted.

    Coroutine functions run on the loop; plain ones on daemon threads of this run, so that one
    that blocks keeps no other call waiting and can be given up at its deadline.
    """

    kind: SourceKind = "client"
    trusted = False

    def __init__(self, name: str, tools: Sequence[ClientTool]) -> None:
        self.name = name
        self.origin = f"client:{name}"
        self._tools: dict[str, ClientTool] = {}
        for tool in map(_checked, tools):
            if self._tools.setdefault(tool.spec.name, tool) is not tool:
                message = f"two client tools have the name {tool.spec.name!r}; give each its own"
                raise ConfigError(message)
        self._workers = Workers(f"client-{name}", WORKERS)
        finalize(self, self._workers.close)
        self._awaited: dict[str, asyncio.Future[ToolResult]] = {}
        self.hand_back: Callable[[ToolCall], bool] = _nobody

    @property
    def hands_back(self) -> bool:
        """Whether some tool has no function."""
        return any(tool.execute is None for tool in self._tools.values())

    async def start(self, changed: Callable[[], None]) -> None:
        """Nothing to start."""

    async def list_tools(self, run: RunContext) -> SourceListing:
        return self.listing()

    def listing(self) -> SourceListing:
        specs = [
            tool.spec
            if tool.execute is not None
            else tool.spec.model_copy(
                update={
                    "catalog_mode": "direct-only",
                    "timeout_ms": tool.spec.timeout_ms or HANDED_BACK_MS,
                }
            )
            for tool in self._tools.values()
        ]
        return SourceListing(generation="run", tools=specs)

    def part(self) -> SourcePart:
        return source_part(provenance_of(self, "client"), self.listing())

    async def call(self, call: ToolCall) -> Any:
        tool = self._tools[call.tool.name]
        if tool.execute is None:
            return await self._handed_back(call)
        if inspect.iscoroutinefunction(tool.execute):
            return await tool.execute(call.arguments)
        answer = await self._workers.answer(partial(tool.execute, call.arguments))
        return await answer if inspect.isawaitable(answer) else answer

    def deliver(self, call_id: str, result: ToolResult) -> bool:
        """Take the caller's result of a call that was handed back; False where none waits."""
        waiting = self._awaited.get(call_id)
        if waiting is None or waiting.done():
            return False
        waiting.set_result(result)
        return True

    async def aclose(self) -> None:
        """Let the threads end."""
        self._workers.close()

    async def _handed_back(self, call: ToolCall) -> ToolResult:
        waiting: asyncio.Future[ToolResult] = asyncio.get_running_loop().create_future()
        self._awaited[call.id] = waiting
        try:
            if not self.hand_back(call):
                message = "the caller takes no calls of its tools back on this way"
                raise SourceUnavailable(message)
            return await waiting
        finally:
            del self._awaited[call.id]


def _nobody(call: ToolCall) -> bool:
    return False
