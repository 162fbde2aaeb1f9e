"""Puts one run together: catalog, mode, surface, state (S3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from toolsearch_hookspecs import (
    ApprovalSettings,
    Diagnostic,
    EventType,
    Limits,
    ModelSurface,
    PlannedCatalog,
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
from ._live import LiveCatalog
from ._modes import ChosenMode, Modes
from ._planner import Planned, Planner
from ._run import Run
from ._schemas import LikelyTools, required_tools
from ._search import Search
from ._surface import DIRECT, PlannedSurface, composed, direct_bytes, refuse_conflicts


@attrs.frozen
class RunRequest:
    """What `plan` was asked for, beside who asks."""

    client: ClientSource | None = None
    message: str | None = None
    required: Sequence[str] = ()
    context_chars: int | None = None
    hands_over: bool = False


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
    _direct: dict[str, int] = attrs.Factory(dict)

    async def run(
        self, context: RunContext, settings: ToolSearchSettings, request: RunRequest
    ) -> Run:
        """Plan one run. Raises ConfigError for what cannot be planned as asked."""
        client = request.client
        part = None if client is None else client.part()
        planned = await self.planner.plan(context, part)
        catalog = planned.catalog
        mode = await self.modes.chosen(settings, context, catalog)
        visible = _visible(catalog, mode)
        if client is not None:
            _refuse_client_conflicts(catalog, visible, mode)
        surface, said = await self._surface(catalog, visible, mode, context, settings, request)
        recorder = Recorder(context, self.hooks.emit)
        live = LiveCatalog(self.planner, context, planned, part)
        state = RunState(
            context=context,
            settings=settings,
            limits=self.limits,
            catalog=catalog,
            down=planned.down,
            mode=mode.name,
            recorder=recorder,
            guard=LoopGuard(self.limits.loop_guard),
            sequencer=Sequencer(self.limits.max_parallel_calls),
            results=ResultStore(),
            refreshed=_later,
            source_of=self._source_of(client),
        )
        live.follow(state)
        _tell(recorder, planned, surface, mode, settings)
        await self.hooks.catalog_built(context, catalog.tools)
        return Run(
            state=state,
            path=self.path,
            search=Search(state, self.indexing, self.hooks),
            surface=surface,
            renderer=mode.renderer,
            runner=self.modes.runner,
            max_wait_ms=self.approvals.max_wait_ms,
            surfaces=self.surfaces,
            client=client,
            hands_over=request.hands_over,
            native_search=definitions(catalog, settings)[SEARCH]
            if mode.searched_by_provider
            else None,
            diagnostics=(*planned.diagnostics, *mode.diagnostics, *said, *live.diagnostics()),
        )

    async def _surface(
        self,
        catalog: Catalog,
        visible: Sequence[Tool],
        mode: ChosenMode,
        context: RunContext,
        settings: ToolSearchSettings,
        request: RunRequest,
    ) -> tuple[PlannedSurface, Sequence[Diagnostic]]:
        direct = self._direct_bytes(catalog)
        renderer = mode.renderer
        required = required_tools(catalog, request.required)
        if renderer is None:
            return composed(ModelSurface(), (), visible, direct), ()
        likely: tuple[Tool, ...] = ()
        said = None
        if getattr(renderer, "shows_schemas", False):
            likely, said = await self.likely.of(
                catalog, context, settings.likely_schemas, request.message
            )
        shown = {tool.id for tool in visible}
        drawn = PlannedCatalog.model_construct(
            context=context,
            settings=settings,
            tools=tuple(tool for tool in catalog.compacted if tool.id not in shown),
            visible=tuple(visible),
            controls=definitions(catalog, settings),
            context_chars=request.context_chars,
            message=request.message,
            required=tuple(tool for tool in required if tool.id not in shown),
            likely=tuple(tool for tool in likely if tool.id not in shown),
        )
        surface = composed(renderer.render(drawn), renderer.controls, visible, direct)
        return surface, () if said is None else (said,)

    def _direct_bytes(self, catalog: Catalog) -> int:
        known = self._direct.get(catalog.fingerprint)
        if known is None:
            while len(self._direct) >= 64:
                del self._direct[next(iter(self._direct))]
            known = self._direct[catalog.fingerprint] = direct_bytes(catalog)
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


def _visible(catalog: Catalog, mode: ChosenMode) -> tuple[Tool, ...]:
    if mode.renderer is None:
        return catalog.tools
    if not getattr(mode.renderer, "shows_client_tools", False):
        return catalog.visible
    client = tuple(tool for tool in catalog.compacted if tool.source == "client")
    return tuple(sorted((*catalog.visible, *client), key=lambda tool: tool.id))


async def _later() -> None:
    """Stands in until the live catalog follows the state."""


def _refuse_client_conflicts(catalog: Catalog, visible: Sequence[Tool], mode: ChosenMode) -> None:
    """In a mode that shows client tools, their names must be free among all tools of the run."""
    client = [tool for tool in catalog.tools if tool.source == "client"]
    if mode.renderer is not None:
        all_names = getattr(mode.renderer, "shows_client_tools", False)
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
