"""Reading on in a result that was cut: answered by the run itself, and told like its other steps."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any

from toolsearch_hookspecs import CallError, ErrorCode, EventType, ToolResult

from ..arguments import ArgumentProblem, repair
from ..calls import CallRequest, RunState, enveloped, fail, milliseconds_since
from ..results import READ_RESULT

NAME = READ_RESULT.rpartition(":")[2]
INPUT: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "handle": {"type": "string"},
        "offset": {"type": "integer", "minimum": 0},
        "length": {"type": "integer", "minimum": 1},
    },
    "required": ["handle"],
}


def asks_to_read(name: str) -> bool:
    """Whether a called name means reading on, in any of the spellings of S5.4."""
    return name.strip().removeprefix("functions.").casefold() == READ_RESULT


def read_on(state: RunState, request: CallRequest) -> ToolResult:
    """A piece of a kept result. Never raises for what the model sent."""
    began = monotonic()
    try:
        result = state.results.answer(_asked(request), request.max_bytes)
    except CallError as error:
        result = ToolResult(error=error.failure)
    _tell(state, request, result, milliseconds_since(began))
    if not request.enveloped:
        return result
    return enveloped({"id": READ_RESULT, "name": NAME, "source": "openclaw"}, result)


def _asked(request: CallRequest) -> Mapping[str, Any]:
    try:
        return repair(INPUT, request.raw, extra=request.extra, called=(READ_RESULT, NAME)).arguments
    except ArgumentProblem as problem:
        raise fail(ErrorCode.INVALID_ARGUMENTS, str(problem), tool=READ_RESULT) from problem


def _tell(state: RunState, request: CallRequest, result: ToolResult, ms: float) -> None:
    counters = state.recorder.counters
    counters.reads += 1
    counters.errors += result.is_error
    data = {
        "call": request.call_id,
        "via": request.via,
        "body": request.body,
        "ok": not result.is_error,
        "code": result.error.code.value if result.error else None,
        "chars": 0 if result.value is None else len(result.value),
        "ms": ms,
    }
    state.recorder.tell(EventType.RESULT_READ, data, {"result": result.value})
