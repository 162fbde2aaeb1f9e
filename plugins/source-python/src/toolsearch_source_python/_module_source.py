"""A module as a tool source, its functions run in this process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from toolsearch_hookspecs import RunContext, SourceKind, SourceListing, ToolCall, ToolResult

from ._module_tools import open_module
from ._threads import Threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._settings import ModuleSettings
    from ._stubs import Stubs
    from ._toolbox import Toolbox


class ModuleSource:
    """The functions of one module; it is imported when its tools are first asked for.

    Functions run on daemon threads of the source; asynchronous ones on the event loop.
    """

    kind: SourceKind = "plugin"

    def __init__(
        self, settings: ModuleSettings, stubs: Stubs, *, threads: int, max_items: int
    ) -> None:
        self.name = settings.owner
        self.trusted = settings.trusted
        self.origin = f"python:{settings.module}"
        self._settings = settings
        self._stubs = stubs
        self._max_items = max_items
        self._size = threads
        self._threads: Threads | None = None
        self._toolbox: Toolbox | None = None
        self._opening = asyncio.Lock()

    async def start(self, changed: Callable[[], None]) -> None:
        """Nothing yet: a module that is never asked for is never imported."""

    async def list_tools(self, run: RunContext) -> SourceListing:
        toolbox = await self._opened()
        return SourceListing(generation="1", tools=toolbox.specs, quarantined=toolbox.quarantined)

    async def call(self, call: ToolCall) -> ToolResult:
        toolbox = await self._opened()
        function = toolbox.function(call.tool.name)
        if function.asynchronous:
            return await toolbox.await_call(function, call.arguments)
        return await self._workers().run(lambda: toolbox.call(function, call.arguments))

    async def aclose(self) -> None:
        if self._threads is not None:
            self._threads.close()
            self._threads = None

    async def _opened(self) -> Toolbox:
        async with self._opening:
            if self._toolbox is None:
                self._toolbox = await self._workers().run(
                    lambda: open_module(self._settings, self._max_items, self._stubs)
                )
            return self._toolbox

    def _workers(self) -> Threads:
        if self._threads is None:
            self._threads = Threads(self.name, self._size)
        return self._threads
