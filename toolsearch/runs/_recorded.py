"""The code runner of one run, whose bodies are counted and told, and end with the run."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Any, Literal

from toolsearch_hookspecs import (
    Attestation,
    Bridge,
    CodeLimits,
    CodeOutcome,
    CodeRunner,
    ErrorCode,
    EventType,
)

from ..calls import RunState, fail, milliseconds_since
from ._bridge import BodyBridge

KILL_WITHIN_S = 5.0  # what a runner may take to end a body that was given up

Lost = Literal["cancelled", "crashed"]


class RecordedRunner:
    """Runs bodies as `runner` does, and tells how each ended and what it did over its bridge."""

    def __init__(self, runner: CodeRunner, state: RunState) -> None:
        self.name = runner.name
        self.runner = runner
        self.state = state

    async def probe(self) -> Attestation:
        return await self.runner.probe()

    async def run(self, code: str, bridge: Bridge, limits: CodeLimits) -> CodeOutcome:
        began = monotonic()
        ended: CodeOutcome | Lost = "crashed"
        try:
            outcome = await self._outcome(code, bridge, limits)
            ended = outcome or "cancelled"
        except asyncio.CancelledError:
            ended = "cancelled"
            raise
        finally:
            self._tell(code, bridge, ended, milliseconds_since(began))
        if outcome is None:
            message = "the run was closed while the code ran; what it had begun was cancelled."
            raise fail(ErrorCode.CANCELLED, message, executed=True)
        return outcome

    async def aclose(self) -> None:
        """The host closes its runner itself."""

    async def _outcome(self, code: str, bridge: Bridge, limits: CodeLimits) -> CodeOutcome | None:
        """The outcome of a body; None where the run is closed before it has ended."""
        body = asyncio.ensure_future(self.runner.run(code, bridge, limits))
        try:
            waiting: set[asyncio.Future[Any]] = {body, self.state.ended}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            given_up = not body.done()
            if given_up:
                body.cancel()
                await asyncio.wait({body}, timeout=KILL_WITHIN_S)
        return None if given_up else body.result()

    def _tell(self, code: str, bridge: Bridge, ended: CodeOutcome | Lost, ms: float) -> None:
        self.state.recorder.counters.code_runs += 1
        data: dict[str, Any] = {"codeBytes": len(code.encode("utf-8", "replace")), "ms": ms}
        if isinstance(ended, CodeOutcome):
            lines = len(ended.logs)
            data |= {"outcome": ended.outcome, "ok": ended.ok, "logLines": lines}
        else:
            data |= {"outcome": ended, "ok": False}
        if isinstance(bridge, BodyBridge):
            made = bridge.made
            data |= {
                "call": bridge.body,
                "bridgeCalls": made.total(),
                "searches": made["search"],
                "describes": made["describe"],
                "calls": made["call"],
            }
        self.state.recorder.tell(EventType.CODE_ENDED, data, {"code": code})


def code_limits(state: RunState, max_wait_ms: int) -> CodeLimits:
    """What one body of a run may take."""
    limits = state.limits
    return CodeLimits(
        timeout_ms=state.settings.code_timeout_ms,
        max_wait_ms=max_wait_ms,
        max_script_bytes=limits.max_script_bytes,
        max_bridge_calls=limits.max_bridge_calls,
        max_parallel_calls=limits.max_parallel_calls,
        max_value_bytes=limits.max_value_bytes,
        max_body_value_bytes=limits.max_body_value_bytes,
        max_log_bytes=limits.max_log_bytes,
        memory_mb=limits.child_memory_mb,
    )
