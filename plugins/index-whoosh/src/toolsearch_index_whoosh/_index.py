"""The index as the host holds it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from toolsearch_hookspecs import Allowed, Hit, SearchIndex, SearchQuery, Tool

from ._document import Documents
from ._languages import Languages
from ._query import plan
from ._rank import rank
from ._settings import IndexSettings
from ._store import Store
from ._view import View

MAX_VIEWS = 64


class WhooshIndex(SearchIndex):
    """Ranks on a Whoosh index in memory. Search runs on the loop, updates on a thread."""

    name = "index-whoosh"

    def __init__(self, settings: IndexSettings) -> None:
        self._settings = settings
        self._languages = Languages(settings.languages)
        self._documents = Documents(settings, self._languages)
        self._store: Store | None = None
        self._views: OrderedDict[str, View] = OrderedDict()

    async def update(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        await asyncio.to_thread(self._change, added, removed)

    def _change(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        if self._store is None:
            self._store = Store()
        self._store.change((self._documents.document(tool) for tool in added), removed)

    async def search(self, query: SearchQuery, *, limit: int, allowed: Allowed) -> Sequence[Hit]:
        if self._store is None or limit <= 0:
            return []
        view = self._view(self._store, allowed)
        found = rank(view, plan(query, self._languages), limit)
        if not found or found[0].confidence < self._settings.min_confidence:
            return []
        return [
            Hit(key=view.keys[hit.document], score=hit.score, confidence=hit.confidence)
            for hit in found
        ]

    def _view(self, store: Store, allowed: Allowed) -> View:
        view = self._views.get(allowed.fingerprint)
        if view is None or view.snapshot is not store.snapshot:
            view = self._views[allowed.fingerprint] = View(store.snapshot, allowed)
        self._views.move_to_end(allowed.fingerprint)
        while len(self._views) > MAX_VIEWS:
            self._views.popitem(last=False)
        return view

    async def aclose(self) -> None:
        self._store = None
        self._views.clear()
