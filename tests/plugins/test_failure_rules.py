"""A case for every hook that raises from it, and what the failure rule makes of that."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from toolsearch.plugins import PluginHost
from toolsearch_hookspecs import (
    HOOK_RULES,
    ErrorCode,
    OnFailure,
    PluginError,
    Reject,
    ToolResult,
)

from .conftest import Hosted, call, event, hit, plugin_with, request, run, tool

Case = Callable[[PluginHost], Awaitable[None]]

CASES: dict[str, Case] = {}
REFUSED = {"toolsearch_settings", "toolsearch_configure"}


def case(hook: str) -> Callable[[Case], Case]:
    def keep(function: Case) -> Case:
        CASES[hook] = function
        return function

    return keep


class Boom(BaseException):
    """Neither an Exception nor anything that asyncio knows."""


def raising(hook: str) -> type:
    """A plugin whose only hook raises."""
    rule = HOOK_RULES[hook]

    if rule.asynchronous:

        async def implementation(self):
            raise Boom("secret in the text")
    else:

        def implementation(self):
            raise Boom("secret in the text")

    return plugin_with(**{hook: implementation})


def of_failure(host: PluginHost) -> list[str]:
    return [each.message for each in host.diagnostics if each.code == "plugins.hook-failed"]


@case("toolsearch_tool_sources")
async def _(host: PluginHost) -> None:
    assert host.hooks.tool_sources() == ()


@case("toolsearch_search_indexes")
async def _(host: PluginHost) -> None:
    assert host.hooks.search_indexes() == ()


@case("toolsearch_mode_renderers")
async def _(host: PluginHost) -> None:
    assert host.hooks.mode_renderers() == ()


@case("toolsearch_code_runners")
async def _(host: PluginHost) -> None:
    assert host.hooks.code_runners() == ()


@case("toolsearch_surfaces")
async def _(host: PluginHost) -> None:
    assert host.hooks.surfaces() == ()


@case("toolsearch_commands")
async def _(host: PluginHost) -> None:
    assert host.hooks.commands() == ()


@case("toolsearch_tool_policy")
async def _(host: PluginHost) -> None:
    verdict = await host.hooks.policy(run(), [tool("a"), tool("b")], None)
    assert set(verdict.denied) == {tool("a").id, tool("b").id}
    assert verdict.denied[tool("a").id].plugin == "broken"
    assert "secret" not in verdict.denied[tool("a").id].value.reason
    assert not verdict.cacheable


@case("toolsearch_policy_explain")
async def _(host: PluginHost) -> None:
    assert await host.hooks.explain(run(), tool(), None) == []


@case("toolsearch_catalog_built")
async def _(host: PluginHost) -> None:
    await host.hooks.catalog_built(run(), [tool()])


@case("toolsearch_rank")
async def _(host: PluginHost) -> None:
    hits = (hit("a"), hit("b"))
    assert await host.hooks.rank(run(), "query", hits) == hits


@case("toolsearch_before_tool_call")
async def _(host: PluginHost) -> None:
    outcome = await host.hooks.before(call(url="x"))
    assert outcome.denied is not None
    assert outcome.denied.plugin == "broken"
    assert "secret" not in outcome.denied.value.reason


@case("toolsearch_approve")
async def _(host: PluginHost) -> None:
    outcome = await host.hooks.approve(request(), 60)
    assert isinstance(outcome.decision, Reject)
    assert "broken raised Boom" in outcome.decision.message
    assert outcome.plugin is None


@case("toolsearch_execute")
async def _(host: PluginHost) -> None:
    executed = []

    async def default(called: Any) -> ToolResult:
        executed.append(called)
        return ToolResult(value="executed")

    result = await host.hooks.execute(call(), default)
    assert executed == []
    assert result.error is not None
    assert result.error.code is ErrorCode.INTERNAL
    assert result.error.executed
    assert result.error.by == "broken"
    assert "secret" not in result.text


@case("toolsearch_after_tool_call")
async def _(host: PluginHost) -> None:
    result = await host.hooks.after(call(), ToolResult(value="card number"))
    assert result.error is not None
    assert result.error.code is ErrorCode.WITHHELD
    assert result.error.executed
    assert "card number" not in result.text
    assert "secret" not in result.text


@case("toolsearch_event")
async def _(host: PluginHost) -> None:
    host.hooks.emit(event(1))
    host.hooks.emit(event(2))
    await host.hooks.drain()


@case("toolsearch_shutdown")
async def _(host: PluginHost) -> None:
    (problem,) = await host.shutdown()
    assert problem.subject == "broken"


def test_every_hook_has_a_case_that_raises_from_it():
    assert set(CASES) | REFUSED == set(HOOK_RULES)


@pytest.mark.parametrize("hook", sorted(CASES))
async def test_a_hook_that_raises_has_its_failure_rule(hook: str, hosted: Hosted):
    host = hosted(broken=raising(hook))
    await CASES[hook](host)
    (message,) = of_failure(host)
    assert "'broken'" in message
    assert hook in message
    assert "Boom" in message
    assert HOOK_RULES[hook].on_failure.value in message
    await host.shutdown()


@pytest.mark.parametrize("hook", sorted(REFUSED))
def test_a_plugin_that_raises_at_load_is_refused(hook: str, hosted: Hosted):
    assert HOOK_RULES[hook].on_failure is OnFailure.REFUSE_PLUGIN
    with pytest.raises(PluginError, match=rf"'broken'.*{hook} raised .*Boom"):
        hosted(broken=raising(hook))


async def test_one_broken_plugin_leaves_the_others_their_say(hosted: Hosted, tmp_path: Path):
    told = []

    def listening(self, event):
        told.append(event.seq)

    host = hosted(
        a_broken=raising("toolsearch_event"), b_sound=plugin_with(toolsearch_event=listening)
    )
    host.hooks.emit(event(7))
    await host.hooks.drain()
    assert told == [7]
    await host.shutdown()
