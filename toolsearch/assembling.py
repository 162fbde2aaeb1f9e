"""From loaded plugins to the parts of a running host: sources, stages, the call path."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar
from weakref import WeakSet

import attrs

from toolsearch_hookspecs import (
    CodeRunner,
    ConfigError,
    Diagnostic,
    ModeRenderer,
    SearchIndex,
    ToolSource,
)

from .calls import Approvals, CallPath, Execution, Seals
from .catalog import Indexing, Inventory
from .config import HostConfig
from .isolation import contained
from .plugins import PluginHost, Yielded
from .runs import Assembly, Costs, LikelyTools, Modes, Planner, Run
from .schemas import Validators
from .source_entries import source_entries
from .surfaces import Surfaces

S = TypeVar("S", SearchIndex, CodeRunner)


@attrs.define(eq=False)
class Parts:
    """What a started host is made of."""

    assembly: Assembly
    approvals: Approvals
    found: tuple[Diagnostic, ...]
    runs: WeakSet[Run] = attrs.Factory(WeakSet)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was found at the start, and what came up since."""
        path = self.assembly.path
        return (*self.found, *path.execution.left.diagnostics, *path.validators.diagnostics)

    async def aclose(self) -> None:
        """End the runs, then close sources, runner and index; one failure stops none of them."""
        await asyncio.gather(*(run.aclose() for run in list(self.runs)))
        await self.assembly.inventory.aclose()
        await self.assembly.path.execution.left.aclose()
        runner = self.assembly.modes.runner
        if runner is not None:
            await contained(runner.aclose)
        await contained(self.assembly.indexing.aclose)


async def assembled(
    config: HostConfig,
    plugins: PluginHost,
    own_sources: Sequence[ToolSource],
    only: tuple[str, str] | None = None,
) -> Parts:
    """Start the sources, or the one that is named by kind and owner, and put the stages together.

    Raises ConfigError for a stage that was chosen and is not there.
    """
    hooks = plugins.hooks
    index = _stage("index", config.stages.index, hooks.search_indexes(), plugins)
    runner, diagnostics = _runner(config, plugins)
    modes = Modes(
        _renderers(config, hooks.mode_renderers()),
        runner,
        "" if runner else diagnostics[0].message,
    )
    entries, unfit = source_entries(own_sources, hooks.tool_sources())
    if only is not None:
        entries = [
            each for each in entries if (each.provenance.kind, each.provenance.owner) == only
        ]
    inventory = Inventory(entries, config.limits.source_timeout_ms / 1000)
    unstarted = await inventory.start()
    indexing = Indexing(index)
    surfaces = Surfaces(item.value for item in hooks.surfaces())
    approvals = Approvals(hooks, config.approvals, Seals(config.state_dir))
    assembly = Assembly(
        planner=Planner(hooks, inventory, config.always_visible),
        inventory=inventory,
        indexing=indexing,
        modes=modes,
        hooks=hooks,
        path=CallPath(hooks, config.limits, approvals, Validators(config.limits), Execution(hooks)),
        limits=config.limits,
        approvals=config.approvals,
        likely=LikelyTools(indexing),
        surfaces=surfaces,
        costs=Costs(modes.renderers, surfaces),
    )
    return Parts(assembly, approvals, (*diagnostics, *unfit, *unstarted))


def _renderers(
    config: HostConfig, yielded: Iterable[Yielded[ModeRenderer]]
) -> Mapping[str, ModeRenderer]:
    by_mode: dict[str, list[Yielded[ModeRenderer]]] = {}
    for item in yielded:
        by_mode.setdefault(item.value.mode, []).append(item)
    chosen: dict[str, ModeRenderer] = {}
    for mode, items in by_mode.items():
        wanted = config.stages.modes.get(mode, f"mode-{mode}")
        named = [item for item in items if wanted in {item.plugin, item.value.name}]
        if named:
            chosen[mode] = named[0].value
        elif len(items) == 1 and mode not in config.stages.modes:
            chosen[mode] = items[0].value
    return chosen


def _runner(config: HostConfig, plugins: PluginHost) -> tuple[CodeRunner | None, list[Diagnostic]]:
    wanted = config.stages.runner
    try:
        return _stage("runner", wanted, plugins.hooks.code_runners(), plugins), []
    except ConfigError as missing:
        said = Diagnostic(level="warning", code="no_runner", message=str(missing), subject=wanted)
        return None, [said]


def _stage(stage: str, wanted: str, yielded: Sequence[Yielded[S]], plugins: PluginHost) -> S:
    for item in yielded:
        if wanted in {item.plugin, item.value.name}:
            return item.value
    message = f"stages.{stage} names {wanted!r}, "
    cause = plugins.why_absent(wanted)
    if cause is not None:
        raise ConfigError(f"{message}but {cause}")
    names = [item.plugin for item in yielded]
    near = difflib.get_close_matches(wanted, names, 1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(names) or "none"
    raise ConfigError(
        f"{message}which no loaded plugin offers{meant} "
        f"(there are: {listed}; `toolsearch plugins` shows all)"
    )
