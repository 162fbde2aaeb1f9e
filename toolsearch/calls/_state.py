"""What one run carries through all of its calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
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
from ._record import Recorder


@attrs.frozen
class CallRequest:
    """One call as it was asked for.

    `raw` are the arguments as the model wrote them, `extra` the keys that stood beside `id`.
    `max_bytes` bounds what comes back. `waiting` is told True and False around each wait for a
    person. `hand_over`, where given, is told an interim result when the call must wait for a
    person or for the caller. `resumed` is an approval request of an earlier process, with the
    decision: the call goes on where it stood.
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

    def decision_for(self, digest: str) -> ApprovalDecision | None:
        """The decision that was brought along, where it is about exactly this."""
        if self.resumed is None or self.resumed[0].digest != digest:
            return None
        return self.resumed[1]


@attrs.define(eq=False)
class RunState:
    """The state of one run: who asks, what it may use now, and its guards and counters.

    `refreshed` brings `catalog` and `down` up to date with the sources and with policy;
    `source_of` gives the source that executes a tool.
    `departed` are the ids that the run once had: they answer "unavailable" (S2).
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
    source_of: Callable[[Tool], ToolSource]
    departed: set[str] = attrs.Factory(set)
    closed: bool = False

    def down_owner(self, asked: str) -> SourceDown | None:
        """The source that is down and that an asked id or name points at."""
        word = asked.strip().casefold()
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
