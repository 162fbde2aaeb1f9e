"""The guard against identical failing calls (S5.7): not walked around, and not in the way."""

from toolsearch_hookspecs import ToolError, ToolSpec

from ..conftest import ListSource


def broken():
    def fails(**given):
        raise ToolError("no paper")

    source = ListSource("print", {"page": fails})
    source.specs["page"] = ToolSpec(
        name="page",
        input_schema={"type": "object", "properties": {"n": {"type": "integer"}}},
    )
    return source


async def test_another_spelling_of_the_same_call_is_the_same_call(started):
    source = broken()
    run = await (await started(None, source)).plan()
    spellings = [
        {"id": "page", "args": {"n": 1}},
        {"id": " plugin:print:page", "args": {"n": 1}},
        {"id": "functions.PAGE", "args": {"n": "1"}},
        {"id": "print.page", "args": '{"n": 1}'},
        {"id": "page", "n": 1},
        {"id": "page", "args": {"arguments": {"n": 1}}},
    ]
    codes = [(await run.handle("tool_call", spelt)).error.code for spelt in spellings]
    assert codes == ["tool_error"] * 3 + ["loop"] * 3
    assert (await run.handle("page", {"n": 1})).error.code == "loop"
    assert len(source.calls) == 3


async def test_calls_that_differ_only_beside_their_id_are_not_the_same(started):
    source = broken()
    run = await (await started(None, source)).plan()
    codes = [
        (await run.handle("tool_call", {"id": "page", "n": n})).error.code for n in range(1, 9)
    ]
    assert codes == ["tool_error"] * 8


async def test_a_name_that_is_not_there_is_not_asked_for_for_ever(started):
    run = await (await started(None, broken())).plan()
    codes = [(await run.handle("tool_call", {"id": "nothing"})).error.code for _ in range(17)]
    assert codes == ["unknown_tool"] * 3 + ["loop"] * 14


async def test_what_failed_long_ago_may_be_tried_again(started):
    source = broken()
    run = await (await started(None, source)).plan()
    now = 0.0
    run.state.guard.clock = lambda: now
    codes = [(await run.call("page", {"n": 1})).error.code for _ in range(5)]
    now = 61.0
    source.functions["page"] = lambda n: f"page {n}"
    assert codes[-1] == "loop"
    assert (await run.call("page", {"n": 1})).value == "page 1"


async def test_the_same_failing_call_seventeen_times_is_stopped_and_recorded_as_a_failure(started):
    source = broken()
    host = await started(None, source)
    run = await host.plan()
    for _ in range(17):
        assert (await run.call("page", {"n": 1})).is_error
    assert len(source.calls) == 3
    assert run.counters.errors == 17
    await host.plugins.hooks.drain()
    assert [event.data["ok"] for event in host.events.of("call.ended")] == [False] * 17
