"""A bridge to three tools, and limits, for bodies that a suite runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from toolsearch_hookspecs import CallError, CallFailure, CodeLimits, ErrorCode


class RecordedBridge:
    """A bridge to three tools: `echo` gives its arguments, `fail` fails, `wait` waits for `gate`."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.cancelled: list[str] = []
        self.most_at_once = 0
        self.waiting: Callable[[int], None] = lambda number: None
        self.gate = asyncio.Event()
        self.started = asyncio.Event()
        self._open = 0

    def on_waiting(self, changed: Callable[[int], None]) -> None:
        self.waiting = changed

    async def search(self, query: Any, options: Any = None) -> Any:
        return [{"id": "plugin:test:echo", "query": query, "options": options}]

    async def describe(self, id: Any) -> Any:
        return {"id": id, "input_schema": {"type": "object"}}

    async def call(self, id: Any, arguments: Any = None) -> Any:
        self.calls.append((id, arguments))
        self._open += 1
        self.most_at_once = max(self.most_at_once, self._open)
        self.started.set()
        try:
            return {"tool": {"id": id}, "result": await self._result(id, arguments)}
        except asyncio.CancelledError:
            self.cancelled.append(id)
            raise
        finally:
            self._open -= 1

    async def _result(self, id: Any, arguments: Any) -> Any:
        match id:
            case "fail":
                failure = CallFailure(code=ErrorCode.TOOL_ERROR, message="it failed", tool="fail")
                raise CallError(failure)
            case "wait":
                await self.gate.wait()
            case _:
                for _ in range(3):
                    await asyncio.sleep(0)
        return arguments


def code_limits(**changes: int) -> CodeLimits:
    """Small limits, with room for a slow machine."""
    given = {
        "timeout_ms": 15_000,
        "max_wait_ms": 15_000,
        "max_script_bytes": 10_000,
        "max_bridge_calls": 20,
        "max_parallel_calls": 4,
        "max_value_bytes": 20_000,
        "max_body_value_bytes": 100_000,
        "max_log_bytes": 5_000,
        "memory_mb": 128,
    }
    return CodeLimits(**(given | changes))
