"""From the word a model used to one tool of its run, or an answer that helps it on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from toolsearch_hookspecs import ErrorCode, Tool

from ..catalog import Ambiguous
from ..text import clean
from ._state import RunState, fail

SUGGESTIONS = 3
SHOWN = 80
COMPARED_AT_ONCE = 500  # tools; more are compared beside the event loop

ONWARD = {
    "code": "find it with openclaw.tools.search(...) and use the id of a hit",
    "direct": "use one of the tools you were given",
}
ONWARD_OTHERWISE = "find it with tool_search and use the id of a hit"


async def resolved(state: RunState, asked: str) -> Tool:
    """The one tool that `asked` means in the run's catalog, to be called: policy is asked about
    it, with its arguments, on the way.

    Raises CallError: ambiguous (listing the ids), unavailable (it was there, its source is down,
    or the run has ended), unknown (with at most three suggestions from what the run is allowed).
    """
    open_still(state)
    await state.refreshed()
    tool = state.catalog.resolve(asked)
    return tool if isinstance(tool, Tool) else await shown(state, asked)


async def shown(state: RunState, asked: str) -> Tool:
    """The same, to be shown: whatever is said of it, or of others, policy allows now."""
    open_still(state)
    await state.rejudged()
    match state.catalog.resolve(asked):
        case Tool() as tool:
            return tool
        case Ambiguous(ids=ids):
            listed = ", ".join(ids[:8])
            raise fail(
                ErrorCode.AMBIGUOUS_TOOL,
                f"several tools have that name: {listed}. Call one by its id. Not executed.",
            )
        case None:
            raise await _missing(state, asked)


def open_still(state: RunState) -> None:
    """Raise CallError where the run has ended: nothing is found or executed any more."""
    if state.closed:
        raise fail(ErrorCode.UNAVAILABLE, "this run has ended. Not executed.")


async def _missing(state: RunState, asked: str) -> Exception:
    down = state.down_owner(asked)
    if down is not None:
        return fail(
            ErrorCode.UNAVAILABLE,
            f"{down.title} is unavailable: {down.reason}. Not executed; try again later or "
            "go on without it.",
            retryable=True,
        )
    if state.has_departed(asked):
        return fail(
            ErrorCode.UNAVAILABLE,
            "that tool was there earlier in this run and is not available any more. "
            "Not executed; search for another.",
        )
    word = clean(asked[:SHOWN])
    ids = await suggestions(state, asked)
    hint = f" Did you mean {' or '.join(ids)}?" if ids else ""
    onward = ONWARD.get(state.mode, ONWARD_OTHERWISE)
    return fail(
        ErrorCode.UNKNOWN_TOOL,
        f"there is no tool {word!r} in this run.{hint} Not executed; {onward}.",
    )


async def suggestions(state: RunState, asked: str) -> Sequence[str]:
    """At most three ids of allowed tools whose id or name is near (S5.7)."""
    catalog, word = state.catalog, asked[:SHOWN]
    if len(catalog.tools) <= COMPARED_AT_ONCE:
        return catalog.near.nearest(word, SUGGESTIONS)
    return await asyncio.to_thread(lambda: catalog.near.nearest(word, SUGGESTIONS))
