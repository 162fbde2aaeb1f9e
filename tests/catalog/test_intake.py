import asyncio
from collections import Counter, UserDict

import pytest

from toolsearch.catalog import SourceEntry, _intake, provenance_of, source_part
from toolsearch.catalog._intake import source_part_in_turns
from toolsearch_hookspecs import Quarantined, RunContext, SourceListing, ToolSource, ToolSpec


class Source(ToolSource):
    name = "shop"
    kind = "plugin"
    trusted = True
    origin = "shop-1"


def part(*tools, quarantined=(), generation="1"):
    source = Source()
    listing = SourceListing(generation=generation, tools=tools, quarantined=quarantined)
    return source_part(provenance_of(source, "shop-plugin"), listing)


def test_an_id_is_source_owner_and_name():
    (tool,) = part(ToolSpec(name="open:page")).tools
    assert tool.id == "plugin:shop:open:page"
    assert tool.id.split(":", 2) == ["plugin", "shop", "open:page"]
    assert (tool.plugin, tool.origin, tool.trusted) == ("shop-plugin", "shop-1", True)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"name": ""}, "empty"),
        ({"name": " padded "}, "outer spaces"),
        ({"name": "x" * 129}, "129 characters"),
        ({"name": "evil\x1b[2J"}, "control"),
        ({"name": "zero\u200bwidth"}, "zero-width"),
        ({"name": "right\u202eleft"}, "direction"),
        ({"name": "t", "input_schema": {"type": "string"}}, "not an object"),
        ({"name": "t", "input_schema": {"properties": []}}, "properties"),
        ({"name": "t", "input_schema": 7}, "input_schema"),
        ({"description": "nameless"}, "name"),
        ({"name": "t", "colour": "red"}, "colour"),
    ],
)
def test_a_malformed_tool_is_quarantined_with_its_reason_and_its_siblings_stay(spec, reason):
    taken = part(ToolSpec(name="good"), spec)
    assert [tool.name for tool in taken.tools] == ["good"]
    (left_out,) = taken.quarantined
    assert reason in left_out.reason


class Colour:
    def __init__(self):
        self.me = self


LOOP = {"type": "object"}
LOOP["also"] = LOOP


@pytest.mark.parametrize(
    ("schemas", "reason"),
    [
        (
            {"input_schema": {"properties": {"tags": {"enum": {"red", "blue"}}}}},
            "its input schema is no JSON: it holds a set at /properties/tags/enum",
        ),
        (
            {"input_schema": {"properties": {"at": {"default": Colour()}}}},
            "its input schema is no JSON: it holds a Colour at /properties/at/default",
        ),
        (
            {"output_schema": {"maximum": float("nan")}},
            "its output schema is no JSON: it holds a number that is not finite at /maximum",
        ),
        (
            {"input_schema": {"properties": {"x": {"default": {(1, 2): 3}}}}},
            "its input schema is no JSON: it has a key of type tuple at /properties/x/default",
        ),
        ({"input_schema": LOOP}, "a schema of it is no JSON that can be used: ValueError"),
        ({"input_schema": {"default": "\ud800"}}, "no valid Unicode"),
    ],
)
def test_what_is_no_json_in_a_schema_is_said_with_its_place(schemas, reason):
    taken = part(ToolSpec(name="good"), ToolSpec(name="t", **schemas))
    assert [tool.name for tool in taken.tools] == ["good"]
    (left_out,) = taken.quarantined
    assert reason in left_out.reason


def test_two_tools_with_one_name_are_both_quarantined():
    taken = part(ToolSpec(name="a"), ToolSpec(name="b"), ToolSpec(name="a", description="other"))
    assert [tool.name for tool in taken.tools] == ["b"]
    assert [left_out.name for left_out in taken.quarantined] == ["a", "a"]


def test_what_the_source_left_out_itself_is_kept_with_its_reason():
    taken = part(quarantined=[Quarantined(name="odd", reason="its schema is a list")])
    assert taken.quarantined[0].reason == "its schema is a list"


def test_the_digest_of_a_part_does_not_depend_on_the_order_of_listing():
    one, two = ToolSpec(name="a"), ToolSpec(name="b", description="b")
    assert part(one, two).digest == part(two, one, generation="2").digest


@pytest.mark.parametrize(
    "change",
    [
        {"description": "new"},
        {"input_schema": {"type": "object", "properties": {"x": {}}}},
        {"output_schema": {"type": "object"}},
        {"annotations": {"readOnlyHint": True}},
        {"sequential": True},
        {"approval": "ask"},
        {"catalog_mode": "direct-only"},
        {"trusted": False},
        {"aliases": ("b",)},
        {"groups": ("fs",)},
    ],
)
def test_every_change_that_matters_changes_the_digest_of_the_part(change):
    assert part({"name": "a"}).digest != part({"name": "a"} | change).digest


def test_a_schema_is_copied_at_intake():
    schema = {"type": "object", "properties": {"x": {"type": "string"}}}
    (tool,) = part(ToolSpec(name="a", input_schema=schema)).tools
    schema["properties"]["x"]["type"] = "integer"
    assert tool.input_schema["properties"]["x"]["type"] == "string"


def test_a_source_name_that_can_make_no_id_is_refused():
    class Named(Source):
        name = "Not An Owner"

    with pytest.raises(ValueError, match="Not An Owner"):
        provenance_of(Named(), "p")


async def test_the_protocol_gives_default_bodies():
    await Source().start(lambda: None)
    await Source().aclose()
    assert RunContext(run_id="r").agent == "default"


def test_properties_keep_the_order_in_which_they_were_written():
    schema = {"type": "object", "properties": {"z": {}, "a": {}}}
    (tool,) = part(ToolSpec(name="t", input_schema=schema)).tools
    assert list(tool.input_schema["properties"]) == ["z", "a"]


@pytest.mark.parametrize("odd", [float("nan"), {1, 2}, b"bytes", object()])
def test_a_schema_that_json_cannot_hold_is_quarantined(odd):
    taken = part({"name": "t", "input_schema": {"type": "object", "default": odd}})
    assert taken.tools == ()
    assert "JSON" in taken.quarantined[0].reason


def test_of_a_new_listing_only_what_is_new_is_read():
    specs = [ToolSpec(name=f"t{n}", description=f"Do {n}") for n in range(3)]
    first = source_part(
        provenance_of(Source(), "shop-plugin"), SourceListing(generation="1", tools=specs)
    )
    changed = specs[1].model_copy(update={"description": "Do something else"})
    listing = SourceListing(generation="2", tools=[specs[0], changed, {"name": "t3"}])
    again = source_part(provenance_of(Source(), "shop-plugin"), listing, first)
    fresh = source_part(provenance_of(Source(), "shop-plugin"), listing)
    assert again.tools == fresh.tools
    assert again.digest == fresh.digest != first.digest
    assert again.tools[0] is first.tools[0]


def test_what_a_source_changes_in_place_in_a_mapping_is_read_again():
    given = {"name": "t", "description": "old"}
    first = source_part(
        provenance_of(Source(), "shop-plugin"),
        SourceListing.model_construct(
            generation="1", tools=[given], quarantined=(), description=""
        ),
    )
    given["description"] = "new"
    again = source_part(
        provenance_of(Source(), "shop-plugin"),
        SourceListing.model_construct(
            generation="2", tools=[given], quarantined=(), description=""
        ),
        first,
    )
    assert again.tools[0].description == "new"


class Ticker:
    """Counts the turns that others on the loop have."""

    def __init__(self):
        self.turns = 0

    async def __aenter__(self):
        self.task = asyncio.create_task(self.count())
        await asyncio.sleep(0)
        self.turns = 0
        return self

    async def __aexit__(self, *failure):
        self.task.cancel()

    async def count(self):
        while True:
            self.turns += 1
            await asyncio.sleep(0)


async def test_others_on_the_loop_have_their_turns_while_a_large_listing_is_read(monkeypatch):
    monkeypatch.setattr(_intake, "TURN_S", -1.0)
    specs = [ToolSpec(name=f"t{n}", description=f"Do {n}") for n in range(200)]
    listing = SourceListing(generation="1", tools=[*specs, {"name": ""}, specs[3]])
    provenance = provenance_of(Source(), "shop-plugin")
    async with Ticker() as ticker:
        read = await source_part_in_turns(provenance, listing)
    assert ticker.turns >= 200
    assert read == source_part(provenance, listing)
    assert len(read.tools) == 199


async def test_a_listing_that_two_plans_wait_for_is_read_once(monkeypatch):
    monkeypatch.setattr(_intake, "TURN_S", -1.0)
    copies = Counter()

    class Schema(UserDict):
        def keys(self):
            copies[self["title"]] += 1
            return super().keys()

    listing = SourceListing(
        generation="1",
        tools=[
            ToolSpec.model_construct(name=f"t{n}", input_schema=Schema(title=f"s{n}"))
            for n in range(50)
        ],
    )
    entry = SourceEntry(Source(), provenance_of(Source(), "shop-plugin"))
    first, second = await asyncio.gather(entry.part_of(listing), entry.part_of(listing))
    assert first is second
    assert len(first.tools) == 50
    assert set(copies.values()) == {1}


async def test_a_reading_that_is_given_up_half_way_is_begun_anew(monkeypatch):
    monkeypatch.setattr(_intake, "TURN_S", -1.0)
    listing = SourceListing(generation="1", tools=[ToolSpec(name=f"t{n}") for n in range(50)])
    entry = SourceEntry(Source(), provenance_of(Source(), "shop-plugin"))
    task = asyncio.create_task(entry.part_of(listing))
    for _ in range(10):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len((await entry.part_of(listing)).tools) == 50
