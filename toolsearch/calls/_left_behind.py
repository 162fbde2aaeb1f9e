"""Tools that did not end when they were cancelled: few at a time, said, and waited for at the end."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence

import attrs

from toolsearch_hookspecs import CallError, Diagnostic, ErrorCode, Tool, ToolCall

from ..catalog import noun
from ..isolation import Outcome
from ._state import fail

log = logging.getLogger(__name__)

GRACE_S = 0.25  # what a cancelled tool may take to clean up before it is left behind
LAST_WAIT_S = 2.0  # for those left behind, when the host closes
MOST = 8  # that may run on of one source


@attrs.define(eq=False)
class LeftBehind:
    """The calls of one host that were given up and run on all the same."""

    _running: dict[asyncio.Task[Outcome], ToolCall] = attrs.Factory(dict)
    _ever: Counter[str] = attrs.Factory(Counter)

    async def stopped(self, work: asyncio.Task[Outcome], call: ToolCall) -> bool:
        """Cancel the work of a tool and wait a moment; False where it runs on."""
        work.cancel()
        try:
            await asyncio.wait({work}, timeout=GRACE_S)
        finally:
            if not work.done():
                self._keep(work, call)
        return work.done()

    def refuse(self, call: ToolCall) -> None:
        """Raise CallError where too much of a tool's source runs on already, or a sequential tool
        of the run that sequential ones must not run beside.
        """
        tool, running = call.tool, self._running.values()
        if tool.sequential:
            for other in running:
                if other.tool.sequential and other.run.run_id == call.run.run_id:
                    raise _refused(tool, f"{other.tool.id} was cancelled and still runs")
        count = sum(_source(other.tool) == _source(tool) for other in running)
        if count >= MOST:
            whose = f"{noun(tool.source)} {tool.owner}"
            raise _refused(tool, f"{count} calls to {whose} were cancelled and still run")

    @property
    def diagnostics(self) -> Sequence[Diagnostic]:
        """One a tool that was ever left behind."""
        running = Counter(call.tool.id for call in self._running.values())
        return [
            Diagnostic(
                level="warning",
                code="tool_left_running",
                message=f"{tool_id} did not end when it was cancelled, {count} "
                f"{'time' if count == 1 else 'times'}; {running[tool_id]} still run",
                subject=tool_id,
                cure="let the tool end when it is cancelled, or give it a deadline of its own",
            )
            for tool_id, count in sorted(self._ever.items())
        ]

    async def aclose(self) -> None:
        """Wait a while for what still runs, and say what is left then."""
        if not self._running:
            return
        for work in list(self._running):
            work.cancel()
        await asyncio.wait(set(self._running), timeout=LAST_WAIT_S)
        for call in self._running.values():
            log.warning("tool %s still runs when its host is closed", call.tool.id)

    def _keep(self, work: asyncio.Task[Outcome], call: ToolCall) -> None:
        self._running[work] = call
        self._ever[call.tool.id] += 1
        work.add_done_callback(self._ended)
        log.warning("tool %s was cancelled and runs on (call %s)", call.tool.id, call.id)

    def _ended(self, work: asyncio.Task[Outcome]) -> None:
        self._running.pop(work, None)
        if not work.cancelled():
            work.exception()


def _source(tool: Tool) -> tuple[str, str]:
    return tool.source, tool.owner


def _refused(tool: Tool, why: str) -> CallError:
    return fail(
        ErrorCode.UNAVAILABLE,
        f"{why}. Not executed; try again later or go on without it.",
        tool=tool.id,
        retryable=True,
    )
