"""The directory in the prompt of other modes (`tools.toolSearch.directory`)."""

import pytest

from toolsearch import ConfigError

from ..conftest import ListSource


def config(**said):
    return {"tools": {"toolSearch": {"mode": "tools", "directory": True, **said}}}


def shop():
    return ListSource("shop", {"pay_invoice": lambda: "paid", "ship_parcel": lambda: "shipped"})


async def test_the_mode_tools_may_carry_the_directory(started):
    host = await started(config(), shop())
    run = await host.plan(message="pay the invoice")
    assert [tool.name for tool in run.surface.tools] == [
        "tool_search",
        "tool_describe",
        "tool_call",
    ]
    directory = await host.plan(mode="directory")
    assert run.surface.prompt == directory.surface.prompt
    assert "- pay_invoice: pay_invoice of shop" in run.surface.prompt


async def test_the_mode_code_may_carry_it_too(started):
    host = await started(
        config(mode="code")
        | {"plugins": {"settings": {"runner-node": {"allowWeakIsolation": True}}}},
        shop(),
    )
    run = await host.plan()
    assert run.mode == "code"
    assert [tool.name for tool in run.surface.tools] == ["tool_search_code"]
    assert "- ship_parcel" in run.surface.prompt


async def test_the_directory_itself_is_not_drawn_twice(started):
    host = await started(config(), shop())
    prompt = (await host.plan(mode="directory")).surface.prompt
    assert prompt.count("- pay_invoice") == 1


async def test_a_directory_that_nothing_draws_is_an_error(started):
    off = {"plugins": {"disabled": ["mode-directory"]}}
    host = await started(config() | off, shop())
    with pytest.raises(ConfigError, match="renders mode 'directory'"):
        await host.plan()


async def test_what_it_costs_is_told(started):
    host = await started(config(), shop())
    cost = await (await host.plan()).cost()
    assert cost.of("tools").prompt_bytes == cost.of("directory").prompt_bytes > 0
