"""What was learnt of each tenant, and what the runs of now were shown."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from pathlib import Path

from attrs import define, field

from toolsearch_hookspecs import RankedTool, RunContext

from ._likeness import Successes, hashed, packed, unpacked
from ._settings import FeedbackSettings
from ._store import FILE, Store

MAX_RUNS = 1_000
MAX_TENANTS = 256
RECENT_SEARCHES = 8


@define
class Searched:
    """One search of a run: whose, its words, and the tools that it showed and that were not called
    since. A search speaks for a tool once, however often the tool is called."""

    tenant: str
    words: frozenset[int]
    shown: set[str] = field(factory=set)


class Experience:
    """Every method may be called from any thread. What cannot be stored is still learnt for as
    long as the process lives."""

    def __init__(self, settings: FeedbackSettings, state_dir: Path) -> None:
        self._settings = settings
        self._path = state_dir / FILE
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._tenants: OrderedDict[str, Successes] = OrderedDict()
        self._searches: OrderedDict[str, deque[Searched]] = OrderedDict()

    def ranked(self, run: RunContext, query: str, hits: list[RankedTool]) -> list[RankedTool]:
        """The hits, those first that were called after like requests."""
        tenant = tenant_of(run)
        with self._lock:
            store = self._opened()
            words = hashed(query, store.salt)
            votes = self._successes(store, tenant).votes(words)
            if words:
                self._note(run.run_id, Searched(tenant, words, {hit.tool.id for hit in hits}))
        best = max(hit.score for hit in hits) or 1.0
        weight = self._settings.weight
        return sorted(
            hits,
            key=lambda hit: hit.score / best + weight * votes.get(hit.tool.id, 0.0),
            reverse=True,
        )

    def succeeded(self, run_id: str, tool: str) -> None:
        """A call of the tool succeeded: credit the latest search of the run that showed it."""
        with self._lock:
            store = self._opened()
            search = next(
                (each for each in reversed(self._searches.get(run_id, ())) if tool in each.shown),
                None,
            )
            if search is None:
                return
            search.shown.discard(tool)
            self._successes(store, search.tenant).add(search.words, tool)
        # Apart from the lock: another process may make a writer wait, and no search should.
        store.keep(search.tenant, packed(search.words), tool)

    def ended(self, run_id: str) -> None:
        with self._lock:
            self._searches.pop(run_id, None)

    def close(self) -> None:
        with self._lock:
            if self._store is not None:
                self._store.close()

    def _opened(self) -> Store:
        if self._store is None:
            self._store = Store(self._path, self._settings)
        return self._store

    def _note(self, run_id: str, search: Searched) -> None:
        self._searches.setdefault(run_id, deque(maxlen=RECENT_SEARCHES)).append(search)
        self._searches.move_to_end(run_id)
        while len(self._searches) > MAX_RUNS:
            self._searches.popitem(last=False)

    def _successes(self, store: Store, tenant: str) -> Successes:
        found = self._tenants.get(tenant)
        if found is None:
            found = self._tenants[tenant] = Successes(self._settings.most)
            for words, tool in store.kept(tenant):
                found.add(unpacked(words), tool)
        self._tenants.move_to_end(tenant)
        while len(self._tenants) > MAX_TENANTS:
            self._tenants.popitem(last=False)
        return found


def tenant_of(run: RunContext) -> str:
    """The credential behind the run, else its agent; no credential is named as an agent is."""
    return f"agent:{run.agent}" if run.principal is None else f"principal:{run.principal}"
