"""The index as the host holds it."""

from __future__ import annotations

import asyncio
import importlib.util
import threading
from collections import OrderedDict
from collections.abc import Sequence

from attrs import frozen

from toolsearch_hookspecs import Allowed, Hit, SearchIndex, SearchQuery, Tool

from ._confidence import Judge
from ._document import Documents
from ._languages import Languages
from ._lexicon import Lexicon, lexicon
from ._query import plan
from ._repair import Repair
from ._settings import IndexSettings
from ._store import Store
from ._view import View

MAX_VIEWS = 64


@frozen
class Opened:
    """What an index works with once it has something to index."""

    languages: Languages
    lexicon: Lexicon
    documents: Documents
    store: Store


class WhooshIndex(SearchIndex):
    """Ranks on a Whoosh index in memory. Search runs on the loop, updates on a thread."""

    name = "index-whoosh"

    def __init__(self, settings: IndexSettings) -> None:
        self._settings = settings
        self._opened: Opened | None = None
        self._judge = Judge(settings.min_confidence)
        self._opening = threading.Lock()
        self._views: OrderedDict[str, tuple[View, Repair]] = OrderedDict()

    async def update(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        await asyncio.to_thread(self._change, added, removed)

    def _change(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        with self._opening:
            opened = self._opened = self._opened or self._open()
        opened.store.change([opened.documents.document(tool) for tool in added], removed)

    def _open(self) -> Opened:
        languages = Languages(self._settings.languages)
        documents = Documents(self._settings, languages)
        return Opened(languages, lexicon(languages.term), documents, Store())

    async def search(self, query: SearchQuery, *, limit: int, allowed: Allowed) -> Sequence[Hit]:
        opened = self._opened
        if opened is None or limit <= 0:
            return []
        view, repair = self._view(opened, allowed)
        asked = plan(query, opened.languages, repair)
        return self._judge.hits(view, asked, limit)

    def _view(self, opened: Opened, allowed: Allowed) -> tuple[View, Repair]:
        found = self._views.get(allowed.fingerprint)
        if found is None or found[0].snapshot is not opened.store.snapshot:
            view = self._kind()(opened.store.snapshot, allowed, opened.lexicon)
            found = view, Repair(view, opened.languages, opened.lexicon)
            self._views[allowed.fingerprint] = found
        self._views.move_to_end(allowed.fingerprint)
        while len(self._views) > MAX_VIEWS:
            self._views.popitem(last=False)
        return found

    def _kind(self) -> type[View]:
        if self._settings.acceleration == "auto" and importlib.util.find_spec("numpy"):
            from ._array_view import ArrayView

            return ArrayView
        from ._list_view import ListView

        return ListView

    async def aclose(self) -> None:
        self._opened = None
        self._views.clear()
