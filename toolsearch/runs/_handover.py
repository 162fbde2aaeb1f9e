"""Calls that stop half-way, for a person or for the caller, and go on later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from toolsearch_hookspecs import CallFailure, ErrorCode, ToolResult

END_WITHIN_S = 1.0  # of calls that wait or execute when their run is closed

_CANCELLED = ToolResult(
    error=CallFailure(code=ErrorCode.CANCELLED, message="the run was closed during this call")
)


class Handovers:
    """The calls of one run whose answer may come in two steps, by call id.

    `begin` gives the final result, or an interim one when the call hands over; `go_on` then gives
    what comes next. Nothing is executed twice: the call is one task throughout.
    """

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[ToolResult]] = {}
        self._interim: dict[str, asyncio.Future[ToolResult]] = {}
        self._awaited: set[str] = set()
        self._requests: dict[str, str] = {}

    def of(self, call_id: str) -> Callable[[ToolResult], None] | None:
        """Where a call under way tells its interim result; None where nobody would take it."""
        interim = self._interim.get(call_id)
        if interim is None or interim.done():
            return None
        return lambda told: self._tell(call_id, interim, told)

    def waits(self, call_id: str) -> bool:
        return call_id in self._tasks

    def asked_by(self, request_id: str) -> str | None:
        """The id of the call that handed this approval request over and has not gone on since."""
        return self._requests.get(request_id)

    async def begin(
        self, call_id: str, work: Callable[[], Coroutine[Any, Any, ToolResult]]
    ) -> ToolResult | None:
        """Start a call under its id; None where another call under way has that id."""
        if call_id in self._tasks:
            return None
        self._interim[call_id] = asyncio.get_running_loop().create_future()
        self._tasks[call_id] = asyncio.ensure_future(work())
        return await self._next(call_id)

    async def go_on(self, call_id: str, answered: Callable[[], bool]) -> ToolResult | None:
        """Wait for what comes after an answer; None where the call does not wait for one."""
        if call_id not in self._tasks or call_id in self._awaited or not answered():
            return None
        self._requests = {asked: by for asked, by in self._requests.items() if by != call_id}
        self._interim[call_id] = asyncio.get_running_loop().create_future()
        return await self._next(call_id)

    async def aclose(self) -> None:
        """Let end what the end of the run ends, and cancel the rest."""
        tasks = set(self._tasks.values())
        self._tasks.clear()
        self._interim.clear()
        self._requests.clear()
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=END_WITHIN_S)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)

    async def _next(self, call_id: str) -> ToolResult:
        task, interim = self._tasks[call_id], self._interim[call_id]
        self._awaited.add(call_id)
        try:
            await asyncio.wait({task, interim}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._forget(call_id)
            task.cancel()
            await asyncio.wait({task})
            raise
        finally:
            self._awaited.discard(call_id)
        if not task.done():
            return interim.result()
        self._forget(call_id)
        return _CANCELLED if task.cancelled() else task.result()

    def _forget(self, call_id: str) -> None:
        self._tasks.pop(call_id, None)
        self._interim.pop(call_id, None)

    def _tell(self, call_id: str, interim: asyncio.Future[ToolResult], told: ToolResult) -> None:
        if interim.done():
            return
        if told.pending is not None:
            self._requests[told.pending.id] = call_id
        interim.set_result(told)
