"""Keeps the search index in step with the tools that runs may search."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from toolsearch_hookspecs import Allowed, Hit, SearchIndex, SearchQuery, Tool

from ._catalog import Catalog

CATALOGS_KEPT = 64


class Indexing:
    """One index for all runs of a host, masked for each by its allowed keys.

    Tools are filed when the first catalog that has them searches, and given up when none of the
    last 64 catalogs has them any more, so that agents and repeated runs share one index and an
    unchanged tool is never filed twice.
    """

    def __init__(self, index: SearchIndex) -> None:
        self.index = index
        self._filed: dict[str, int] = {}
        self._catalogs: OrderedDict[str, frozenset[str]] = OrderedDict()
        self._lock = asyncio.Lock()

    async def search(
        self, catalog: Catalog, query: SearchQuery, limit: int, allowed: Allowed | None = None
    ) -> Sequence[Hit]:
        """Rank the catalog's tools, or those of them that `allowed` leaves. Raises what the index
        raises.
        """
        await self._file(catalog)
        return await self.index.search(query, limit=limit, allowed=allowed or catalog.allowed)

    async def _file(self, catalog: Catalog) -> None:
        if catalog.fingerprint in self._catalogs:
            self._catalogs.move_to_end(catalog.fingerprint)
            return
        async with self._lock:
            if catalog.fingerprint in self._catalogs:
                return
            keys = catalog.allowed.keys
            added: Sequence[Tool] = [catalog.by_key[key] for key in keys if key not in self._filed]
            added = sorted(added, key=lambda tool: tool.key)
            gone = self._given_up(keys)
            if added or gone:
                await self.index.update(added, gone)
            for key in gone:
                del self._filed[key]
            for key in keys:
                self._filed[key] = self._filed.get(key, 0) + 1
            self._catalogs[catalog.fingerprint] = keys

    def _given_up(self, coming: frozenset[str]) -> frozenset[str]:
        gone = set()
        while len(self._catalogs) >= CATALOGS_KEPT:
            _, keys = self._catalogs.popitem(last=False)
            for key in keys:
                self._filed[key] -= 1
                if self._filed[key] <= 0 and key not in coming:
                    gone.add(key)
        return frozenset(gone)

    async def aclose(self) -> None:
        await self.index.aclose()
