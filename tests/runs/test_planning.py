"""How a run is planned (S3)."""

import asyncio

import pytest

from toolsearch import ClientTool, ConfigError, Host
from toolsearch_hookspecs import (
    ANY_NAME,
    PolicyAnswer,
    Ruling,
    SourceUnavailable,
    ToolSpec,
    hookimpl,
)

from ..conftest import Events, ListSource, Yields


def adder(name="math"):
    return ListSource(name, {"add": lambda a, b: a + b})


class Denies:
    """A policy that denies some ids, counted."""

    def __init__(self, *ids):
        self.ids = ids
        self.asked = 0

    @hookimpl(inline=True)
    def toolsearch_tool_policy(self, run, tools, arguments):
        self.asked += 1
        denied = {tool.id: Ruling(reason="closed") for tool in tools if tool.id in self.ids}
        return PolicyAnswer(denied=denied, cache_key="fixed")


async def test_a_source_that_fails_is_reported_and_leaves_the_others_intact(started):
    broken = ListSource("broken", {"x": lambda: 1})
    broken.broken = RuntimeError("secret detail")
    host = await started(None, adder(), broken)
    run = await host.plan()
    assert [tool.id for tool in run.catalog.tools] == ["plugin:math:add"]
    (said,) = [d for d in run.diagnostics if d.code == "source_unavailable"]
    assert said.subject == "broken"


async def test_a_source_that_hangs_is_given_up_at_its_deadline(started):
    hung = ListSource("hung", {"x": lambda: 1})

    async def forever(run):
        await asyncio.Event().wait()

    hung.list_tools = forever
    config = {"tools": {"toolSearch": {"mode": "tools"}, "limits": {"sourceTimeoutMs": 50}}}
    host = await started(config, adder(), hung)
    run = await host.plan()
    assert [tool.owner for tool in run.catalog.tools] == ["math"]
    answer = await run.handle("tool_call", {"id": "plugin:hung:x", "args": {}})
    assert answer.error.code == "unavailable"
    assert "source hung is unavailable" in answer.error.message


async def test_the_model_hears_of_a_source_that_is_down_only_where_policy_allows_it(started):
    down = ListSource("calendar", {"x": lambda: 1})
    down.broken = SourceUnavailable("it is being restarted")
    host = await started({"tools": {"toolSearch": {"mode": "tools"}, "deny": ["plugin:calendar"]}})
    await host.aclose()
    allowed = await started(None, down)
    denied = await started(None, down, plugins=[("denies", Denies(f"plugin:calendar:{ANY_NAME}"))])
    for host, expected in ((allowed, "unavailable"), (denied, "unknown_tool")):
        run = await host.plan()
        answer = await run.handle("tool_call", {"id": "plugin:calendar:create_event"})
        assert answer.error.code == expected


async def test_one_malformed_tool_is_quarantined_and_said(started):
    source = adder()
    source.specs["bad"] = {"name": "bad", "input_schema": {"type": "int"}}
    host = await started(None, source)
    run = await host.plan()
    assert [tool.name for tool in run.catalog.tools] == ["add"]
    (said,) = [d for d in run.diagnostics if d.code == "tool_quarantined"]
    assert "'bad'" in said.message
    await host.plugins.hooks.drain()
    (event,) = host.events.of("tool.quarantined")
    assert event.data["name"] == "bad"


async def test_an_unchanged_tool_set_reuses_catalog_and_index_across_runs(started):
    policy = Denies()
    host = await started(None, adder(), plugins=[("policy", policy)])
    first, second = await host.plan(), await host.plan()
    assert first.catalog is second.catalog
    assert policy.asked == 1


async def test_the_same_tools_give_a_byte_identical_surface_in_any_order_of_sources(tmp_path):
    surfaces = []
    for order in ((adder("a"), adder("b")), (adder("b"), adder("a"))):
        host = Host.from_config(
            {"tools": {"toolSearch": {"mode": "tools"}, "alwaysVisible": ["add"]}},
            plugins=[("sources", Yields(*order)), ("events", Events())],
            environ={},
            state_dir=tmp_path,
        )
        async with host:
            run = await host.plan()
            surfaces.append(run.surface.model_dump_json())
    assert surfaces[0] == surfaces[1]


async def test_a_changed_source_is_seen_before_the_next_step_and_the_surface_stays(started):
    source = adder()
    host = await started(None, source)
    run = await host.plan()
    before = run.surface
    del source.specs["add"]
    source.specs["sub"] = ToolSpec(name="sub", description="subtract numbers")
    source.functions["sub"] = lambda: 7
    source.generation += 1
    source.changed()
    await asyncio.sleep(0)
    found = await run.search("subtract")
    assert [hit["name"] for hit in found.hits] == ["sub"]
    gone = await run.handle("tool_call", {"id": "plugin:math:add", "args": {"a": 1, "b": 2}})
    assert gone.error.code == "unavailable"
    assert run.surface is before
    await host.plugins.hooks.drain()
    (event,) = host.events.of("catalog.changed")
    assert (event.data["added"], event.data["removed"]) == (1, 1)


async def test_what_arrives_later_passes_policy_first(started):
    source = adder()
    host = await started(None, source, plugins=[("policy", Denies("plugin:math:secret"))])
    run = await host.plan()
    source.specs["secret"] = ToolSpec(name="secret", description="secret")
    source.generation += 1
    source.changed()
    await asyncio.sleep(0)
    assert (await run.search("secret")).hits == ()
    answer = await run.handle("tool_call", {"id": "plugin:math:secret"})
    assert answer.error.code == "unknown_tool"


async def test_tool_search_off_exposes_everything_directly(started):
    host = await started({}, adder())
    run = await host.plan()
    assert run.mode == "direct"
    assert [tool.name for tool in run.surface.tools] == ["add"]
    assert (await run.handle("add", {})).is_error


async def test_a_harness_with_its_own_tool_search_gets_plain_tools(started):
    host = await started(None, adder())
    run = await host.plan(harness="codex")
    assert run.mode == "direct"
    assert run.diagnostics[0].code == "native_search"


async def test_a_small_catalog_stays_direct_only_where_auto_is_set(started):
    auto = {"mode": "tools", "auto": {"minTools": 5, "minSchemaBytes": 10_000}}
    host = await started({"tools": {"toolSearch": auto}}, adder())
    assert (await host.plan()).mode == "direct"


async def test_an_unknown_mode_names_the_nearest(started):
    host = await started(None, adder())
    with pytest.raises(ConfigError, match="did you mean 'tools'"):
        await host.plan(mode="tool")


async def test_a_client_tool_named_like_a_control_tool_is_refused_at_planning(started):
    host = await started(None, adder())
    with pytest.raises(ConfigError, match="Tool_Search"):
        await host.plan(
            client_tools=[ClientTool(spec=ToolSpec(name="Tool_Search"), execute=lambda args: 1)]
        )


async def test_client_tools_of_two_runs_with_one_id_do_not_meet(started):
    host = await started(None, adder())
    runs = [
        await host.plan(
            client_tools=[
                ClientTool(
                    spec=ToolSpec(name="pick", description=text), execute=lambda args, t=text: t
                )
            ]
        )
        for text in ("choose a colour", "choose a file")
    ]
    for run, text in zip(runs, ("choose a colour", "choose a file"), strict=True):
        (hit,) = (await run.search("choose")).hits
        assert hit["description"] == text
        assert (await run.call("client:app:pick")).value == text


async def test_direct_only_and_always_visible_tools_are_given_beside_the_control_tools(started):
    source = ListSource("math", {"add": lambda: 1, "show": lambda: 2, "sub": lambda: 3})
    source.specs["show"] = source.specs["show"].model_copy(update={"catalog_mode": "direct-only"})
    config = {"tools": {"toolSearch": {"mode": "tools"}, "alwaysVisible": ["sub"]}}
    host = await started(config, source)
    run = await host.plan()
    names = [tool.name for tool in run.surface.tools]
    assert names == ["tool_search", "tool_describe", "tool_call", "show", "sub"]
    assert [hit["name"] for hit in (await run.search("show")).hits] == []
    assert [hit["name"] for hit in (await run.search("sub")).hits] == ["sub"]
    assert (await run.handle("sub", {})).value == 3
    assert (await run.handle("tool_call", {"id": "sub"})).value["result"] == 3


async def test_two_visible_tools_with_one_name_get_names_of_their_own(started):
    host = await started({}, adder("a"), adder("b"))
    run = await host.plan()
    assert [tool.name for tool in run.surface.tools] == ["a__add", "b__add"]


async def test_code_mode_without_a_runner_becomes_tools_and_says_so(started):
    config = {"tools": {"toolSearch": True}, "plugins": {"disabled": ["runner-node"]}}
    host = await started(config, adder())
    run = await host.plan()
    assert run.mode == "tools"
    (said,) = [d for d in run.diagnostics if d.code == "code_unavailable"]
    assert "runner-node" in said.message


async def test_strict_code_mode_without_a_runner_is_an_error(started):
    config = {
        "tools": {"toolSearch": {"mode": "code", "strict": True}},
        "plugins": {"disabled": ["runner-node"]},
    }
    host = await started(config, adder())
    with pytest.raises(ConfigError, match="strict"):
        await host.plan()


async def test_a_sub_agents_run_knows_its_parent(started):
    seen = []

    class Watches:
        @hookimpl(inline=True)
        def toolsearch_tool_policy(self, run, tools, arguments):
            seen.append(run)

    host = await started(None, adder(), plugins=[("watch", Watches())])
    parent = await host.plan(agent="boss")
    await host.plan(agent="helper", parent=parent)
    assert seen[-1].parent.agent == "boss"


async def test_an_ended_run_answers_nothing_more(started):
    host = await started(None, adder())
    run = await host.plan()
    await run.aclose()
    await run.aclose()
    assert (await run.handle("tool_call", {"id": "add"})).error.code == "unavailable"
    await host.plugins.hooks.drain()
    assert len(host.events.of("run.ended")) == 1
