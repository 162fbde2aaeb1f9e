"""The index as it changes, and as runs with different masks see it."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from toolsearch_hookspecs import Allowed, SearchIndex, SearchQuery
from toolsearch_index_whoosh import IndexSettings
from toolsearch_index_whoosh._index import WhooshIndex


def test_the_index_fits_the_protocol():
    assert isinstance(WhooshIndex(IndexSettings()), SearchIndex)


async def test_an_empty_index_finds_nothing(catalog):
    assert await catalog.names("anything") == []


async def test_a_tool_that_is_removed_is_no_longer_found_and_a_new_one_is(catalog, tool):
    old, new = tool("old_clock", "Tell the time"), tool("new_clock", "Tell the time")
    await catalog.add(old)
    assert await catalog.names("tell the time") == ["old_clock"]
    await catalog.remove(old)
    await catalog.add(new)
    assert await catalog.names("tell the time") == ["new_clock"]


async def test_a_changed_description_replaces_the_old_words(catalog, tool):
    before, after = tool("gizmo", "Paint a fence"), tool("gizmo", "Peel a banana")
    await catalog.add(before)
    catalog.tools = [after]
    await catalog.index.update([after], frozenset([before.key]))
    assert await catalog.names("fence") == []
    assert await catalog.names("banana") == ["gizmo"]


async def test_unknown_keys_are_ignored_on_removal_and_in_masks(catalog, tool):
    known = tool("ping", "Ping a host")
    await catalog.add(known)
    await catalog.index.update([], frozenset(["nobody"]))
    allowed = Allowed(fingerprint="f", keys=frozenset(["nobody", known.key]))
    hits = await catalog.index.search(SearchQuery(text="ping"), limit=3, allowed=allowed)
    assert [hit.key for hit in hits] == [known.key]


async def test_only_allowed_tools_are_found(catalog, tool):
    public, secret = tool("ping", "Ping a host"), tool("ping_secret", "Ping a host in secret")
    await catalog.add(public, secret)
    assert await catalog.names("ping secret host", among=[public]) == ["ping"]


async def test_answers_do_not_depend_on_tools_outside_the_mask(catalog, catalog_with, tool):
    mine = [
        tool("page_open", "Open a page in the browser"),
        tool("page_print", "Print a page"),
        tool("file_open", "Open a file of a folder"),
    ]
    others = [tool(f"open_{n}", "Open the secret page browser " * 9, owner="x") for n in range(40)]
    await catalog.add(*mine, *others)
    alone = catalog_with()
    await alone.add(*reversed(mine))
    for text in ["open a page", "browser", "print file", "opne secret"]:
        assert await catalog.hits(text, among=mine) == await alone.hits(text)


async def test_a_hundred_small_changes_leave_the_index_as_if_built_at_once(
    catalog, catalog_with, tool
):
    tools = [tool(f"tool_{n}", f"Handles item {n} of kind {n % 7}") for n in range(60)]
    for one in tools:
        await catalog.add(one)
    await catalog.remove(*tools[10:30])
    fresh = catalog_with()
    await fresh.add(*tools[:10], *tools[30:])
    for text in ["kind 3", "item 45", "handles item"]:
        assert await catalog.hits(text, limit=50) == await fresh.hits(text, limit=50)


async def test_searches_during_an_update_see_the_tools_before_or_after(catalog, tool):
    first = [tool(f"a{n}", "Common words here") for n in range(20)]
    second = [tool(f"b{n}", "Common words here") for n in range(200)]
    await catalog.add(*first)
    everyone = [*first, *second]
    catalog.tools = everyone
    update = asyncio.create_task(catalog.index.update(second, frozenset(t.key for t in first)))
    seen = set()
    while not update.done():
        names = await catalog.names("common words", limit=500)
        seen.add((sum(n[0] == "a" for n in names), sum(n[0] == "b" for n in names)))
        await asyncio.sleep(0)
    assert seen <= {(20, 0), (0, 200)}
    assert len(await catalog.names("common words", limit=500)) == 200


async def test_overlapping_updates_are_all_applied(catalog, tool):
    tools = [tool(f"t{n}", "Do a thing") for n in range(12)]
    await asyncio.gather(*(catalog.add(one) for one in tools))
    assert len(await catalog.names("do a thing", limit=50)) == 12


def test_nothing_heavy_is_imported_with_the_plugin():
    code = (
        "import sys, toolsearch_index_whoosh\n"
        "print([m for m in ('whoosh', 'numpy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


async def test_what_queries_made_it_remember_is_bounded(catalog, tool, monkeypatch):
    from toolsearch_index_whoosh import _index, _repair, _view

    for module, name, most in (
        (_index, "MOST_HELD", 20_000),
        (_view, "MOST_COUNTS", 50),
        (_repair, "MOST_COUNTS", 50),
    ):
        monkeypatch.setattr(module, name, most)
    pages = [tool("open_page", "Open a page"), tool("close_page", "Close a page")]
    await catalog.add(*pages)
    for number in range(100):
        text = " ".join(f"open word{number}x{letter}" for letter in "abcdef")
        assert (await catalog.names(f"open page {text}"))[:1] in ([], ["open_page"])
        await catalog.names("close page", among=pages[number % 2 :])
        views = list(catalog.index._views.values())
        assert sum(view.held for view, _ in views) <= 20_000
        assert all(len(view._counts) <= 50 and len(mend._mended) <= 50 for view, mend in views)
    assert (await catalog.names("open page"))[0] == "open_page"


async def test_an_update_that_fails_half_way_leaves_the_index_as_it_was(catalog, tool, monkeypatch):
    from toolsearch_index_whoosh._document import Documents

    kept, other = tool("clock", "Tell the time"), tool("bell", "Ring a bell")
    await catalog.add(kept)
    with monkeypatch.context() as patched:
        patched.setattr(Documents, "document", lambda self, tool: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await catalog.add(other)
    assert await catalog.names("tell the time") == ["clock"]
    await catalog.index.update([other], frozenset())
    assert await catalog.names("ring a bell") == ["bell"]


async def test_an_update_that_fails_after_a_part_was_written_leaves_nothing_of_it(
    catalog, tool, monkeypatch
):
    from toolsearch_index_whoosh import _store
    from toolsearch_index_whoosh._document import Documents

    kept = tool("clock", "Tell the time")
    await catalog.add(kept)
    monkeypatch.setattr(_store, "SEGMENT", 2)
    read = Documents.document

    def failing(self, one):
        return 1 / 0 if one.name == "last" else read(self, one)

    many = [tool(f"bell_{n}", "Ring a bell") for n in range(5)] + [tool("last", "Ring a bell")]
    with monkeypatch.context() as patched:
        patched.setattr(Documents, "document", failing)
        with pytest.raises(ZeroDivisionError):
            await catalog.index.update(many, frozenset([kept.key]))
    catalog.tools += many
    assert await catalog.names("tell the time") == ["clock"]
    await catalog.index.update([tool("drum", "Beat a drum")], frozenset())
    assert await catalog.names("ring a bell") == []
    await catalog.index.update(many, frozenset([kept.key]))
    assert len(await catalog.names("ring a bell")) == 6
    assert await catalog.names("tell the time") == []
