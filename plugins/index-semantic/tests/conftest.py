"""Small tools, an index as a host would make it, and the names that it finds."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from toolsearch_hookspecs import Allowed, PluginContext, SearchIndex, SearchQuery, Tool
from toolsearch_index_semantic import SemanticSettings, plugin


def _tool(name: str, description: str = "", **fields) -> Tool:
    digest = hashlib.sha256(repr((name, description, sorted(fields.items()))).encode())
    values = {
        "id": f"plugin:core:{name}",
        "source": "plugin",
        "owner": "core",
        "name": name,
        "description": description,
        "digest": digest.hexdigest()[:16],
        "plugin": "test",
        "origin": "test",
    }
    return Tool(**(values | fields))


def _allowed(tools: Sequence[Tool]) -> Allowed:
    keys = frozenset(tool.key for tool in tools)
    return Allowed(fingerprint="\n".join(sorted(keys)), keys=keys)


@pytest.fixture
def make_tool() -> Callable[..., Tool]:
    return _tool


@pytest.fixture
def allow() -> Callable[[Sequence[Tool]], Allowed]:
    return _allowed


@pytest.fixture
def make_context(tmp_path: Path) -> Callable[..., PluginContext]:
    def made(**settings) -> PluginContext:
        return PluginContext(
            name="index-semantic",
            settings=SemanticSettings.model_validate(settings),
            base_dir=tmp_path,
            state_dir=tmp_path / "state",
        )

    return made


@pytest.fixture
def make_index(make_context: Callable[..., PluginContext]) -> Callable[..., SearchIndex]:
    def made(**settings) -> SearchIndex:
        (index,) = plugin().toolsearch_search_indexes(make_context(**settings))
        return index

    return made


@pytest.fixture
def names_found() -> Callable[..., Awaitable[list[str]]]:
    async def found(index: SearchIndex, text: str, tools: Sequence[Tool], **asked) -> list[str]:
        names = {tool.key: tool.name for tool in tools}
        query = SearchQuery(text=text, required=asked.get("required", ()))
        hits = await index.search(query, limit=asked.get("limit", 5), allowed=_allowed(tools))
        return [names[hit.key] for hit in hits]

    return found
