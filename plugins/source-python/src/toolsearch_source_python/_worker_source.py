"""A module as a tool source, its functions run in worker processes."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

from toolsearch_hookspecs import (
    Quarantined,
    RunContext,
    SourceKind,
    SourceListing,
    SourceUnavailable,
    ToolCall,
    ToolError,
    ToolResult,
    ToolSpec,
)

from ._frames import TooLarge
from ._worker_process import WorkerGone, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._settings import ModuleSettings


class WorkerSource:
    """The functions of one module, which is imported in worker processes only.

    A call has a process to itself. When it is cancelled, its process is killed, whatever it does
    (code that keeps the GIL included), and the next call gets a new one.
    """

    kind: SourceKind = "plugin"

    def __init__(self, settings: ModuleSettings, *, max_items: int) -> None:
        self.name = settings.owner
        self.trusted = settings.trusted
        self.origin = f"python:{settings.module}"
        self._settings = settings
        self._max_items = max_items
        self._free = asyncio.Semaphore(settings.worker_count)
        self._idle: list[WorkerProcess] = []
        self._listing: SourceListing | None = None
        self._opening = asyncio.Lock()

    async def start(self, changed: Callable[[], None]) -> None:
        """Nothing yet: a module that is never asked for starts no process."""

    async def list_tools(self, run: RunContext) -> SourceListing:
        async with self._opening:
            if self._listing is None:
                worker, self._listing = await self._started()
                self._idle.append(worker)
            return self._listing

    async def call(self, call: ToolCall) -> ToolResult:
        async with self._free:
            worker = self._ready() or (await self._started())[0]
            try:
                answer = await worker.ask(
                    {"name": call.tool.name, "arguments": dict(call.arguments)}
                )
            except TooLarge as error:
                self._idle.append(worker)
                raise ToolError(f"the arguments are too large: {error}") from None
            except WorkerGone as gone:
                await worker.kill()
                raise ToolError(f"{call.tool.name} did not answer: {gone}") from None
            except BaseException:
                await asyncio.shield(worker.kill())
                raise
            self._idle.append(worker)
        return _result(answer)

    async def aclose(self) -> None:
        while self._idle:
            await self._idle.pop().kill()

    def _ready(self) -> WorkerProcess | None:
        """An idle worker that has not died since its last call."""
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
        return None

    async def _started(self) -> tuple[WorkerProcess, SourceListing]:
        opening = {
            "path": sys.path,
            "settings": self._settings.model_dump(mode="json", by_alias=True),
            "max_items": self._max_items,
        }
        try:
            worker, answer = await WorkerProcess.started(opening)
        except (WorkerGone, OSError) as error:
            raise SourceUnavailable(f"the worker of {self.name} did not start: {error}") from None
        if "unavailable" in answer:
            await worker.kill()
            raise SourceUnavailable(answer["unavailable"])
        return worker, _listed(answer)


def _listed(answer: dict[str, Any]) -> SourceListing:
    return SourceListing(
        generation="1",
        tools=[ToolSpec.model_validate(item) for item in answer["tools"]],
        quarantined=[Quarantined.model_validate(item) for item in answer["quarantined"]],
    )


def _result(answer: dict[str, Any]) -> ToolResult:
    match answer:
        case {"result": result}:
            return ToolResult.model_validate(result)
        case {"unavailable": message}:
            raise SourceUnavailable(message)
        case _:
            raise ToolError(answer["tool_error"], retryable=answer.get("retryable", False))
