"""The forms of a query that models know already, through a whole run (S5.2)."""

import pytest

from toolsearch_hookspecs import ToolAnnotations

from ..conftest import ListSource

NAMES = ("add", "subtract", "round, half up", "round", "split a,b")


async def calculator(started):
    made = ListSource("calculator", {name: lambda: 1 for name in NAMES})
    notes = ListSource("notes", {"add_note": lambda: 1, "read_note": lambda: 1})
    read = notes.specs["read_note"]
    notes.specs["read_note"] = read.model_copy(
        update={"annotations": ToolAnnotations(read_only=True)}
    )
    config = {"tools": {"toolSearch": {"mode": "tools"}}}
    return await (await started(config, made, notes)).plan()


def named(hits):
    return [hit["name"] for hit in hits]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("select:subtract,add", ["subtract", "add"]),
        ("Select: subtract , add", ["subtract", "add"]),
        ("select:add,add,nothing,,subtract", ["add", "subtract"]),
        ("select:round, half up", ["round, half up"]),
        ("select:add,round, half up,round", ["add", "round, half up", "round"]),
        ("select:split a,b,add", ["split a,b", "add"]),
        ("select:plugin:notes:add_note", ["add_note"]),
        ("select:", []),
        ("note hint:readOnly", ["read_note"]),
        ("add owner:calculator", ["add"]),
        ("note +read", ["read_note"]),
        ("source:mcp note", []),
    ],
)
async def test_a_query_may_select_require_and_filter(started, query, found):
    run = await calculator(started)
    assert named((await run.search(query)).hits) == found


async def test_a_query_beside_several_is_the_first_of_them(started):
    run = await calculator(started)
    asked = {"query": "select:add", "limit": 1, "queries": [{"query": "select:subtract,round"}]}
    results = (await run.handle("tool_search", asked)).value["results"]
    assert [named(each["hits"]) for each in results] == [["add"], ["subtract", "round"]]


async def test_what_is_sent_empty_beside_the_other_is_not_asked_for(started):
    run = await calculator(started)
    alone = (await run.handle("tool_search", {"query": "select:add", "queries": []})).value
    assert named(alone["hits"]) == ["add"]
    several = {"query": " ", "queries": ["select:add"]}
    (result,) = (await run.handle("tool_search", several)).value["results"]
    assert named(result["hits"]) == ["add"]
    empty = await run.handle("tool_search", {"queries": []})
    assert empty.error.code == "invalid_arguments"


async def test_a_hit_has_the_first_sentence_and_describing_gives_all(started):
    text = "Adds two numbers that are given as decimal strings.\n\nArgs:\n  a: the first of them"
    source = ListSource("calculator", {"add": lambda: 1})
    source.specs["add"] = source.specs["add"].model_copy(update={"description": text})
    run = await (await started(None, source)).plan()
    (hit,) = (await run.search("add numbers")).hits
    assert hit["description"] == "Adds two numbers that are given as decimal strings."
    assert (await run.describe(hit["id"]))["description"] == text
    long = "All of it. " * 1_000
    source.specs["add"] = source.specs["add"].model_copy(update={"description": long})
    source.generation += 1
    source.changed()
    told = (await run.describe("add"))["description"]
    assert len(told) <= 4_096
    assert told.endswith("…")
