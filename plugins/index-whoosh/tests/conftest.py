"""Small catalogs, and an index that is searched in one line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest

from toolsearch_hookspecs import Allowed, Hit, SearchQuery, Tool
from toolsearch_index_whoosh import IndexSettings
from toolsearch_index_whoosh._index import WhooshIndex


def make_tool(name: str, description: str = "", *, owner: str = "core", **fields) -> Tool:
    digest = hashlib.sha256(repr((name, description, sorted(fields.items()))).encode())
    values = {
        "id": f"plugin:{owner}:{name}",
        "source": "plugin",
        "owner": owner,
        "name": name,
        "description": description,
        "digest": digest.hexdigest()[:16],
        "plugin": "test",
        "origin": "test",
        "trusted": True,
    }
    return Tool(**(values | fields))


def mask(tools: Sequence[Tool]) -> Allowed:
    keys = frozenset(tool.key for tool in tools)
    fingerprint = hashlib.sha256("".join(sorted(keys)).encode()).hexdigest()
    return Allowed(fingerprint=fingerprint, keys=keys)


class Catalog:
    """Tools in an index, all of them allowed unless said otherwise."""

    def __init__(self, index: WhooshIndex) -> None:
        self.index = index
        self.tools: list[Tool] = []

    async def add(self, *tools: Tool) -> None:
        self.tools.extend(tools)
        await self.index.update(tools, frozenset())

    async def remove(self, *tools: Tool) -> None:
        self.tools = [tool for tool in self.tools if tool not in tools]
        await self.index.update([], frozenset(tool.key for tool in tools))

    async def hits(
        self,
        text: str,
        *,
        required: tuple[str, ...] = (),
        limit: int = 8,
        among: Sequence[Tool] | None = None,
    ) -> Sequence[Hit]:
        query = SearchQuery(text=text, required=required)
        allowed = mask(self.tools if among is None else among)
        return await self.index.search(query, limit=limit, allowed=allowed)

    async def names(self, text: str, **asked) -> list[str]:
        by_key = {tool.key: tool.name for tool in self.tools}
        return [by_key[hit.key] for hit in await self.hits(text, **asked)]


@pytest.fixture
def catalog() -> Catalog:
    return Catalog(WhooshIndex(IndexSettings()))


@pytest.fixture
def tool():
    return make_tool


@pytest.fixture
def catalog_with():
    """Builds a catalog with settings of its own."""
    return lambda **settings: Catalog(WhooshIndex(IndexSettings(**settings)))
