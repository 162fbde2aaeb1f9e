"""A run that is told to refresh shows what policy allows and sources offer now."""

import asyncio

import pytest

from toolsearch import ClientTool, ConfigError, SyncHost
from toolsearch_hookspecs import PolicyAnswer, Ruling, ToolSpec, hookimpl

from ..conftest import ListSource

MODE_TOOLS = {"tools": {"toolSearch": {"mode": "tools"}, "alwaysVisible": ["order", "refund"]}}


class Gate:
    """Denies the tools whose names or ids are in `closed` now, and counts how often it is asked about
    all of them.
    """

    def __init__(self, cache_key=None):
        self.closed, self.cache_key, self.asked = set(), cache_key, 0

    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments):
        self.asked += arguments is None
        closed = [tool.id for tool in tools if {tool.id, tool.name} & self.closed]
        denied = dict.fromkeys(closed, Ruling(reason="closed"))
        return PolicyAnswer(denied=denied, cache_key=self.cache_key)


def shop():
    return ListSource("shop", {name: lambda **given: given for name in ("order", "refund", "ship")})


def shown(run):
    return {tool.name for tool in run.surface.tools if not tool.name.startswith("tool_")}


@pytest.mark.parametrize(("mode", "rest"), [("tools", set()), ("direct", {"ship"})])
async def test_a_tool_that_policy_closed_is_gone_and_one_it_opened_is_back(started, mode, rest):
    gate = Gate()
    host = await started(MODE_TOOLS, shop(), plugins=[("gate", gate)])
    run = await host.plan(mode=mode)
    first = run.surface
    assert shown(run) == {"order", "refund"} | rest
    gate.closed = {"refund"}
    assert await run.refresh()
    assert shown(run) == {"order"} | rest
    assert "refund" not in run.rendered("openai-chat").model_dump_json()
    assert not await run.refresh()
    gate.closed = set()
    assert await run.refresh()
    assert run.surface == first
    assert not (await run.handle("refund", {})).is_error


async def test_a_change_behind_the_compact_surface_leaves_it_as_it_is(started):
    gate = Gate()
    host = await started(MODE_TOOLS, shop(), plugins=[("gate", gate)])
    run = await host.plan()
    before = run.surface
    gate.closed = {"ship"}
    assert not await run.refresh()
    assert run.surface == before
    assert "plugin:shop:ship" not in {tool.id for tool in run.catalog.tools}


async def test_a_policy_that_keeps_to_its_answer_is_not_asked_again(started):
    gate = Gate(cache_key="same")
    host = await started(MODE_TOOLS, shop(), plugins=[("gate", gate)])
    run = await host.plan()
    asked = gate.asked
    assert not await run.refresh()
    assert gate.asked == asked


async def test_what_a_source_offers_by_now_is_shown(started):
    changing = shop()
    host = await started({"tools": {"toolSearch": False}}, changing)
    run = await host.plan()
    del changing.specs["ship"]
    changing.generation += 1
    changing.changed()
    await asyncio.sleep(0)
    assert await run.refresh()
    assert shown(run) == {"order", "refund"}


async def test_a_call_under_way_ends_as_if_nothing_had_happened(started):
    gate, began, go_on = Gate(), asyncio.Event(), asyncio.Event()

    async def slow():
        began.set()
        await go_on.wait()
        return "done"

    host = await started(MODE_TOOLS, ListSource("shop", {"order": slow}), plugins=[("gate", gate)])
    run = await host.plan()
    under_way = asyncio.ensure_future(run.handle("order", {}))
    await began.wait()
    gate.closed = {"order"}
    assert await run.refresh()
    assert shown(run) == set()
    assert (await run.handle("order", {})).is_error
    go_on.set()
    assert (await under_way).value == "done"


async def test_a_required_tool_that_was_closed_is_gone_without_an_error(started):
    gate = Gate()
    directory = {"tools": {"toolSearch": {"mode": "directory"}}}
    host = await started(directory, shop(), plugins=[("gate", gate)])
    run = await host.plan(required=["ship", "order"])
    assert shown(run) == {"ship", "order"}
    gate.closed = {"ship"}
    assert await run.refresh()
    assert shown(run) == {"order"}
    assert "ship" not in run.surface.prompt
    with pytest.raises(ConfigError):
        await host.plan(required=["ship", "order"])


async def test_the_callers_own_tools_stay_and_are_called_by_the_names_shown_now(started):
    gate = Gate()
    host = await started(MODE_TOOLS, shop(), plugins=[("gate", gate)])
    own = ClientTool(
        spec=ToolSpec(name="ship", input_schema={"type": "object"}), execute=lambda _: "mine"
    )
    gate.closed = {"plugin:shop:ship"}
    run = await host.plan(client_tools=[own], mode="direct")
    assert shown(run) == {"order", "refund", "ship"}
    gate.closed = set()
    assert await run.refresh()
    by_id = {tool_id: name for name, tool_id in run.planned_surface.names.items()}
    assert len(by_id) == 4
    assert (await run.handle(by_id["client:app:ship"], {})).value == "mine"


async def test_a_run_that_ended_has_nothing_new_to_show(started):
    gate = Gate()
    host = await started(MODE_TOOLS, shop(), plugins=[("gate", gate)])
    run = await host.plan()
    await run.aclose()
    gate.closed = {"order"}
    assert not await run.refresh()


def test_a_program_without_an_event_loop_can_refresh_as_well(tmp_path):
    gate = Gate()
    with (
        SyncHost(
            MODE_TOOLS,
            sources=[shop()],
            plugins=[("gate", gate)],
            environ={},
            state_dir=tmp_path,
        ) as host,
        host.plan() as run,
    ):
        gate.closed = {"order"}
        assert run.refresh()
        assert shown(run) == {"refund"}
