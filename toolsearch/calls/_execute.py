"""Execution: once, within its deadline, by the tool's own source unless a plugin takes it over."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

import attrs

from toolsearch_hookspecs import (
    CallFailure,
    ErrorCode,
    SourceUnavailable,
    ToolCall,
    ToolError,
    ToolResult,
    ToolSource,
)

from ..isolation import Outcome, contained, text_of
from ..plugins import HookCalls
from ..results import json_value
from ..text import clean, one_line
from ..tracebacks import note
from ._left_behind import LeftBehind
from ._plain import plain
from ._trace import Trace

# What a source may say of its own failure; who blocked a call, or that it waits, only the host
# can know.
OWN_CODES = frozenset(
    {
        ErrorCode.TOOL_ERROR,
        ErrorCode.UNAVAILABLE,
        ErrorCode.INVALID_ARGUMENTS,
        ErrorCode.INVALID_RESULT,
        ErrorCode.TIMEOUT,
        ErrorCode.CANCELLED,
    }
)


@attrs.frozen
class Execution:
    """Executes calls for one host; `left` keeps those that do not end when they are cancelled."""

    hooks: HookCalls
    left: LeftBehind = attrs.Factory(LeftBehind)

    async def __call__(
        self,
        source: ToolSource,
        call: ToolCall,
        timeout_ms: int,
        run_ended: asyncio.Future[None],
        trace: Trace,
    ) -> ToolResult:
        """Execute one call. Never raises for what the tool does; cancellation, the deadline and
        the end of the run reach the tool.
        """
        default = partial(_ask_source, source)
        work = asyncio.ensure_future(contained(lambda: self.hooks.execute(call, default)))
        try:
            waiting: set[asyncio.Future[Any]] = {work, run_ended}
            await asyncio.wait(
                waiting, timeout=timeout_ms / 1000, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            given_up = not work.done()
            if given_up:
                trace.left_running = not await self.left.stopped(work, call)
        if given_up:
            return _given_up(call, timeout_ms, run_ended.done(), trace.left_running)
        if work.cancelled():  # the source cancelled the task that it was given
            return _result(call, Outcome(failure=asyncio.CancelledError()))
        return _result(call, work.result())


def _given_up(call: ToolCall, timeout_ms: int, run_ended: bool, runs_on: bool) -> ToolResult:
    ended = "did not end when it was cancelled" if runs_on else "was cancelled"
    effects = f"it {ended}; side effects may {'still happen' if runs_on else 'have happened'}"
    if run_ended:
        return _failure(
            call, ErrorCode.CANCELLED, f"the run was closed while the tool ran; {effects}"
        )
    return _failure(
        call, ErrorCode.TIMEOUT, f"the tool did not finish within {timeout_ms} ms; {effects}"
    )


async def _ask_source(source: ToolSource, call: ToolCall) -> ToolResult:
    own = call.model_copy(update={"arguments": plain(call.arguments)})
    outcome = await contained(lambda: source.call(own))
    return _result(call, Outcome(_owned(call, outcome.value), outcome.failure))


def _owned(call: ToolCall, value: Any) -> Any:
    """What a source gave, without what only the host can say: that a call waits, or was handed
    back, and that a tool which was asked did not run (but for a source that was not there).
    """
    if not isinstance(value, ToolResult):
        return value
    error = value.error
    if isinstance(error, CallFailure):
        code = error.code if error.code in OWN_CODES else ErrorCode.TOOL_ERROR
        ran = code is not ErrorCode.UNAVAILABLE or error.executed
        error = CallFailure(
            code=code,
            message=clean(str(error.message)),
            tool=call.tool.id,
            retryable=error.retryable is True,
            executed=ran,
        )
    return ToolResult(
        value=value.value,
        error=error,
        note=None if value.note is None else clean(str(value.note)),
        meta=value.meta if isinstance(value.meta, Mapping) else {},
    )


def _result(call: ToolCall, outcome: Outcome) -> ToolResult:
    match outcome.failure:
        case None:
            pass
        case ToolError() as failed:
            text = clean(text_of(failed))
            retryable = getattr(failed, "retryable", False) is True
            return _failure(call, ErrorCode.TOOL_ERROR, text, retryable=retryable)
        case SourceUnavailable() as down:
            failure = CallFailure(
                code=ErrorCode.UNAVAILABLE,
                message=f"{clean(text_of(down))}. Not executed",
                tool=call.tool.id,
                retryable=True,
            )
            return ToolResult(error=failure)
        case asyncio.CancelledError():
            return _failure(call, ErrorCode.CANCELLED, "the tool was cancelled by its source")
        case other:
            note(f"the tool {call.tool.id} failed", other)
            kind = one_line(type(other).__name__, 80)
            return _failure(call, ErrorCode.TOOL_ERROR, f"the tool failed with {kind}")
    if isinstance(outcome.value, ToolResult):
        return settled(outcome.value)
    return ToolResult(value=json_value(outcome.value))


def settled(result: ToolResult) -> ToolResult:
    """A result that is final, whatever a plugin made of it, with a JSON value."""
    update = {"value": json_value(result.value), "pending": None, "handed_back": None}
    return result.model_copy(update=update)


def _failure(
    call: ToolCall, code: ErrorCode, message: str, *, retryable: bool = False
) -> ToolResult:
    failure = CallFailure(
        code=code, message=message, tool=call.tool.id, retryable=retryable, executed=True
    )
    return ToolResult(error=failure)
