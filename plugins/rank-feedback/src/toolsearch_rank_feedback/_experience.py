"""What was learnt, in memory and in SQLite."""

from __future__ import annotations

import logging
import secrets
import sqlite3
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from toolsearch_hookspecs import RankedTool, RunContext

from ._likeness import Successes, hashed, packed, unpacked
from ._settings import FeedbackSettings

FILE = "rank-feedback.sqlite"
DAY = 86_400
BUSY_SECONDS = 5
MAX_RUNS = 1_000
RECENT_SEARCHES = 8

TABLES = """
create table if not exists salt(value blob not null);
create table if not exists successes(
    tenant text not null, words blob not null, tool text not null, at integer not null
);
create index if not exists by_tenant on successes(tenant, at);
"""

log = logging.getLogger(__name__)


@frozen
class Searched:
    """One search of a run: whose, its words, and the tools that it showed."""

    tenant: str
    words: frozenset[int]
    shown: frozenset[str]


class Experience:
    """Every method may be called from any thread. What cannot be stored is still learnt for as
    long as the process lives."""

    def __init__(self, settings: FeedbackSettings, state_dir: Path) -> None:
        self._settings = settings
        self._path = state_dir / FILE
        self._lock = threading.Lock()
        self._store: sqlite3.Connection | None = None
        self._salt = b""
        self._tenants: dict[str, Successes] = {}
        self._searches: OrderedDict[str, deque[Searched]] = OrderedDict()

    def ranked(self, run: RunContext, query: str, hits: list[RankedTool]) -> list[RankedTool]:
        """The hits, those first that were called after like requests."""
        tenant = run.principal or f"agent:{run.agent}"
        with self._lock:
            self._open()
            words = hashed(query, self._salt)
            votes = self._successes(tenant).votes(words)
            shown = frozenset(hit.tool.id for hit in hits)
            recent = self._searches.setdefault(run.run_id, deque(maxlen=RECENT_SEARCHES))
            recent.append(Searched(tenant, words, shown))
            while len(self._searches) > MAX_RUNS:
                self._searches.popitem(last=False)
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
            for search in reversed(self._searches.get(run_id, ())):
                if tool in search.shown and search.words:
                    self._successes(search.tenant).add(search.words, tool)
                    self._keep(search, tool)
                    return

    def ended(self, run_id: str) -> None:
        with self._lock:
            self._searches.pop(run_id, None)

    def close(self) -> None:
        with self._lock:
            if self._store is not None:
                self._store.close()
            self._store = None

    def _open(self) -> None:
        if self._salt:
            return
        self._salt = secrets.token_bytes(32)
        try:
            self._store = _opened(self._path)
            row = self._store.execute("select value from salt").fetchone()
            if row is None:
                self._store.execute("insert into salt values (?)", (self._salt,))
            else:
                self._salt = row[0]
            old = int(time.time()) - self._settings.keep_days * DAY
            self._store.execute("delete from successes where at < ?", (old,))
        except sqlite3.Error:
            log.exception("what is learnt will not be kept")
            self._store = None

    def _successes(self, tenant: str) -> Successes:
        found = self._tenants.get(tenant)
        if found is None:
            found = self._tenants[tenant] = Successes()
            for words, tool in self._kept(tenant):
                found.add(unpacked(words), tool)
        return found

    def _kept(self, tenant: str) -> Sequence[tuple[bytes, str]]:
        if self._store is None:
            return []
        rows = self._store.execute(
            "select words, tool from successes where tenant = ? order by at desc, rowid desc"
            " limit ?",
            (tenant, self._settings.most),
        ).fetchall()
        return rows[::-1]

    def _keep(self, search: Searched, tool: str) -> None:
        if self._store is None:
            return
        try:
            self._store.execute(
                "insert into successes values (?, ?, ?, ?)",
                (search.tenant, packed(search.words), tool, int(time.time())),
            )
        except sqlite3.Error:
            log.exception("a success was not kept")


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    store = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    store.execute("pragma journal_mode = wal")
    store.executescript(TABLES)
    return store
