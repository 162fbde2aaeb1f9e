import asyncio

import pytest

from toolsearch.catalog import Ambiguous, Catalog
from toolsearch_hookspecs import Tool


def tool(id, **more):
    source, owner, name = id.split(":", 2)
    return Tool(
        id=id, source=source, owner=owner, name=name, digest="d", plugin="p", origin="o", **more
    )


def catalog(*tools, always_visible=()):
    return Catalog.of(tools, always_visible, sources="s")


SHOP = catalog(
    tool("plugin:shop:getUser"),
    tool("mcp:mail:search", aliases=("find_mail",)),
    tool("mcp:files:search"),
    tool("mcp:files:Read"),
)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("plugin:shop:getUser", "plugin:shop:getUser"),
        ("getUser", "plugin:shop:getUser"),
        ("  getuser ", "plugin:shop:getUser"),
        ("functions.getUser", "plugin:shop:getUser"),
        ("functions.plugin:shop:getUser", "plugin:shop:getUser"),
        ("PLUGIN:SHOP:GETUSER", "plugin:shop:getUser"),
        ("find_mail", "mcp:mail:search"),
        ("mail.search", "mcp:mail:search"),
        ("read", "mcp:files:Read"),
    ],
)
def test_an_id_or_a_unique_name_resolves_in_every_accepted_spelling(asked, found):
    assert SHOP.resolve(asked).id == found


def test_a_name_that_two_servers_have_is_ambiguous_and_lists_the_ids():
    assert SHOP.resolve("search") == Ambiguous(("mcp:files:search", "mcp:mail:search"))


@pytest.mark.parametrize("asked", ["", "nothing", "get", "mcp:mail", "functions."])
def test_what_is_not_there_resolves_to_nothing(asked):
    assert SHOP.resolve(asked) is None


def test_two_names_that_differ_only_in_case_are_told_apart_by_case():
    both = catalog(tool("plugin:a:Run"), tool("plugin:b:run"))
    assert both.resolve("Run").id == "plugin:a:Run"
    assert both.resolve("run").id == "plugin:b:run"
    assert isinstance(both.resolve("RUN"), Ambiguous)


def test_exact_search_finds_a_name_in_every_spelling():
    for query in ("get_user", "get user", "GetUser", "getUser", "plugin:shop:getUser"):
        assert [found.id for found in SHOP.exact(query)] == ["plugin:shop:getUser"], query


def test_direct_only_tools_are_visible_and_not_in_the_catalog():
    mixed = catalog(tool("plugin:a:x", catalog_mode="direct-only"), tool("plugin:a:y"))
    assert [t.name for t in mixed.visible] == ["x"]
    assert [t.name for t in mixed.searchable] == ["y"]
    assert mixed.exact("x") == ()


def test_always_visible_tools_are_visible_and_in_the_catalog():
    mixed = catalog(tool("plugin:a:x"), tool("plugin:b:y"), always_visible=("plugin:a:*",))
    assert [t.name for t in mixed.visible] == ["x"]
    assert [t.name for t in mixed.searchable] == ["x", "y"]
    assert [t.name for t in mixed.compacted] == ["y"]


def test_equal_tools_give_equal_fingerprints_in_any_order():
    tools = [tool("plugin:a:x"), tool("plugin:a:y")]
    assert catalog(*tools).fingerprint == catalog(*reversed(tools)).fingerprint
    assert catalog(*tools).fingerprint != catalog(tools[0]).fingerprint


def test_a_word_that_many_tools_have_names_them_all_in_their_order():
    ids = [f"plugin:owner{n:04}:run" for n in range(3_000)]
    many = catalog(*map(tool, ids), tool("plugin:zoo:RUN", aliases=("run", "Run")))
    assert [found.id for found in many.exact("run")] == [*ids, "plugin:zoo:RUN"]
    assert many.resolve("plugin:owner0007:RUN").id == "plugin:owner0007:run"
    assert many.resolve("RUN").id == "plugin:zoo:RUN"


async def test_what_a_search_needs_of_a_large_catalog_is_worked_out_beside_the_loop():
    tools = [tool(f"plugin:a:getThing{n}") for n in range(2_000)]
    tools.append(tool("plugin:a:only_direct", catalog_mode="direct-only"))
    prepared, plain = catalog(*tools), catalog(*tools)
    turns = 0

    async def count():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    assert await prepared.prepared() is prepared
    counting.cancel()
    assert turns > 0
    for query in ("get thing 7", "plugin:a:getThing9", "GETTHING3", "only direct", ""):
        assert prepared.exact(query) == plain.exact(query)
    assert prepared.allowed == plain.allowed
    assert prepared.by_key == plain.by_key
    assert prepared.resolve("getthing5") == plain.resolve("getthing5")
