"""The database: a table of keys beside a full-text table of the same numbers."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from toolsearch_hookspecs import Tool

from ._text import columns

# Changes whenever what is written for a tool does: a file of another form is built anew.
FORM = 1
DAY = 86_400
BUSY_SECONDS = 30

TABLES = f"""
create table if not exists tools(
    number integer primary key, key text not null unique, seen integer not null
);
create virtual table if not exists texts using fts5(
    name, owner, description, parameters,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
pragma user_version = {FORM};
"""


def opened(path: Path | None) -> sqlite3.Connection:
    """A connection to the file, or to memory; a file that cannot be used is replaced."""
    if path is None:
        connection = _connected(":memory:")
        connection.executescript(TABLES)
        return connection
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    connection = _connected(str(path))
    try:
        (form,) = connection.execute("pragma user_version").fetchone()
        connection.execute("pragma journal_mode = wal")
        if form not in {0, FORM}:
            raise sqlite3.DatabaseError(f"form {form}")
        connection.executescript(TABLES)
        connection.execute("select count(*) from texts where texts match 'x'").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        raise
    except sqlite3.DatabaseError:
        connection.close()
        for ending in ("", "-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        connection = _connected(str(path))
        connection.execute("pragma journal_mode = wal")
        connection.executescript(TABLES)
    path.chmod(0o600)
    return connection


def _connected(name: str) -> sqlite3.Connection:
    return sqlite3.connect(
        name, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def add(connection: sqlite3.Connection, tools: Iterable[Tool]) -> None:
    """Add tools within an open transaction; those already there are only marked as seen."""
    now = int(time.time())
    for tool in tools:
        row = connection.execute(
            "insert into tools(key, seen) values (?, ?) on conflict(key) do nothing returning number",
            (tool.key, now),
        ).fetchone()
        if row is None:
            connection.execute("update tools set seen = ? where key = ?", (now, tool.key))
        else:
            connection.execute(
                "insert into texts(rowid, name, owner, description, parameters)"
                " values (?, ?, ?, ?, ?)",
                (row[0], *columns(tool)),
            )


def remove(connection: sqlite3.Connection, keys: Iterable[str]) -> None:
    for key in keys:
        row = connection.execute(
            "delete from tools where key = ? returning number", (key,)
        ).fetchone()
        if row is not None:
            connection.execute("delete from texts where rowid = ?", row)


def forget(connection: sqlite3.Connection, days: int) -> None:
    """Remove what no process has added for so many days."""
    old = connection.execute(
        "select key from tools where seen < ?", (int(time.time()) - days * DAY,)
    ).fetchall()
    remove(connection, (key for (key,) in old))


def numbers(connection: sqlite3.Connection, keys: Iterable[str]) -> list[tuple[int, str]]:
    """Number and key of each of the keys that is there."""
    rows: Sequence[tuple[int, str]] = connection.execute("select number, key from tools").fetchall()
    wanted = set(keys)
    return [(number, key) for number, key in rows if key in wanted]
