"""Blending, with a small encoder of the tests' own and with the real ones where installed."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from toolsearch_hookspecs import Allowed, Hit, PluginContext, PluginError, SearchQuery, Tool
from toolsearch_index_semantic import SemanticSettings, plugin
from toolsearch_index_semantic._index import blended

needs_wordllama = pytest.mark.skipif(
    importlib.util.find_spec("wordllama") is None, reason="wordllama is an optional extra"
)
pytest.importorskip("numpy")


class Scale:
    """As much of an encoder as blending looks at."""

    noise = 0.1
    alike = 0.4


def hit(key: str, score: float, confidence: float = 0.5) -> Hit:
    return Hit(key=key, score=score, confidence=confidence)


def make_tool(name: str, description: str) -> Tool:
    return Tool(
        id=f"plugin:core:{name}",
        source="plugin",
        owner="core",
        name=name,
        description=description,
        digest=str(abs(hash(description))),
        plugin="test",
        origin="test",
    )


def context(folder: Path, **settings) -> PluginContext:
    return PluginContext(
        name="index-semantic",
        settings=SemanticSettings(**settings),
        base_dir=folder,
        state_dir=folder,
    )


def test_likeness_lifts_a_hit_over_one_with_a_slightly_better_score():
    hits = blended([hit("a", 10), hit("b", 9)], {"b": 0.6, "c": 0.2}, Scale(), 0.4)
    assert [one.key for one in hits] == ["b", "a", "c"]


def test_likeness_alone_finds_what_no_word_does():
    (only,) = blended([], {"c": 0.6}, Scale(), 0.4)
    assert only.key == "c"
    assert only.confidence > 0.5


def test_likeness_at_the_level_of_noise_counts_for_nothing():
    assert blended([], {"c": 0.05}, Scale(), 0.4) == []


def test_agreement_makes_surer_than_either_alone():
    (both,) = blended([hit("a", 1, 0.4)], {"a": 0.4}, Scale(), 0.4)
    assert both.confidence == pytest.approx(0.7)


def test_equal_scores_are_ordered_by_key():
    hits = blended([hit("b", 2), hit("a", 2)], {}, Scale(), 0.4)
    assert [one.key for one in hits] == ["a", "b"]


def test_a_missing_inner_plugin_is_named(tmp_path):
    with pytest.raises(PluginError, match="no plugin 'index-nowhere'"):
        plugin().toolsearch_search_indexes(context(tmp_path, lexical="index-nowhere"))


def test_an_encoder_without_its_files_says_what_is_missing(tmp_path):
    asked = context(tmp_path, encoder="onnx", onnx_folder="model")
    with pytest.raises(PluginError, match="index-semantic"):
        plugin().toolsearch_search_indexes(asked)


def test_a_wrong_setting_of_the_inner_plugin_is_said(tmp_path):
    asked = context(tmp_path, lexical_settings={"nonsense": 1})
    with pytest.raises(PluginError, match="lexicalSettings of index-whoosh"):
        plugin().toolsearch_search_indexes(asked)


@needs_wordllama
@pytest.mark.parametrize("lexical", ["index-whoosh", "index-fts5"])
async def test_a_paraphrase_is_found_beside_any_inner_index(tmp_path, lexical):
    (index,) = plugin().toolsearch_search_indexes(context(tmp_path, lexical=lexical))
    tools = [
        make_tool("forecast", "Predicts rain, snow and temperature"),
        make_tool("solicitor", "Answers questions about statutes and litigation"),
        make_tool("melody", "Composes tunes for the piano"),
    ]
    await index.update(tools, frozenset())
    assert (await names(index, "can I sue my neighbour in court", tools))[0] == "solicitor"
    assert await names(index, "can I sue my neighbour in court", tools[:1]) in ([], ["forecast"])
    await index.update([], frozenset([tools[1].key]))
    assert "solicitor" not in await names(index, "can I sue my neighbour in court", tools)
    await index.aclose()


async def names(index, text: str, tools: Sequence[Tool]) -> list[str]:
    keys = {tool.key: tool.name for tool in tools}
    allowed = Allowed(fingerprint=json.dumps(sorted(keys)), keys=frozenset(keys))
    hits = await index.search(SearchQuery(text=text), limit=5, allowed=allowed)
    return [keys[one.key] for one in hits]
