"""The three functions of a body of code, in the host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from toolsearch_hookspecs import CallError, ErrorCode

from ..calls import fail
from ._structured import whole_number

if TYPE_CHECKING:
    from ._run import Run


class BodyBridge:
    """Search, describe and call for one body; each failure is a CallError (S6.8).

    `made` counts them, by name.
    """

    def __init__(self, run: Run, body: str) -> None:
        self._run = run
        self.body = body
        self.made: Counter[str] = Counter()
        self._waiting = 0
        self._changed: Callable[[int], None] | None = None

    def on_waiting(self, changed: Callable[[int], None]) -> None:
        self._changed = changed

    async def search(self, query: Any, options: Any = None) -> Any:
        limit = options.get("limit") if isinstance(options, Mapping) else None
        if not isinstance(query, str):
            raise fail(ErrorCode.INVALID_ARGUMENTS, "search(query) takes a string.")
        found = await self._run.search(
            query, limit=whole_number(limit), call_id=self._next("search")
        )
        return list(found.hits)

    async def describe(self, id: Any) -> Any:
        if not isinstance(id, str):
            raise fail(ErrorCode.INVALID_ARGUMENTS, "describe(id) takes the id of a hit.")
        return await self._run.describe(id, call_id=self._next("describe"))

    async def call(self, id: Any, arguments: Any = None) -> Any:
        if not isinstance(id, str):
            raise fail(ErrorCode.INVALID_ARGUMENTS, "call(id, args) takes the id of a hit.")
        limits = self._run.state.limits
        result = await self._run.walk(
            id,
            {} if arguments is None else arguments,
            via="bridge",
            call_id=self._next("call"),
            body=self.body,
            max_bytes=limits.max_body_value_bytes,
            waiting=self._wait,
            enveloped=True,
        )
        if result.error is not None:
            raise CallError(result.error)
        if result.note is None or not isinstance(result.value, dict):
            return result.value
        return result.value | {"note": result.note}

    def _next(self, made: str) -> str:
        self.made[made] += 1
        return f"{self.body}.{self.made.total()}"

    def _wait(self, waiting: bool) -> None:
        self._waiting += 1 if waiting else -1
        if self._changed is not None:
            self._changed(self._waiting)
