"""The file that approvals are kept in: SQLite, readable by its owner only."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolsearch_hookspecs import ToolsearchError

VERSION = 1
BUSY_S = 5.0
OWNER_ONLY_FILE = 0o600
OWNER_ONLY_FOLDER = 0o700

TABLES = """
CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL
        CHECK (state IN ('pending', 'approved', 'rejected', 'expired', 'withdrawn')),
    created REAL NOT NULL,
    expires REAL NOT NULL,
    seen REAL NOT NULL,
    body TEXT NOT NULL,
    scope TEXT CHECK (scope IN ('once', 'session', 'always')),
    arguments TEXT,
    message TEXT,
    by TEXT,
    answered REAL
) STRICT;
CREATE INDEX requests_by_state ON requests (state, created);
CREATE TABLE grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    principal TEXT,
    session TEXT,
    tool TEXT NOT NULL,
    origin TEXT NOT NULL,
    digest TEXT NOT NULL,
    snapshot TEXT NOT NULL,
    by TEXT NOT NULL,
    created REAL NOT NULL,
    revoked REAL
) STRICT;
CREATE INDEX grants_by_tool ON grants (tool, agent);
"""


class Database:
    """One connection, opened when first needed, for any thread in turn."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @property
    def exists(self) -> bool:
        return self.path.exists()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            yield self._open()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that has the right to write from its start: what was read stays true."""
        with self._lock:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = _opened(self.path)
        return self._connection


def _opened(path: Path) -> sqlite3.Connection:
    _make_private(path.parent)
    # SQLite gives its side files the mode of the main one, so that is made first.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, OWNER_ONLY_FILE))
    connection = sqlite3.connect(
        path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        _prepared(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepared(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        for statement in TABLES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")
    if version > VERSION:
        raise ToolsearchError(
            f"{path} is of form {version} and this approval-store knows form {VERSION}:"
            " install a later one, or set plugins.settings.approval-store.path"
        )


def _make_private(folder: Path) -> None:
    if not folder.is_dir():
        _make_private(folder.parent)
        folder.mkdir(mode=OWNER_ONLY_FOLDER, exist_ok=True)
