"""The code runner of one run, whose bodies are counted and told."""

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
    EventType,
)

from ..calls import Recorder, milliseconds_since
from ._bridge import BodyBridge

Lost = Literal["cancelled", "crashed"]


class RecordedRunner:
    """Runs bodies as `runner` does, and tells how each ended and what it did over its bridge."""

    def __init__(self, runner: CodeRunner, recorder: Recorder) -> None:
        self.name = runner.name
        self.runner = runner
        self.recorder = recorder

    async def probe(self) -> Attestation:
        return await self.runner.probe()

    async def run(self, code: str, bridge: Bridge, limits: CodeLimits) -> CodeOutcome:
        began = monotonic()
        ended: CodeOutcome | Lost = "crashed"
        try:
            ended = await self.runner.run(code, bridge, limits)
        except asyncio.CancelledError:
            ended = "cancelled"
            raise
        finally:
            self._tell(code, bridge, ended, milliseconds_since(began))
        return ended

    async def aclose(self) -> None:
        """The host closes its runner itself."""

    def _tell(self, code: str, bridge: Bridge, ended: CodeOutcome | Lost, ms: float) -> None:
        self.recorder.counters.code_runs += 1
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
        self.recorder.tell(EventType.CODE_ENDED, data, {"code": code})
