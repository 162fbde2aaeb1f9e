"""An MCP server as a source of tools."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from toolsearch_hookspecs import (
    CallFailure,
    ErrorCode,
    RunContext,
    SourceKind,
    SourceListing,
    SourceUnavailable,
    ToolCall,
    ToolError,
    ToolResult,
    caller,
)
from toolsearch_hookspecs.text import one_line

from ._clues import Clues
from ._codes import HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND
from ._connect import connect
from ._failures import LostCallError, NotSentError, ServerError
from ._identity import origin
from ._listing import ListingReader
from ._results import tool_result
from ._session import Connection
from ._settings import ServerSettings
from ._surroundings import Surroundings
from ._times import Times
from ._upstream import Upstream

log = logging.getLogger(__name__)


class McpSource:
    """One configured server. It is started when a run first asks for its tools.

    A run waits for it as long as for every source, or as long as its own settings let it start.
    It goes on starting when nobody waits any more.
    """

    kind: SourceKind = "mcp"

    def __init__(self, name: str, settings: ServerSettings, around: Surroundings) -> None:
        self.name = name
        self.trusted = settings.trusted
        self.origin = origin(settings)
        self._settings = settings
        self._around = around
        self._times = Times.of(settings, around)
        self._upstream: Upstream | None = None

    @property
    def list_timeout_ms(self) -> int | None:
        """How long its list may take, where its own settings say so."""
        return self._times.list_timeout_ms

    async def start(self, changed: Callable[[], None]) -> None:
        clues = Clues(self._settings, self._around.environ, self._around.bounds.stderr_bytes)
        times = self._times

        def open_connection(
            tools_changed: Callable[[], None],
        ) -> AbstractAsyncContextManager[Connection]:
            return connect(
                self.name,
                self._settings,
                self._around,
                self.origin,
                times.start,
                tools_changed,
                clues,
            )

        self._upstream = Upstream(
            self.name,
            open_connection,
            ListingReader(self._settings, self._around.limits),
            self._around.bounds,
            times=times,
            clues=clues,
            changed=changed,
        )

    async def list_tools(self, run: RunContext) -> SourceListing:
        """What the server offers now. Raises `SourceUnavailable` with the reason alone."""
        try:
            return await self._started().listing()
        except ServerError as failure:
            raise failure.unavailable() from None

    async def call(self, call: ToolCall) -> ToolResult | Any:
        """Call the tool once. What may have run and was lost is a `ToolError` that says so."""
        timeout_ms = call.tool.timeout_ms or self._around.limits.tool_timeout_ms
        try:
            raw = await self._answer(call, timeout_ms / 1_000)
        except TimeoutError:
            message = f"{call.tool.name} gave no result within {timeout_ms} ms and was cancelled; "
            failure = CallFailure(
                code=ErrorCode.TIMEOUT,
                message=f"{message}it may have taken effect",
                tool=call.tool.id,
                executed=True,
            )
            return ToolResult(error=failure)
        return tool_result(
            raw,
            tool=call.tool.id,
            whole=call.tool.catalog_mode == "direct-only",
            parsed_bytes=self._around.limits.max_body_value_bytes,
        )

    async def aclose(self) -> None:
        if self._upstream is not None:
            await self._upstream.aclose()

    async def _answer(self, call: ToolCall, seconds: float) -> dict[str, Any]:
        """What the server answers. A request that certainly did not reach it is sent once more."""
        upstream = self._started()
        try:
            try:
                return await self._asked(await upstream.connection(), call, seconds)
            except NotSentError:
                return await self._asked(await upstream.connection(), call, seconds)
        except NotSentError:
            raise SourceUnavailable(f"server {self.name} cannot be reached") from None
        except ServerError as failure:
            raise SourceUnavailable(f"server {self.name} is unavailable: {failure}") from None

    async def _asked(
        self, connection: Connection, call: ToolCall, seconds: float
    ) -> dict[str, Any]:
        from mcp import MCPError
        from pydantic import ValidationError

        name = call.tool.name
        try:
            async with asyncio.timeout(seconds):
                return await connection.call(name, call.arguments, caller())
        except LostCallError:
            raise ToolError(
                f"server {self.name} stopped while it ran {name}; it may have taken effect"
            ) from None
        except ValidationError:
            raise ToolError(
                f"server {self.name} answered {name} with something that is no result; "
                "it may have taken effect"
            ) from None
        except MCPError as error:
            if error.code in {METHOD_NOT_FOUND, INVALID_PARAMS, HEADER_MISMATCH}:
                self._started().mark_stale()
            raise ToolError(
                f"server {self.name} refused {name}: {one_line(error.message, 2_000)}"
            ) from None

    def _started(self) -> Upstream:
        if self._upstream is None:
            raise SourceUnavailable("it has not been started")
        return self._upstream
