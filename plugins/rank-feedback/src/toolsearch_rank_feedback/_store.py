"""Successes in SQLite, for as long as the deployment keeps them."""

from __future__ import annotations

import logging
import secrets
import sqlite3
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from ._settings import FeedbackSettings

FILE = "rank-feedback.sqlite"
DAY = 86_400
BUSY_SECONDS = 2
TRIMMED_EVERY = 200
MOST_IN_ALL = 500_000

TABLES = """
create table if not exists salt(value blob not null);
create table if not exists successes(
    tenant text not null, words blob not null, tool text not null, at integer not null
);
create index if not exists by_tenant on successes(tenant);
create index if not exists by_age on successes(at);
"""

log = logging.getLogger(__name__)


class Store:
    """May be used from any thread, and by several processes at once. What cannot be read or written
    is done without, and told in the log."""

    def __init__(self, path: Path, settings: FeedbackSettings) -> None:
        self._path = path
        self._settings = settings
        self._lock = threading.Lock()
        self._written = 0
        self._connection: sqlite3.Connection | None = None
        self.salt = secrets.token_bytes(32)
        try:
            self._connection = _opened(path)
            self.salt = _agreed_salt(self._connection, self.salt)
            self._forget_old(self._connection)
        except (sqlite3.Error, OSError):
            log.exception("what is learnt will not be kept in %s", path)
            self.close()

    def kept(self, tenant: str) -> Sequence[tuple[bytes, str]]:
        """The newest successes of a tenant, oldest first: packed words, and the tool."""
        with self._lock:
            if self._connection is None:
                return []
            try:
                rows = self._connection.execute(
                    "select words, tool from successes where tenant = ?"
                    " order by rowid desc limit ?",
                    (tenant, self._settings.most),
                ).fetchall()
            except sqlite3.Error:
                log.exception("what was learnt was not read")
                return []
        return rows[::-1]

    def keep(self, tenant: str, words: bytes, tool: str) -> None:
        with self._lock:
            if self._connection is None:
                return
            try:
                self._connection.execute(
                    "insert into successes values (?, ?, ?, ?)",
                    (tenant, words, tool, int(time.time())),
                )
                self._written += 1
                if self._written % TRIMMED_EVERY == 0:
                    self._trim(self._connection, tenant)
            except sqlite3.Error:
                log.exception("a success was not kept")

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _trim(self, connection: sqlite3.Connection, tenant: str) -> None:
        """Forget what is old, and what a tenant, or all together, have too much of."""
        self._forget_old(connection)
        connection.execute(
            "delete from successes where tenant = ? and rowid <= (select rowid from successes"
            " where tenant = ? order by rowid desc limit 1 offset ?)",
            (tenant, tenant, self._settings.most),
        )
        connection.execute(
            "delete from successes where rowid <= (select max(rowid) from successes) - ?",
            (MOST_IN_ALL,),
        )

    def _forget_old(self, connection: sqlite3.Connection) -> None:
        old = int(time.time()) - self._settings.keep_days * DAY
        connection.execute("delete from successes where at < ?", (old,))


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.execute("pragma journal_mode = wal")
    connection.executescript(TABLES)
    return connection


def _agreed_salt(connection: sqlite3.Connection, offered: bytes) -> bytes:
    """The salt of the file, in one statement, so that two processes never use one each."""
    connection.execute(
        "insert into salt select ? where not exists (select 1 from salt)", (offered,)
    )
    row = connection.execute("select value from salt order by rowid limit 1").fetchone()
    return bytes(row[0])
