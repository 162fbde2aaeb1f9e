"""What each way of showing tools costs, and what `auto` makes of it (S4.8)."""

import pytest

from toolsearch_hookspecs import ToolSpec, hookimpl
from toolsearch_surface_openai import ChatSurface

from ..conftest import ListSource

BATTERIES = ["surface-openai", "surface-anthropic", "surface-gemini", "runner-node"]


class Chat:
    """Speaks chat completions, which take 128 tools."""

    @hookimpl
    def toolsearch_surfaces(self, plugin):
        return (ChatSurface(),)


def shelf(count, properties=1):
    source = ListSource("shelf", {f"tool_{n}": lambda: None for n in range(count)})
    schema = {
        "type": "object",
        "properties": {
            f"field_{n}": {"type": "string", "description": "What it is." * 3}
            for n in range(properties)
        },
    }
    for name in source.specs:
        source.specs[name] = ToolSpec(
            name=name, description=f"Does {name} well.", input_schema=schema
        )
    return source


def config(auto=None, **said):
    tool_search = {"enabled": True, "auto": {} if auto is None else auto, **said}
    return {
        "tools": {"toolSearch": tool_search},
        "plugins": {"disabled": BATTERIES, "enabled": []},
    }


async def test_the_costs_are_those_of_the_surfaces_that_runs_get(started):
    host = await started(config(), shelf(40, properties=6))
    cost = await (await host.plan()).cost()
    for mode in ("direct", "tools"):
        surface = (await host.plan(mode=mode)).planned_surface
        exposure = cost.of(mode)
        assert exposure.tools == len(surface.model.tools)
        assert exposure.bytes == pytest.approx(surface.tool_bytes + surface.prompt_bytes, abs=1)
        assert exposure.first_tokens == pytest.approx(exposure.bytes / 4, abs=1)
        assert exposure.cached_tokens < exposure.first_tokens
    assert cost.of("directory").prompt_bytes > 0
    assert [exposure.mode for exposure in cost.exposures] == [
        "direct",
        "code",
        "tools",
        "directory",
    ]


async def test_a_small_catalog_stays_direct(started):
    host = await started(config(), shelf(5))
    run = await host.plan()
    assert run.mode == "direct"
    (said,) = [each for each in run.diagnostics if each.code == "exposure_picked"]
    assert "5 tools" in said.message
    assert "fewer than 20 tools and 20,000 bytes" in said.message


async def test_a_large_catalog_gets_what_costs_a_task_least(started):
    host = await started(config(), shelf(100, properties=10))
    run = await host.plan()
    cost = await run.cost()
    assert run.mode == cost.pick
    having = [each for each in cost.exposures if each.unavailable is None]
    assert cost.of(cost.pick).task_tokens == min(each.task_tokens for each in having)
    assert cost.of("direct").task_tokens > 10 * cost.of("tools").task_tokens


async def test_code_is_not_picked_where_none_can_be_run(started):
    host = await started(config(), shelf(100, properties=10))
    run = await host.plan()
    assert (await run.cost()).of("code").unavailable is not None
    assert run.mode in {"tools", "directory"}


async def test_tools_that_cost_little_stay_direct_though_they_are_many(started):
    auto = {"minTools": 0, "minSchemaBytes": 0}
    host = await started(config(auto), shelf(12))
    run = await host.plan()
    assert run.mode == "direct"
    assert "with tools to be found" in (await run.cost()).why


async def test_a_mode_that_was_written_down_is_compared_with_direct_exposure_only(started):
    host = await started(config(mode="tools"), shelf(100, properties=10))
    assert (await host.plan()).mode == "tools"
    assert (await host.plan(mode="directory")).mode == "directory"


async def test_a_provider_that_takes_fewer_tools_is_not_shown_all_of_them(started):
    auto = {"minTools": 1_000, "minSchemaBytes": 1_000_000}
    host = await started(config(auto), shelf(129), plugins=[("chat", Chat())])
    assert (await host.plan()).mode == "direct"
    run = await host.plan(provider="openai")
    assert run.mode != "direct"
    assert "at most 128 tools" in (await run.cost()).why


async def test_without_auto_nothing_is_picked_and_the_cost_still_told(started):
    host = await started(None, shelf(5))
    run = await host.plan()
    assert run.mode == "tools"
    assert (await run.cost()).pick == "direct"


async def test_a_mode_that_nothing_renders_has_no_cost(started):
    cost = await (await (await started(config(), shelf(5))).plan()).cost()
    with pytest.raises(LookupError, match="'magic'"):
        cost.of("magic")
