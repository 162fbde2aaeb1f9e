"""Keeps a run's catalog in step with its sources while the run lives (S2, catalog)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from toolsearch_hookspecs import Diagnostic, EventType, RunContext

from ..calls import RunState
from ..catalog import Snapshot, SourceEntry, SourcePart
from ._planner import Planned, Planner


class LiveCatalog:
    """Follows the sources of one run: arrivals pass policy first, departures are remembered, and
    the surface stays as it is until the run is told to refresh it.

    A source that said it changed is asked before the run's next step. One that was down is asked
    again in the background, so that a step never waits for it. Policies that keep to no answer
    are asked again before anything is shown.
    """

    def __init__(
        self, planner: Planner, context: RunContext, planned: Planned, client: SourcePart | None
    ) -> None:
        self._planner = planner
        self._context = context
        self._planned = planned
        self._client = client
        self._state: RunState | None = None
        self._lock = asyncio.Lock()
        self._retry: asyncio.Task[None] | None = None

    def follow(self, state: RunState) -> None:
        """Have the state refreshed from here on."""
        self._state = state
        state.refreshed, state.rejudged = self.refreshed, self.rejudged

    async def refreshed(self) -> None:
        """Bring the state up to date where a source changed, or policy was caught changing."""
        if self._planner.out_of_date(self._planned):
            async with self._lock:
                if self._planner.out_of_date(self._planned):
                    await self._replan()
        self._retry_due()

    async def rejudged(self) -> None:
        """The same, before tools are shown: a policy that may answer otherwise by now, since it
        gave no cache key, is asked again about all of them (S8).
        """
        if self._planned.settled:
            await self.refreshed()
            return
        async with self._lock:
            await self._replan()
        self._retry_due()

    @property
    def planned(self) -> Planned:
        """The latest that sources and policies said."""
        return self._planned

    def diagnostics(self) -> list[Diagnostic]:
        """What a person should know of the sources."""
        said = [
            Diagnostic(
                level="warning",
                code="source_unavailable",
                message=f"{down.title} is unavailable: {down.detail or down.reason}",
                subject=down.provenance.owner,
            )
            for down in self._planned.snapshot.down
        ]
        said += [
            Diagnostic(
                level="info",  # the server's business; a warning at each run would change nothing
                code="tool_quarantined",
                message=f"{part.provenance.owner}: tool {left_out.name[:80]!r} is left out: "
                f"{left_out.reason}",
                subject=part.provenance.owner,
            )
            for part in self._planned.parts
            for left_out in part.quarantined
        ]
        return said

    def _retry_due(self) -> None:
        due = self._planned.snapshot.due()
        if due and (self._retry is None or self._retry.done()):
            self._retry = asyncio.ensure_future(self._retried(due))

    async def _retried(self, entries: Sequence[SourceEntry]) -> None:
        later = await self._planner.asked(self._context, self._planned.snapshot, entries)
        async with self._lock:
            await self._judge(self._planned.snapshot.renewed(later, entries))

    async def _replan(self) -> None:
        snapshot = self._planned.snapshot
        if changed := snapshot.changed():
            snapshot = await self._planner.asked(self._context, snapshot, changed)
        await self._judge(snapshot)

    async def _judge(self, snapshot: Snapshot) -> None:
        state = self._state
        if state is None or state.closed:
            return
        planned = await self._planner.judged(self._context, snapshot, self._client)
        before, after = state.catalog, planned.catalog
        self._planned = planned
        state.follow(after, planned.down)
        if before.fingerprint == after.fingerprint:
            return
        gone = before.by_id.keys() - after.by_id.keys()
        came = after.by_id.keys() - before.by_id.keys()
        state.recorder.tell(
            EventType.CATALOG_CHANGED,
            {"added": len(came), "removed": len(gone), "catalogSize": len(after.tools)},
        )
