"""Calls that stop half-way, for a person or for the caller, and go on later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from toolsearch_hookspecs import ToolResult


class Handovers:
    """The calls of one run whose answer may come in two steps, by call id.

    `begin` gives the final result, or an interim one when the call hands over; `go_on` then gives
    what comes next. Nothing is executed twice: the call is one task throughout.
    """

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[ToolResult]] = {}
        self._interim: dict[str, asyncio.Future[ToolResult]] = {}

    def of(self, call_id: str) -> Callable[[ToolResult], None] | None:
        """Where a call under way tells its interim result; None where nobody would take it."""
        interim = self._interim.get(call_id)
        return None if interim is None or interim.done() else lambda told: _told(interim, told)

    def waits(self, call_id: str) -> bool:
        return call_id in self._tasks

    async def begin(self, call_id: str, work: Coroutine[Any, Any, ToolResult]) -> ToolResult:
        """Start a call under its id."""
        self._interim[call_id] = asyncio.get_running_loop().create_future()
        self._tasks[call_id] = asyncio.ensure_future(work)
        return await self._next(call_id)

    async def go_on(self, call_id: str, answered: Callable[[], bool]) -> ToolResult | None:
        """Wait for what comes after an answer; None where the call does not wait for one."""
        if call_id not in self._tasks:
            return None
        self._interim[call_id] = asyncio.get_running_loop().create_future()
        if not answered():
            return None
        return await self._next(call_id)

    async def aclose(self) -> None:
        """Cancel what still waits."""
        tasks = list(self._tasks.values())
        self._tasks.clear()
        self._interim.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _next(self, call_id: str) -> ToolResult:
        task, interim = self._tasks[call_id], self._interim[call_id]
        try:
            await asyncio.wait({task, interim}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._forget(call_id)
            task.cancel()
            await asyncio.wait({task})
            raise
        if not task.done():
            return interim.result()
        self._forget(call_id)
        return task.result()

    def _forget(self, call_id: str) -> None:
        self._tasks.pop(call_id, None)
        self._interim.pop(call_id, None)


def _told(interim: asyncio.Future[ToolResult], result: ToolResult) -> None:
    if not interim.done():
        interim.set_result(result)
