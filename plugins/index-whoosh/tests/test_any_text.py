"""Whatever tools and queries say, both ways of scoring answer, alike and within bounds."""

from __future__ import annotations

import asyncio
import importlib.util

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolsearch_index_whoosh import IndexSettings
from toolsearch_index_whoosh._index import WhooshIndex

from .conftest import Catalog, make_tool

WORDS = st.sampled_from(
    [
        "open",
        "file",
        "files",
        "getUser",
        "HTTPServer2",
        "天気予報",
        "погода",
        "café",
        "e\u0301",
        "ＡＢＣ",
    ]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=8).map(" ".join))

ways = [
    "off",
    pytest.param(
        "auto",
        marks=pytest.mark.skipif(
            importlib.util.find_spec("numpy") is None, reason="numpy is an optional extra"
        ),
    ),
]


def catalog(acceleration: str) -> Catalog:
    return Catalog(WhooshIndex(IndexSettings(acceleration=acceleration, min_confidence=0)))


@pytest.mark.parametrize("acceleration", ways)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=6), TEXTS, st.lists(TEXTS, max_size=2))
def test_any_texts_are_indexed_and_searched(acceleration, described, text, required):
    tools = [
        make_tool(f"{name[:20]}#{number}", description)
        for number, (name, description) in enumerate(described)
    ]

    async def answered():
        index = catalog(acceleration)
        await index.add(*tools)
        return await index.hits(text, required=tuple(required), limit=3)

    hits = asyncio.run(answered())
    assert len(hits) <= 3
    assert {hit.key for hit in hits} <= {tool.key for tool in tools}
    assert all(hit.score > 0 and 0 <= hit.confidence <= 1 for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
