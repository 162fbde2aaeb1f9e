"""The descriptors of hits: kept, but never somebody else's, and never out of date."""

from toolsearch.runs._descriptors import KEPT, Descriptors
from toolsearch.testing._samples import make_tool

from ..conftest import ListSource


async def test_what_a_caller_does_to_a_hit_shows_in_no_other(started):
    run = await (await started(None, ListSource("s", {"add": lambda: 1}))).plan()
    hits = (await run.search("add")).hits
    hits[0]["description"] = "changed"
    (await run.describe("add"))["input"] = "changed"
    assert (await run.search("add")).hits[0]["description"] == "add of s"
    assert (await run.describe("add"))["input"] == "{}"


async def test_a_tool_that_changed_is_described_as_it_is_now(started):
    source = ListSource("s", {"add": lambda: 1})
    run = await (await started(None, source)).plan()
    assert (await run.search("add")).hits[0]["description"] == "add of s"
    source.specs["add"] = source.specs["add"].model_copy(update={"description": "Add two numbers"})
    source.generation += 1
    source.changed()
    assert (await run.search("add")).hits[0]["description"] == "Add two numbers"


def test_two_tools_with_one_id_are_told_apart_and_few_are_kept():
    descriptors = Descriptors()
    for trusted in (True, False):
        for text in ("one", "two"):
            tool = make_tool("t", text, digest=text, trusted=trusted)
            assert descriptors.of(tool)["description"] == text
    for number in range(KEPT + 10):
        descriptors.of(make_tool(f"t{number}", "x", digest=str(number)))
    assert len(descriptors._kept) == KEPT
