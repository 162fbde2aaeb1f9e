"""Which schemas a mode shows beside its control tools: required, and likely ones (S4.5)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import attrs

from toolsearch_hookspecs import (
    ConfigError,
    Diagnostic,
    LikelySchemas,
    RunContext,
    SearchQuery,
    Tool,
)

from ..catalog import Ambiguous, Catalog, Indexing
from ..isolation import within
from ..tracebacks import note

SESSIONS_KEPT = 1024
PICK_WITHIN_S = 5.0  # an index that is being built for the first time takes a second or three


def required_tools(catalog: Catalog, names: Sequence[str]) -> tuple[Tool, ...]:
    """The tools that a run requires, by id or unique name.

    Raises ConfigError for one that the run may not use, or that several tools have the name of.
    """
    found = []
    for name in names:
        match catalog.resolve(name):
            case Tool() as tool:
                found.append(tool)
            case Ambiguous(ids=ids):
                message = f"required tool {name!r} is ambiguous: {', '.join(ids[:8])}"
                raise ConfigError(message)
            case None:
                message = f"required tool {name!r} is not among the tools of this run"
                raise ConfigError(message)
    return tuple(found)


@attrs.frozen
class LikelyTools:
    """Picks trusted tools from the user's message by the search index.

    `from: "session"` picks at the session's first turn and keeps them until the catalog changes,
    so that a provider's prompt cache holds; `"turn"` picks anew each time.
    """

    indexing: Indexing
    _picked: OrderedDict[tuple[str | None, str, str, int], tuple[str, ...]] = attrs.Factory(
        OrderedDict
    )

    async def of(
        self, catalog: Catalog, context: RunContext, settings: LikelySchemas, message: str | None
    ) -> tuple[tuple[Tool, ...], Diagnostic | None]:
        """At most `count` tools, best first, and what to say where the index failed."""
        if not settings.count or (message is None and context.session is None):
            return (), None
        key = (context.principal, context.session or "", catalog.fingerprint, settings.count)
        kept = self._picked.get(key) if settings.from_ == "session" and context.session else None
        if kept is not None:
            self._picked.move_to_end(key)
            return tuple(catalog.by_id[tool_id] for tool_id in kept), None
        picked, said = await self._pick(catalog, settings.count, message or "")
        if context.session and said is None and message is not None:
            self._picked[key] = tuple(tool.id for tool in picked)
            while len(self._picked) > SESSIONS_KEPT:
                self._picked.popitem(last=False)
        return picked, said

    async def _pick(
        self, catalog: Catalog, count: int, message: str
    ) -> tuple[tuple[Tool, ...], Diagnostic | None]:
        query = SearchQuery(text=message[:2_048])
        outcome = await within(
            PICK_WITHIN_S, lambda: self.indexing.search(catalog, query, count * 4)
        )
        if outcome.failure is not None:
            note("the search index failed", outcome.failure)
            reason = type(outcome.failure).__name__
            said = Diagnostic(
                level="warning",
                code="likely_schemas",
                message=f"no likely schemas were picked: the index failed with {reason}",
            )
            return (), said
        tools = (catalog.by_key.get(hit.key) for hit in outcome.value)
        hidden = {tool.id for tool in catalog.visible}
        trusted = [t for t in tools if t is not None and t.trusted and t.id not in hidden]
        return tuple(trusted[:count]), None
