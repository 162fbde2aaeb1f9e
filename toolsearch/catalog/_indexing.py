"""Keeps the search index in step with the tools that runs may search."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence

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
            left = self._leaving()
            try:
                dropped = await self._updated(catalog, left)
            except BaseException:
                for each, theirs in reversed(left.items()):
                    self._catalogs[each] = theirs
                    self._catalogs.move_to_end(each, last=False)
                raise
            counts = Counter(self._filed)
            counts.subtract(dropped)
            counts.update(keys)
            self._filed = {key: count for key, count in counts.items() if count > 0}
            self._catalogs[catalog.fingerprint] = keys

    async def _updated(
        self, catalog: Catalog, left: Mapping[str, frozenset[str]]
    ) -> Mapping[str, int]:
        """Have the index take the catalog's tools and lose those that only `left` had; gives how
        often each tool was dropped.
        """
        dropped = Counter(key for keys in left.values() for key in keys)
        gone = frozenset(key for key, times in dropped.items() if times >= self._filed[key])
        gone -= catalog.allowed.keys
        added: Sequence[Tool] = [
            tool for key, tool in catalog.by_key.items() if key not in self._filed
        ]
        if added or gone:
            await self.index.update(sorted(added, key=lambda tool: tool.key), gone)
        return dropped

    def _leaving(self) -> dict[str, frozenset[str]]:
        """The oldest catalogs, where another needs their place: not filed from here on, so that
        whoever searches one of them meanwhile files it again.
        """
        left = {}
        while len(self._catalogs) >= CATALOGS_KEPT:
            each, keys = self._catalogs.popitem(last=False)
            left[each] = keys
        return left

    async def aclose(self) -> None:
        await self.index.aclose()
