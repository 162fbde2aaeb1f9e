"""Puts one run together: catalog, mode, surface, state (S3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from time import monotonic
from typing import Any

import attrs

from toolsearch_hookspecs import (
    ApprovalSettings,
    Diagnostic,
    EventType,
    Limits,
    RunContext,
    Tool,
    ToolSearchSettings,
    ToolSource,
)

from ..calls import CallPath, Recorder, RunState
from ..catalog import Catalog, Indexing, Inventory
from ..plugins import HookCalls
from ..results import LoopGuard, ResultStore, Sequencer
from ..surfaces import Surfaces
from ._client import ClientSource
from ._control import SEARCH, definitions
from ._cost import Cost, Costs
from ._descriptors import Descriptors
from ._drawing import drawn, visible_in
from ._live import LiveCatalog
from ._modes import ChosenMode, Modes
from ._planner import Planned, Planner
from ._run import Run
from ._schemas import LikelyTools, required_tools
from ._search import Search
from ._shown import Drawing
from ._surface import DIRECT, PlannedSurface, direct_bytes, refuse_conflicts


@attrs.frozen
class RunRequest:
    """What `plan` was asked for, beside who asks."""

    client: ClientSource | None = None
    message: str | None = None
    required: Sequence[str] = ()
    context_chars: int | None = None
    hands_over: bool = False
    timeout_ms: int | None = None


@attrs.frozen
class Assembly:
    """The parts of one host that every run is made of."""

    planner: Planner
    inventory: Inventory
    indexing: Indexing
    modes: Modes
    hooks: HookCalls
    path: CallPath
    limits: Limits
    approvals: ApprovalSettings
    likely: LikelyTools
    surfaces: Surfaces
    costs: Costs
    descriptors: Descriptors = attrs.Factory(Descriptors)
    _direct: dict[str, int] = attrs.Factory(dict)

    async def run(
        self, context: RunContext, settings: ToolSearchSettings, request: RunRequest
    ) -> Run:
        """Plan one run. Raises ConfigError for what cannot be planned as asked."""
        client = request.client
        part = None if client is None else client.part()
        planned = await self.planner.plan(context, part)
        live = LiveCatalog(self.planner, context, planned, part)
        drawing = await self._drawing(live, context, settings, request)
        if client is not None:
            _refuse_client_conflicts(planned.catalog, drawing.mode)
        recorder = Recorder(context, self.hooks.emit)
        state = RunState(
            context=context,
            settings=settings,
            limits=self.limits,
            catalog=planned.catalog,
            down=planned.down,
            mode=drawing.mode.name,
            recorder=recorder,
            guard=LoopGuard(self.limits.loop_guard),
            sequencer=Sequencer(self.limits.max_parallel_calls),
            results=ResultStore(),
            refreshed=_later,
            rejudged=_later,
            source_of=self._source_of(client),
            ends_at=_end(request.timeout_ms),
        )
        live.follow(state)
        _tell(recorder, planned, drawing.surface, drawing.mode, settings)
        await self.hooks.catalog_built(context, planned.catalog.tools)
        return Run(
            state=state,
            path=self.path,
            search=Search(state, self.indexing, self.hooks, self.descriptors),
            drawing=drawing,
            redrawn=lambda: self._drawing(live, context, settings, _still_there(live, request)),
            runner=self.modes.runner,
            max_wait_ms=self.approvals.max_wait_ms,
            surfaces=self.surfaces,
            client=client,
            hands_over=request.hands_over,
        )

    async def _drawing(
        self,
        live: LiveCatalog,
        context: RunContext,
        settings: ToolSearchSettings,
        request: RunRequest,
    ) -> Drawing:
        planned = live.planned
        catalog = planned.catalog
        cost = self._costing(catalog, context, settings, request)
        mode = await self.modes.chosen(settings, context, cost)
        surface, said = await self._surface(catalog, mode, context, settings, request)
        searches = definitions(catalog, settings)[SEARCH] if mode.searched_by_provider else None
        diagnostics = (*planned.diagnostics, *mode.diagnostics, *said, *surface.said)
        diagnostics += tuple(live.diagnostics())
        return Drawing(catalog, mode, surface, cost, diagnostics, searches)

    async def _surface(
        self,
        catalog: Catalog,
        mode: ChosenMode,
        context: RunContext,
        settings: ToolSearchSettings,
        request: RunRequest,
    ) -> tuple[PlannedSurface, Sequence[Diagnostic]]:
        renderer = mode.renderer
        likely: tuple[Tool, ...] = ()
        said = None
        required = required_tools(catalog, request.required)
        if getattr(renderer, "shows_schemas", False):
            likely, said = await self.likely.of(
                catalog, context, settings.likely_schemas, request.message
            )
        surface = drawn(
            catalog,
            renderer,
            context,
            settings,
            direct_bytes=await self._direct_bytes(catalog),
            directory=self.modes.directory(settings),
            context_chars=request.context_chars,
            message=request.message,
            required=required,
            likely=likely,
        )
        return surface, () if said is None else (said,)

    def _costing(
        self,
        catalog: Catalog,
        context: RunContext,
        settings: ToolSearchSettings,
        request: RunRequest,
    ) -> Callable[[], Awaitable[Cost]]:
        async def cost() -> Cost:
            lacking = await self.modes.lacking()
            return self.costs.of(
                catalog,
                context,
                settings,
                direct_bytes=await self._direct_bytes(catalog),
                directory=self.modes.directory(settings),
                context_chars=request.context_chars,
                no_runner=None if lacking is None else lacking.message,
            )

        return cost

    async def _direct_bytes(self, catalog: Catalog) -> int:
        known = self._direct.get(catalog.fingerprint)
        if known is None:
            known = await direct_bytes(catalog)
            while len(self._direct) >= 64:
                del self._direct[next(iter(self._direct))]
            self._direct[catalog.fingerprint] = known
        return known

    def _source_of(self, client: ClientSource | None) -> Callable[[Tool], ToolSource]:
        def source_of(tool: Tool) -> ToolSource:
            if tool.source == "client" and client is not None:
                return client
            entry = self.inventory.of(tool.source, tool.owner)
            if entry is None:
                message = f"no source owns {tool.id}"
                raise LookupError(message)
            return entry.source

        return source_of


def _still_there(live: LiveCatalog, request: RunRequest) -> RunRequest:
    """What was asked for, without the required tools that a run had and has no more."""
    catalog = live.planned.catalog
    left = [name for name in request.required if isinstance(catalog.resolve(name), Tool)]
    return attrs.evolve(request, required=left)


def _end(timeout_ms: int | None) -> float | None:
    return None if timeout_ms is None else monotonic() + timeout_ms / 1000


async def _later() -> None:
    """Stands in until the live catalog follows the state."""


def _refuse_client_conflicts(catalog: Catalog, mode: ChosenMode) -> None:
    """In a mode that shows client tools, their names must be free among all tools of the run."""
    client = [tool for tool in catalog.tools if tool.source == "client"]
    if mode.renderer is not None:
        all_names = getattr(mode.renderer, "shows_client_tools", False)
        visible = visible_in(catalog, mode.renderer)
        refuse_conflicts(client, visible, catalog.compacted if all_names else ())


def _tell(
    recorder: Recorder,
    planned: Planned,
    surface: PlannedSurface,
    mode: ChosenMode,
    settings: ToolSearchSettings,
) -> None:
    data: Mapping[str, Any] = {
        "mode": mode.name,
        "requestedMode": settings.mode if settings.enabled else DIRECT,
        "surfaceBytes": surface.tool_bytes,
        "promptBytes": surface.prompt_bytes,
        "directBytes": surface.direct_bytes,
        "visibleTools": len(surface.model.tools),
        "catalog": planned.catalog.by_source,
        "catalogSize": len(planned.catalog.tools),
        "fallback": next((said.code for said in mode.diagnostics), None),
        "harness": recorder.context.harness,
    }
    recorder.tell(EventType.RUN_PLANNED, data)
    for down in planned.snapshot.down:
        where = down.provenance
        recorder.tell(
            EventType.SOURCE_FAILED,
            {"source": where.kind, "owner": where.owner, "reason": down.reason},
        )
    for part in planned.parts:
        where = part.provenance
        for left_out in part.quarantined:
            recorder.tell(
                EventType.TOOL_QUARANTINED,
                {
                    "source": where.kind,
                    "owner": where.owner,
                    "name": left_out.name[:80],
                    "reason": left_out.reason,
                },
            )
