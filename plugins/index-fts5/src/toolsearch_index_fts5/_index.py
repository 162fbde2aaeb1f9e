"""The index as the host holds it."""

from __future__ import annotations

import asyncio
import math
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from toolsearch_hookspecs import Allowed, Hit, SearchIndex, SearchQuery, Tool

from . import _database
from ._settings import Fts5Settings
from ._text import query_words

FILE = "index-fts5.sqlite"
MAX_MASKS = 32

# What a word counts in name, owner, description and parameters.
WEIGHTS = (3.0, 1.5, 1.0, 0.5)

# A right tool has about twice the square root of the words of a request.
USUAL = 2.0

RANKED = (
    "select number, -bm25(texts, ?, ?, ?, ?) as score from texts join tools on number = texts.rowid"
    " where texts match ? and number in (select number from {mask})"
    " order by score desc, key limit ?"
)


@frozen
class Mask:
    """The allowed tools of a run: the table of their numbers, and their keys by number."""

    table: str
    keys: Mapping[int, str]


class Fts5Index(SearchIndex):
    """All work is done on threads, under one lock: SQLite itself is not long about anything."""

    name = "index-fts5"

    def __init__(self, settings: Fts5Settings, state_dir: Path) -> None:
        self._settings = settings
        self._path = state_dir / FILE if settings.on_disk else None
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._masks: OrderedDict[str, Mask] = OrderedDict()
        self._gone: set[str] = set()
        self._made = 0

    async def update(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        await asyncio.to_thread(self._update, added, removed)

    async def search(self, query: SearchQuery, *, limit: int, allowed: Allowed) -> Sequence[Hit]:
        if limit <= 0:
            return []
        return await asyncio.to_thread(self._search, query, limit, allowed)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._close)

    def _update(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        with self._lock:
            connection = self._open()
            with _transaction(connection):
                if self._path is None:
                    _database.remove(connection, removed)
                _database.add(connection, added)
            self._gone |= removed
            self._gone -= {tool.key for tool in added}
            self._drop_masks(connection)

    def _search(self, query: SearchQuery, limit: int, allowed: Allowed) -> list[Hit]:
        asked = query_words(query.text)
        required = [words for word in query.required if (words := query_words(word))]
        if not asked:
            return []
        with self._lock:
            connection = self._open()
            mask = self._mask(connection, allowed)
            rows = connection.execute(
                RANKED.format(mask=mask.table),
                (*WEIGHTS, _expression(asked, required), limit),
            ).fetchall()
            found = [(number, score) for number, score in rows if score > 0]
            sure = _sure(connection, asked, [number for number, _ in found])
        hits = [
            Hit(key=mask.keys[number], score=score, confidence=sure[number])
            for number, score in found
        ]
        return hits if hits and hits[0].confidence >= self._settings.min_confidence else []

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = _database.opened(self._path)
            if self._path is not None:
                with _transaction(self._connection):
                    _database.forget(self._connection, self._settings.keep_days)
        return self._connection

    def _mask(self, connection: sqlite3.Connection, allowed: Allowed) -> Mask:
        mask = self._masks.get(allowed.fingerprint)
        if mask is None:
            self._made += 1
            table = f"mask_{self._made}"
            keys = dict(_database.numbers(connection, allowed.keys - self._gone))
            connection.execute(f"create temp table {table}(number integer primary key)")
            with _transaction(connection):
                connection.executemany(
                    f"insert into {table} values (?)",  # noqa: S608 - a name of our own
                    ((number,) for number in keys),
                )
            mask = self._masks[allowed.fingerprint] = Mask(table, keys)
            if len(self._masks) > MAX_MASKS:
                _, oldest = self._masks.popitem(last=False)
                connection.execute(f"drop table {oldest.table}")
        self._masks.move_to_end(allowed.fingerprint)
        return mask

    def _drop_masks(self, connection: sqlite3.Connection) -> None:
        for mask in self._masks.values():
            connection.execute(f"drop table {mask.table}")
        self._masks.clear()

    def _close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            self._masks.clear()


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("begin immediate")
    try:
        yield
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")


def _expression(asked: Sequence[str], required: Sequence[Sequence[str]]) -> str:
    """Any of the words, and all of the required ones; every word quoted, so that none is syntax."""
    expression = " OR ".join(map(_quoted, asked))
    for words in required:
        expression = f"({expression}) AND {' AND '.join(map(_quoted, words))}"
    return expression


def _quoted(word: str) -> str:
    return f'"{word}"'


def _sure(
    connection: sqlite3.Connection, asked: Sequence[str], found: Sequence[int]
) -> dict[int, float]:
    """How many of the asked words each document has, by how many a right one usually has.

    The longer a request, the smaller the share of its words that its tool is described with.
    """
    counts = dict.fromkeys(found, 0)
    places = ",".join("?" * len(found))
    for word in asked if found else ():
        rows = connection.execute(
            f"select rowid from texts where texts match ? and rowid in ({places})",  # noqa: S608
            (_quoted(word), *found),
        )
        for (number,) in rows:
            counts[number] += 1
    usual = USUAL * math.sqrt(len(asked))
    return {number: min(1.0, count / usual) for number, count in counts.items()}
