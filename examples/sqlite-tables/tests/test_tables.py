import asyncio
import sqlite3
from contextlib import closing

import pytest
from sqlite_tables import TablesSettings, plugin
from sqlite_tables._source import Tables

from toolsearch.testing import ToolSourceConformance, observed_host

ORDERS = (
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, article TEXT, price REAL, "odd ""name" TEXT);'
    "INSERT INTO orders VALUES (1, 'A-100', 9.5, 'x'), (2, 'B-200', 12.0, NULL);"
    "CREATE VIEW cheap AS SELECT * FROM orders WHERE price < 10;"
    'CREATE TABLE "not; a name" (a);'
)


def database(folder):
    path = folder / "shop.sqlite3"
    if not path.exists():
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(ORDERS)
    return path


class TestTables(ToolSourceConformance):
    plugin = plugin
    settings = {"path": "shop.sqlite3", "owner": "shop", "tables": ["orders", "cheap"]}  # noqa: RUF012
    example = ("find_orders", {"where": {"article": "A-100"}})

    def loaded(self, folder):
        database(folder)
        return super().loaded(folder)


async def found(tmp_path, **arguments):
    source = Tables(database(tmp_path), TablesSettings(path="shop.sqlite3", owner="shop"))
    async with observed_host(tmp_path / "state", None, source) as host:
        run = await host.plan()
        return await run.handle("tool_call", {"id": "find_orders", "args": arguments})


def test_rows_are_found_by_their_columns(tmp_path):
    result = asyncio.run(found(tmp_path, where={"price": 12.0}))
    assert [row["article"] for row in result.value["result"]] == ["B-200"]


def test_a_null_is_found_too(tmp_path):
    result = asyncio.run(found(tmp_path, where={'odd "name': None}))
    assert [row["id"] for row in result.value["result"]] == [2]


@pytest.mark.parametrize("name", ["x OR 1=1", 'id" IS NOT NULL --'])
def test_a_column_that_is_none_is_refused(tmp_path, name):
    result = asyncio.run(found(tmp_path, where={name: 1}))
    assert result.is_error


def test_a_table_with_an_odd_name_is_quarantined_and_its_siblings_stay(tmp_path):
    async def listing():
        source = Tables(database(tmp_path), TablesSettings(path="shop.sqlite3", owner="shop"))
        return await source.list_tools(None)

    listed = asyncio.run(listing())
    assert [each.name for each in listed.quarantined] == ["not; a name"]
    assert [tool.name for tool in listed.tools] == ["find_cheap", "find_orders"]


def test_nothing_can_be_written(tmp_path):
    source = Tables(database(tmp_path), TablesSettings(path="shop.sqlite3"))
    with (
        closing(source._connected()) as connection,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        connection.execute("DELETE FROM orders")
