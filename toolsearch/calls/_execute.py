"""Execution: once, within its deadline, by the tool's own source unless a plugin takes it over."""

from __future__ import annotations

import asyncio
from functools import partial

from toolsearch_hookspecs import (
    CallFailure,
    ErrorCode,
    SourceUnavailable,
    ToolCall,
    ToolError,
    ToolResult,
    ToolSource,
)

from ..isolation import Outcome, contained
from ..plugins import HookCalls
from ..results import json_value

GRACE_S = 0.25  # what a cancelled tool may take to clean up before it is left behind


async def executed(
    hooks: HookCalls, source: ToolSource, call: ToolCall, timeout_ms: int
) -> ToolResult:
    """Execute one call. Never raises for what the tool does; cancellation reaches the tool."""
    default = partial(_ask_source, source)
    work = asyncio.ensure_future(contained(lambda: hooks.execute(call, default)))
    try:
        done, _ = await asyncio.wait({work}, timeout=timeout_ms / 1000)
    except asyncio.CancelledError:
        await _stop(work)
        raise
    if not done:
        await _stop(work)
        return _failure(
            call,
            ErrorCode.TIMEOUT,
            f"the tool did not finish within {timeout_ms} ms and was cancelled; "
            "side effects may have happened",
        )
    return _result(call, work.result())


async def _ask_source(source: ToolSource, call: ToolCall) -> ToolResult:
    return _result(call, await contained(lambda: source.call(call)))


def _result(call: ToolCall, outcome: Outcome) -> ToolResult:
    match outcome.failure:
        case None:
            pass
        case ToolError() as failed:
            return _failure(call, ErrorCode.TOOL_ERROR, str(failed), retryable=failed.retryable)
        case SourceUnavailable() as down:
            failure = CallFailure(
                code=ErrorCode.UNAVAILABLE,
                message=f"{down}. Not executed",
                tool=call.tool.id,
                retryable=True,
            )
            return ToolResult(error=failure)
        case asyncio.CancelledError():
            return _failure(call, ErrorCode.CANCELLED, "the tool was cancelled by its source")
        case other:
            return _failure(
                call, ErrorCode.TOOL_ERROR, f"the tool failed with {type(other).__name__}"
            )
    if isinstance(outcome.value, ToolResult):
        return outcome.value.model_copy(update={"value": json_value(outcome.value.value)})
    return ToolResult(value=json_value(outcome.value))


def _failure(
    call: ToolCall, code: ErrorCode, message: str, *, retryable: bool = False
) -> ToolResult:
    failure = CallFailure(
        code=code, message=message, tool=call.tool.id, retryable=retryable, executed=True
    )
    return ToolResult(error=failure)


async def _stop(work: asyncio.Task[Outcome]) -> None:
    work.cancel()
    await asyncio.wait({work}, timeout=GRACE_S)
