"""Search and describe over one run's catalog (S5.1 to S5.3)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

import attrs

from toolsearch_hookspecs import Allowed, ErrorCode, EventType, RankedTool, Tool

from ..calls import RunState, fail, milliseconds_since, open_still, shown
from ..catalog import Catalog, Indexing, joined
from ..isolation import within
from ..plugins import HookCalls
from ..text import fold
from ..tracebacks import note
from ._descriptors import Descriptors, described
from ._query import ParsedQuery, parsed

MOST_WORDS = 400  # of a query, that may name a server which is down
MOST_COMMAS = 3  # of one name


@attrs.frozen
class Found:
    """The answer to one query: compact hits, and a hint where there is something to say."""

    hits: tuple[Mapping[str, Any], ...]
    hint: str | None = None


@attrs.frozen
class Search:
    """Finds and describes tools of one run, for every way in."""

    state: RunState
    indexing: Indexing
    hooks: HookCalls
    descriptors: Descriptors

    async def find(self, query: str, limit: int | None, call_id: str) -> Found:
        """Ranked hits for one query. Raises CallError for a query or limit that is no such thing,
        and when the index fails: a failure is never zero hits.
        """
        began = monotonic()
        wanted = self._limit(limit)
        open_still(self.state)
        await self.state.rejudged()
        most = self.state.limits.max_query_bytes
        asked = query[:most].encode(errors="replace")[:most].decode(errors="ignore")
        read = parsed(asked)
        tools = await self._ranked(asked, read, wanted)
        hits = tuple(map(self.descriptors.of, tools))
        hint = self._hint(asked, read, hits)
        self.state.recorder.counters.searches += 1
        self.state.recorder.tell(
            EventType.SEARCH,
            {"call": call_id, "hits": len(hits), "limit": wanted, "ms": milliseconds_since(began)},
            {"query": query, "ids": [hit["id"] for hit in hits]},
        )
        return Found(hits, hint)

    async def describe(self, asked: str, call_id: str) -> dict[str, Any]:
        """The descriptor with the exact schemas. Raises CallError for an unknown tool."""
        began = monotonic()
        self.state.recorder.counters.describes += 1
        tool: Tool | None = None
        try:
            tool = await shown(self.state, asked)
        finally:
            about = {"call": call_id, "ok": tool is not None, "tool": tool.id if tool else None}
            self.state.recorder.tell(
                EventType.DESCRIBE, about | {"ms": milliseconds_since(began)}, {"asked": asked}
            )
        descriptor = self.descriptors.of(tool) | {
            "description": described(tool),
            "inputSchema": _shown(tool, tool.input_schema),
        }
        if tool.output_schema is not None:
            descriptor["outputSchema"] = _shown(tool, tool.output_schema)
        return descriptor

    async def _ranked(self, asked: str, read: ParsedQuery, wanted: int) -> list[Tool]:
        catalog = await self.state.catalog.prepared()
        if read.selected:
            return list(_picked(catalog, read.selected).values())[:wanted]
        first = [tool for tool in catalog.exact(read.plain.text) if read.admits(tool)]
        ranked = await self._from_index(asked, read, wanted)
        merged = {tool.id: tool for tool in (*first, *ranked)}
        return list(merged.values())[:wanted]

    async def _from_index(self, asked: str, read: ParsedQuery, wanted: int) -> list[Tool]:
        catalog = self.state.catalog
        allowed = None
        if read.filters:
            kept = {key: tool for key, tool in catalog.by_key.items() if read.admits(tool)}
            if not read.plain.text:
                return sorted(kept.values(), key=lambda tool: tool.id)[:wanted]
            fingerprint = joined((catalog.fingerprint, *map(":".join, read.filters)))
            allowed = Allowed(fingerprint=fingerprint, keys=frozenset(kept))
        seconds = self.state.limits.tool_timeout_ms / 1000
        outcome = await within(seconds, lambda: self._hits(catalog, read, wanted * 2, allowed))
        if outcome.failure is not None:
            note("the search index failed", outcome.failure)
            raise fail(
                ErrorCode.UNAVAILABLE,
                "search failed; this is not an empty result. Try again, or call a tool by its id.",
                retryable=True,
            ) from outcome.failure
        ranked = await self.hooks.rank(self.state.context, asked, outcome.value)
        return [hit.tool for hit in ranked]

    async def _hits(
        self, catalog: Catalog, read: ParsedQuery, limit: int, allowed: Allowed | None
    ) -> list[RankedTool]:
        """What the index found, held to the run's tools and to the query's filters here too."""
        hits = await self.indexing.search(catalog, read.plain, limit, allowed)
        return [
            RankedTool(tool=tool, score=hit.score, confidence=hit.confidence)
            for hit in hits[:limit]
            if (tool := catalog.by_key.get(hit.key)) is not None and read.admits(tool)
        ]

    def _limit(self, limit: int | None) -> int:
        settings = self.state.settings
        if limit is None:
            return settings.default_limit
        return min(max(limit, 1), settings.max_search_limit)

    def _hint(self, asked: str, read: ParsedQuery, hits: Sequence[object]) -> str | None:
        words = {fold(word.strip(".,:;!?")) for word in asked.split()[:MOST_WORDS]}
        words |= {fold(value) for _, value in read.filters}
        down = [
            f"{source.title} is unavailable: {source.reason}"
            for source in self.state.down
            if not hits or source.provenance.owner in words
        ]
        said = list(down)
        if not hits:
            owners = sorted({owner for _, owner in self.state.catalog.owners})
            listed = ", ".join(owners[:8]) + (" and others" if len(owners) > 8 else "")
            said.append(
                "nothing matched. Say what the tool does in other words, one capability a query"
                + (f"; tools come from: {listed}" if owners else "")
            )
        return ". ".join(said) or None


def _picked(catalog: Catalog, listed: Sequence[str]) -> dict[str, Tool]:
    """The tools that are named between commas, in that order; a name may have commas of its own."""
    picked: dict[str, Tool] = {}
    at = 0
    while at < len(listed):
        for end in range(min(at + MOST_COMMAS + 1, len(listed)), at, -1):
            tools = catalog.exact(",".join(listed[at:end]).strip())
            if tools:
                picked.update((tool.id, tool) for tool in tools if tool.id not in picked)
                break
        at = end
    return picked


def _shown(tool: Tool, schema: Mapping[str, Any]) -> Any:
    """A copy of a schema, for whoever is given it to change. Raises CallError."""
    try:
        return json.loads(json.dumps(schema))
    except RecursionError as error:
        raise fail(
            ErrorCode.UNAVAILABLE,
            "the tool's own schema is nested too deeply to be shown.",
            tool=tool.id,
        ) from error


def serialized_bytes(value: Any) -> int:
    """The size of a value as compact JSON."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return len(text.encode())
