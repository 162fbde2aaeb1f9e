"""Filling an index and asking it, as the suite does."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from toolsearch_hookspecs import Allowed, Hit, SearchIndex, SearchQuery, Tool

from ._case import expect
from ._samples import sample_tools


async def filled(index: SearchIndex) -> tuple[Tool, ...]:
    tools = sample_tools()
    await index.update(tools, frozenset())
    return tools


async def found_by(
    index: SearchIndex,
    text: str,
    among: Sequence[Tool] | None = None,
    *,
    limit: int = 8,
    required: tuple[str, ...] = (),
) -> Sequence[Hit]:
    query = SearchQuery(text=text, required=required)
    hits: Sequence[Hit] = await search(index, query, among, limit)
    return hits


async def search(
    index: SearchIndex, query: SearchQuery, among: Sequence[Tool] | None = None, limit: int = 8
) -> Any:
    tools = sample_tools() if among is None else among
    keys = frozenset(tool.key for tool in tools)
    fingerprint = hashlib.sha256("\n".join(sorted(keys)).encode()).hexdigest()
    return await index.search(
        query, limit=limit, allowed=Allowed(fingerprint=fingerprint, keys=keys)
    )


async def expect_first(
    index: SearchIndex, text: str, name: str, among: Sequence[Tool] | None = None
) -> None:
    names = [named(hit) for hit in await found_by(index, text, among)]
    expect(names[:1] == [name], f"{text!r} gave {names}, not {name} first")


def named(hit: Hit) -> str:
    return hit.key.rpartition("@")[0].rpartition(":")[2]


def keys_of(hits: Sequence[Hit]) -> list[str]:
    return [hit.key for hit in hits]
