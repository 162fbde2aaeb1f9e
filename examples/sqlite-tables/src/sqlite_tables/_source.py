"""The source: what the database has, and reading it."""

from __future__ import annotations

import asyncio
import hashlib
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolsearch_hookspecs import (
    Quarantined,
    RunContext,
    SourceKind,
    SourceListing,
    SourceUnavailable,
    ToolAnnotations,
    ToolCall,
    ToolError,
    ToolSource,
    ToolSpec,
)

if TYPE_CHECKING:
    from . import TablesSettings

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,100}")
TYPES = {"INT": "integer", "REAL": "number", "FLOA": "number", "DOUB": "number", "NUM": "number"}


class Tables(ToolSource):
    """One tool a table: `find_orders` gives the rows of `orders` whose columns are as asked."""

    kind: SourceKind = "plugin"
    trusted = False

    def __init__(self, path: Path, settings: TablesSettings) -> None:
        self.name = settings.owner
        self.origin = f"sqlite:{path.name}"
        self._path = path
        self._settings = settings

    async def start(self, changed: Callable[[], None]) -> None:
        """A changed database is seen at the next listing: nothing is watched."""

    async def list_tools(self, run: RunContext) -> SourceListing:
        tables = await asyncio.to_thread(self._tables)
        known = {table: columns for table, columns in tables.items() if NAME.fullmatch(table)}
        odd = [Quarantined(name=t, reason="no plain name") for t in tables if t not in known]
        text = repr(sorted((table, sorted(columns.items())) for table, columns in tables.items()))
        return SourceListing(
            generation=hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16],
            tools=[self._tool(table, columns) for table, columns in sorted(known.items())],
            quarantined=odd,
        )

    async def call(self, call: ToolCall) -> Any:
        """The connection is the call's own; a cancelled call interrupts it and waits for its end."""
        table = call.tool.name.removeprefix("find_")
        connection = self._connected()
        work = asyncio.ensure_future(
            asyncio.to_thread(self._rows, connection, table, call.arguments)
        )
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            connection.interrupt()
            await asyncio.wait([work])
            if not work.cancelled():
                work.exception()
            raise
        finally:
            connection.close()

    async def aclose(self) -> None:
        """Nothing is held open between calls."""

    def _connected(self) -> sqlite3.Connection:
        try:
            return sqlite3.connect(
                f"{self._path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise SourceUnavailable(f"the database of {self.name} cannot be opened") from error

    def _tables(self) -> dict[str, dict[str, str]]:
        """Columns and their types by table. Raises SourceUnavailable."""
        try:
            with closing(self._connected()) as connection:
                names = connection.execute(
                    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
                    " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
                )
                wanted = [name for (name,) in names.fetchall() if self._wants(name)]
                return {name: _columns(connection, name) for name in wanted}
        except sqlite3.Error as error:
            raise SourceUnavailable(f"the database of {self.name} cannot be read") from error

    def _wants(self, table: str) -> bool:
        return any(fnmatchcase(table, pattern) for pattern in self._settings.tables)

    def _tool(self, table: str, columns: Mapping[str, str]) -> ToolSpec:
        most = self._settings.max_rows
        limit = {"type": "integer", "minimum": 1, "maximum": most, "description": "Rows wanted."}
        where = {
            "type": "object",
            "description": "Columns that must have these values; every row where left out.",
            "properties": {name: {"type": [kind, "null"]} for name, kind in columns.items()},
            "additionalProperties": False,
        }
        return ToolSpec(
            name=f"find_{table}",
            description=f"Find rows of the table {table}, with {', '.join(columns)}.",
            input_schema={"type": "object", "properties": {"where": where, "limit": limit}},
            annotations=ToolAnnotations(readOnlyHint=True, destructiveHint=False),
        )

    def _rows(
        self, connection: sqlite3.Connection, table: str, arguments: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        columns = self._known(connection, table)
        where: Mapping[str, Any] = arguments.get("where") or {}
        unknown = sorted(set(where) - set(columns))
        if unknown:
            raise ToolError(f"{table} has no column {unknown[0]!r}; it has {', '.join(columns)}")
        tests = " AND ".join(f"{_quoted(name)} IS ?" for name in where)
        query = f"SELECT * FROM {_quoted(table)}" + (f" WHERE {tests}" if tests else "")  # noqa: S608
        limit = min(arguments.get("limit", self._settings.max_rows), self._settings.max_rows)
        try:
            found = connection.execute(f"{query} LIMIT ?", [*where.values(), limit])
            names = [column[0] for column in found.description]
            return [_row(names, values) for values in found.fetchall()]
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise ToolError(f"{table} cannot be read with that: {type(error).__name__}") from error

    def _known(self, connection: sqlite3.Connection, table: str) -> dict[str, str]:
        """The table's columns. Raises ToolError for one that is not offered, or is gone."""
        try:
            columns = _columns(connection, table) if self._wants(table) else {}
        except (sqlite3.Error, UnicodeError) as error:
            raise ToolError("the database cannot be read") from error
        if not columns:
            raise ToolError("there is no such table any more")
        return columns


def _columns(connection: sqlite3.Connection, table: str) -> dict[str, str]:
    rows = connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,))
    return {name: _type(kind) for name, kind in rows.fetchall()}


def _type(declared: str) -> str:
    for start, kind in TYPES.items():
        if start in declared.upper():
            return kind
    return "string"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _row(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    shown = (f"{len(v)} bytes" if isinstance(v, bytes) else v for v in values)
    return dict(zip(names, shown, strict=True))
