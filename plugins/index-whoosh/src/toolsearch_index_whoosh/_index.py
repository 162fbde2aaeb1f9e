"""The index as the host holds it."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from toolsearch_hookspecs import Allowed, Hit, SearchIndex, SearchQuery, Tool

from ._confidence import Judge
from ._document import Documents
from ._kept import Kept, fingerprint
from ._languages import Languages
from ._lexicon import Lexicon, lexicon
from ._query import plan
from ._repair import Repair
from ._settings import IndexSettings
from ._store import Store
from ._view import View

MAX_VIEWS = 64
MOST_HELD = 256 << 20  # bytes that all views together remember, about

# The view of a larger catalog is prepared on a thread: it takes more than a few milliseconds.
MAX_ON_LOOP = 5_000

log = logging.getLogger(__name__)


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

    def __init__(self, settings: IndexSettings, state_dir: Path | None = None) -> None:
        self._settings = settings
        self._kept = Kept(state_dir) if settings.keep_on_disk and state_dir is not None else None
        self._opened: Opened | None = None
        self._judge = Judge(settings.min_confidence)
        self._opening = threading.Lock()
        self._views: OrderedDict[str, tuple[View, Repair]] = OrderedDict()

    async def update(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        await asyncio.to_thread(self._change, added, removed)

    def _change(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        with self._opening:
            opened = self._opened
            if opened is None:
                opened = self._opened = self._open({tool.key for tool in added})
        known = opened.store.snapshot.places
        new = [tool for tool in added if tool.key in removed or tool.key not in known]
        opened.store.change(map(opened.documents.document, new), removed)
        if self._kept is not None and not known and new and not removed:
            self._save(self._kept, opened.store, added)

    def _open(self, keys: set[str]) -> Opened:
        settings = self._settings
        languages = Languages(settings.languages, detected=settings.detect_languages)
        documents = Documents(settings, languages)
        store = self._read(self._kept, keys) if self._kept is not None else None
        return Opened(languages, lexicon(languages.term), documents, store or Store())

    def _read(self, kept: Kept, keys: set[str]) -> Store | None:
        files = kept.load(fingerprint(self._form(), keys))
        if files is None:
            return None
        try:
            store = Store(files)
        except ValueError:
            return None
        return store if store.snapshot.places.keys() == keys else None

    def _save(self, kept: Kept, store: Store, tools: Sequence[Tool]) -> None:
        try:
            kept.save(fingerprint(self._form(), (tool.key for tool in tools)), store.files)
        except OSError as error:
            log.warning("the index was not kept on disk: %s", error)

    def _form(self) -> str:
        settings = self._settings
        return f"{settings.languages} {settings.detect_languages} {settings.untrusted_parameters}"

    async def search(self, query: SearchQuery, *, limit: int, allowed: Allowed) -> Sequence[Hit]:
        opened = self._opened
        if opened is None or limit <= 0:
            return []
        view, repair = await self._view(opened, allowed)
        asked = plan(query, opened.languages, repair)
        hits = self._judge.hits(view, asked, limit)
        self._bounded(view)
        return hits

    async def _view(self, opened: Opened, allowed: Allowed) -> tuple[View, Repair]:
        found = self._views.get(allowed.fingerprint)
        if found is None or found[0].snapshot is not opened.store.snapshot:
            if len(allowed.keys) > MAX_ON_LOOP:
                found = await asyncio.to_thread(self._new_view, opened, allowed)
            else:
                found = self._new_view(opened, allowed)
            self._views[allowed.fingerprint] = found
        self._views.move_to_end(allowed.fingerprint)
        while len(self._views) > MAX_VIEWS:
            self._views.popitem(last=False)
        return found

    def _bounded(self, view: View) -> None:
        """Forget what the views that were not used for longest hold, where all hold too much."""
        while sum(each.held for each, _ in self._views.values()) > MOST_HELD:
            if len(self._views) > 1:
                self._views.popitem(last=False)
            else:
                view.forget()

    def _new_view(self, opened: Opened, allowed: Allowed) -> tuple[View, Repair]:
        view = self._kind()(opened.store.snapshot, allowed, opened.lexicon)
        return view, Repair(view, opened.languages, opened.lexicon)

    def _kind(self) -> type[View]:
        if self._settings.acceleration == "auto" and importlib.util.find_spec("numpy"):
            from ._array_view import ArrayView

            return ArrayView
        from ._lane_view import LaneView

        return LaneView

    async def aclose(self) -> None:
        self._opened = None
        self._views.clear()
