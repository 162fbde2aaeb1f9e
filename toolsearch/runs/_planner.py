"""Plans catalogs: sources, then policy, then one catalog shared by all runs that have the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TypeVar

import attrs

from toolsearch_hookspecs import ANY_NAME, Diagnostic, RunContext, Tool

from ..catalog import Catalog, Inventory, Snapshot, SourceDown, SourceEntry, SourcePart, joined
from ..plugins import HookCalls

CATALOGS_KEPT = 64

K = TypeVar("K")
V = TypeVar("V")


@attrs.frozen
class Planned:
    """The catalog of one run at one moment; `down` are the sources it may be told of.

    `settled` says that every policy keeps to its answer (it gave a cache key), `generation` up to
    which moment the kept answers hold.
    """

    catalog: Catalog
    snapshot: Snapshot
    down: tuple[SourceDown, ...]
    parts: tuple[SourcePart, ...]
    diagnostics: tuple[Diagnostic, ...]
    settled: bool
    generation: int


class Planner:
    """Builds catalogs for the runs of one host, and keeps the last 64."""

    def __init__(
        self, hooks: HookCalls, inventory: Inventory, always_visible: Sequence[str]
    ) -> None:
        self._hooks = hooks
        self._inventory = inventory
        self._always_visible = tuple(always_visible)
        self._merged: OrderedDict[str, tuple[Tool, ...]] = OrderedDict()
        self._catalogs: OrderedDict[tuple[str, frozenset[str]], Catalog] = OrderedDict()

    async def plan(self, context: RunContext, client: SourcePart | None) -> Planned:
        """Ask the sources, then policy."""
        return await self.judged(context, await self._inventory.snapshot(context), client)

    async def asked(
        self, context: RunContext, snapshot: Snapshot, entries: Sequence[SourceEntry]
    ) -> Snapshot:
        """Ask the sources given once more; the answers of the others stay."""
        return await self._inventory.again(snapshot, entries, context)

    def out_of_date(self, planned: Planned) -> bool:
        """Whether a source changed since, or a policy was caught changing its mind."""
        return bool(planned.snapshot.changed()) or (
            planned.generation != self._hooks.policy_generation
        )

    async def judged(
        self, context: RunContext, snapshot: Snapshot, client: SourcePart | None
    ) -> Planned:
        """Ask policy about all tools of a snapshot; arrivals pass it like all others (S2)."""
        generation = self._hooks.policy_generation
        parts = snapshot.parts if client is None else (*snapshot.parts, client)
        sources = joined(
            f"{part.provenance.kind}:{part.provenance.owner}:{part.digest}" for part in parts
        )
        tools = self._tools(sources, parts)
        verdict = await self._hooks.policy(context, tools, None, tools_key=sources)
        denied = frozenset(verdict.denied)
        return Planned(
            catalog=self._catalog(sources, tools, denied),
            snapshot=snapshot,
            down=await self._allowed_down(context, snapshot.down),
            parts=parts,
            diagnostics=tuple(verdict.diagnostics),
            settled=verdict.cacheable,
            generation=generation,
        )

    def _tools(self, sources: str, parts: Sequence[SourcePart]) -> tuple[Tool, ...]:
        tools = self._merged.get(sources)
        if tools is None:
            tools = tuple(tool for part in parts for tool in part.tools)
        return _kept(self._merged, sources, tools)

    def _catalog(self, sources: str, tools: Sequence[Tool], denied: frozenset[str]) -> Catalog:
        key = (sources, denied)
        catalog = self._catalogs.get(key)
        if catalog is None:
            allowed = (tool for tool in tools if tool.id not in denied)
            catalog = Catalog.of(allowed, self._always_visible, sources=sources)
        return _kept(self._catalogs, key, catalog)

    async def _allowed_down(
        self, context: RunContext, down: Sequence[SourceDown]
    ) -> tuple[SourceDown, ...]:
        """The sources that are down and that this run may hear of: policy would allow a tool of
        theirs (the last ones known, or a stand-in for those that nobody knows yet).
        """
        if not down:
            return ()
        probes = {source: self._probes(source) for source in down}
        asked = tuple(tool for tools, _ in probes.values() for tool in tools)
        key = joined(("down", *(key for _, key in probes.values())))
        verdict = await self._hooks.policy(context, asked, None, tools_key=key)
        return tuple(
            source
            for source, (tools, _) in probes.items()
            if any(tool.id not in verdict.denied for tool in tools)
        )

    def _probes(self, source: SourceDown) -> tuple[tuple[Tool, ...], str]:
        """What policy is asked about in place of a source that is down, and a digest of it."""
        where = source.provenance
        entry = self._inventory.of(where.kind, where.owner)
        latest = None if entry is None else entry.latest
        if latest is not None and latest.tools:
            return latest.tools, latest.digest
        probe = Tool(
            id=f"{where.kind}:{where.owner}:{ANY_NAME}",
            source=where.kind,
            owner=where.owner,
            name=ANY_NAME,
            trusted=where.trusted,
            digest="",
            plugin=where.plugin,
            origin=where.origin,
        )
        return (probe,), f"{probe.id}\0{where.plugin}\0{where.origin}\0{where.trusted}"


def _kept(cache: OrderedDict[K, V], key: K, value: V) -> V:
    cache[key] = value
    cache.move_to_end(key)
    while len(cache) > CATALOGS_KEPT:
        cache.popitem(last=False)
    return value
