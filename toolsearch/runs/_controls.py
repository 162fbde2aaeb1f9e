"""Answers the control tools of a run: `tool_search`, `tool_describe`, `tool_call`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolsearch_hookspecs import ErrorCode, ToolResult

from ..arguments import ArgumentProblem, read_control_call
from ..calls import fail
from ..results import bound
from ._control import CALL, DESCRIBE, SEARCH
from ._search import Search
from ._structured import as_mapping, search_answer

if TYPE_CHECKING:
    from ._run import Run


async def control_answer(
    run: Run, search: Search, name: str, arguments: Any, call_id: str
) -> ToolResult:
    """What a call of a control tool gives. Raises CallError."""
    limits, results = run.state.limits, run.state.results
    match name:
        case _ if name == SEARCH:
            answer = await search_answer(
                search, arguments, call_id, limits.max_result_bytes, limits.max_queries
            )
            return ToolResult(value=answer)
        case _ if name == DESCRIBE:
            asked = as_mapping(arguments).get("id")
            if not isinstance(asked, str):
                raise fail(ErrorCode.INVALID_ARGUMENTS, "give `id`, the id of a hit.")
            described = ToolResult(value=await search.describe(asked, call_id))
            return bound(described, limits.max_result_bytes, results)
        case _ if name == CALL:
            return await _tool_call(run, arguments, call_id)
    raise fail(ErrorCode.UNKNOWN_TOOL, f"{name!r} is no control tool of this run.")


async def _tool_call(run: Run, arguments: Any, call_id: str) -> ToolResult:
    try:
        asked, raw, extra = read_control_call(arguments)
    except ArgumentProblem as problem:
        raise fail(ErrorCode.INVALID_ARGUMENTS, str(problem)) from problem
    return await run.walk(asked, raw, via="tool_call", call_id=call_id, extra=extra, enveloped=True)
