"""What one run carries through all of its calls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

import attrs

from toolsearch_hookspecs import (
    ApprovalDecision,
    ApprovalRequest,
    CallError,
    CallFailure,
    ErrorCode,
    Limits,
    RunContext,
    Tool,
    ToolResult,
    ToolSearchSettings,
    ToolSource,
    Via,
)

from ..catalog import Catalog, SourceDown
from ..results import LoopGuard, ResultStore, Sequencer
from ..text import fold
from ._record import Recorder

DEPARTED_KEPT = 1_000
CALLS_END_WITHIN_S = 1.0  # of a run that closes: its hooks may still be shown the results


@attrs.frozen
class CallRequest:
    """One call as it was asked for.

    `raw` are the arguments as the model wrote them, `extra` the keys that stood beside `id`.
    `max_bytes` bounds what comes back. `waiting` is told True and False around each wait for a
    person. `hand_over`, where given, is told an interim result when the call must wait for a
    person or for the caller. `resumed` is an approval request of an earlier process, with the
    decision: the call goes on where it stood. `enveloped` has the value given as S5.4 has it,
    with the tool that was called.
    """

    name: str
    raw: Any
    via: Via
    call_id: str
    max_bytes: int
    body: str | None = None
    extra: Mapping[str, Any] = attrs.field(factory=dict)
    waiting: Callable[[bool], None] | None = None
    hand_over: Callable[[ToolResult], None] | None = None
    resumed: tuple[ApprovalRequest, ApprovalDecision] | None = None
    enveloped: bool = False

    def decision_for(self, digest: str) -> ApprovalDecision | None:
        """The decision that was brought along, where it is about exactly this."""
        if self.resumed is None or self.resumed[0].digest != digest:
            return None
        return self.resumed[1]


@attrs.define(eq=False)
class RunState:
    """The state of one run: who asks, what it may use now, and its guards and counters.

    `refreshed` brings `catalog` and `down` up to date with the sources; `rejudged` does so before
    something of them is shown, and with policy as it is now. `source_of` gives the source that executes a tool.
    `departed` are the tools that the run once had, by id: they answer "unavailable" (S2).
    `ends_at` (of `time.monotonic`) is the run's own deadline, where it has one.
    `ended` is done when the run closes: what waits or executes then is given up, and nothing is
    executed after.
    """

    context: RunContext
    settings: ToolSearchSettings
    limits: Limits
    catalog: Catalog
    down: tuple[SourceDown, ...]
    mode: str
    recorder: Recorder
    guard: LoopGuard
    sequencer: Sequencer
    results: ResultStore
    refreshed: Callable[[], Awaitable[None]]
    rejudged: Callable[[], Awaitable[None]]
    source_of: Callable[[Tool], ToolSource]
    departed: Mapping[str, Tool] = attrs.Factory(dict)
    ends_at: float | None = None
    ended: asyncio.Future[None] = attrs.Factory(lambda: asyncio.get_running_loop().create_future())

    _open_calls: int = 0
    _no_calls: asyncio.Event = attrs.Factory(asyncio.Event)

    @contextmanager
    def open_call(self) -> Iterator[None]:
        """Around each call of the run, from the first step to the last."""
        self._open_calls += 1
        self._no_calls.clear()
        try:
            yield
        finally:
            self._open_calls -= 1
            if not self._open_calls:
                self._no_calls.set()

    async def calls_ended(self) -> None:
        """Wait until the calls that were open when the run was closed have ended."""
        if self._open_calls:
            with suppress(TimeoutError):
                async with asyncio.timeout(CALLS_END_WITHIN_S):
                    await self._no_calls.wait()

    @property
    def closed(self) -> bool:
        return self.ended.done()

    def time_left_ms(self, wanted_ms: int) -> int:
        """What a call may take: what its tool may, or what is left of the run's time.

        Raises CallError when nothing is left.
        """
        if self.ends_at is None:
            return wanted_ms
        left_ms = int((self.ends_at - monotonic()) * 1000)
        if left_ms <= 0:
            raise fail(ErrorCode.TIMEOUT, "the time of this run is over. Not executed.")
        return min(wanted_ms, left_ms)

    def close(self) -> None:
        if not self.closed:
            self.ended.set_result(None)

    def follow(self, catalog: Catalog, down: tuple[SourceDown, ...]) -> None:
        """Go on with another catalog, and remember what is not there any more."""
        self.down = down
        if catalog is self.catalog:
            return
        present = catalog.by_id
        gone = {tool.id: tool for tool in self.catalog.tools if tool.id not in present}
        before = {tool_id: tool for tool_id, tool in self.departed.items() if tool_id not in gone}
        kept = [*before.items(), *gone.items()][-DEPARTED_KEPT:]
        self.departed = {tool_id: tool for tool_id, tool in kept if tool_id not in present}
        self.catalog = catalog

    def has_departed(self, asked: str) -> bool:
        """Whether an id or a name means a tool that the run once had."""
        word = fold(asked.strip().removeprefix("functions."))
        return any(word in {fold(tool.id), fold(tool.name)} for tool in self.departed.values())

    def down_owner(self, asked: str) -> SourceDown | None:
        """The source that is down and that an asked id or name points at."""
        word = asked.strip().removeprefix("functions.").casefold()
        for source in self.down:
            owner, kind = source.provenance.owner, source.provenance.kind
            if word.startswith((f"{kind}:{owner}:", f"{owner}:", f"{owner}.", f"{owner}__")):
                return source
        return None


def fail(
    code: ErrorCode,
    message: str,
    *,
    tool: str | None = None,
    by: str | None = None,
    retryable: bool = False,
    executed: bool = False,
) -> CallError:
    """The error of one failed call, to raise."""
    return CallError(
        CallFailure(
            code=code, message=message, tool=tool, by=by, retryable=retryable, executed=executed
        )
    )
