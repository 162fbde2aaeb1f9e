"""A call that is cancelled, or whose hook raises, at each step: never executed without every yes,
never twice, recorded once, and nothing is left behind that the next call would feel.
"""

import asyncio

import pytest

from toolsearch_hookspecs import Approve, PolicyAnswer, ToolSpec, hookimpl

from ..conftest import ListSource

STEPS = ("policy", "before", "approve", "execute", "tool", "after")
BEFORE_THE_TOOL = ("policy", "before", "approve")


class Steps:
    """Stops at one step, by waiting for ever or by raising; from the second call on it does not."""

    def __init__(self, step, raises=None):
        self.step, self.raises = step, raises
        self.reached = asyncio.Event()
        self.armed = True

    async def at(self, step):
        if step != self.step or not self.armed:
            return
        self.armed = False
        self.reached.set()
        if self.raises is not None:
            raise self.raises
        await asyncio.Event().wait()

    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments):
        if arguments is not None:
            await self.at("policy")
        return PolicyAnswer()

    @hookimpl
    async def toolsearch_before_tool_call(self, call):
        await self.at("before")

    @hookimpl
    async def toolsearch_approve(self, request):
        await self.at("approve")
        return Approve()

    @hookimpl
    async def toolsearch_execute(self, call):
        await self.at("execute")

    @hookimpl
    async def toolsearch_after_tool_call(self, call, result):
        await self.at("after")


async def prepared(started, steps):
    async def work():
        await steps.at("tool")
        return "done"

    source = ListSource("s", {"work": work})
    source.specs["work"] = ToolSpec(name="work", approval="ask", sequential=True)
    config = {
        "tools": {"toolSearch": {"mode": "tools"}, "limits": {"maxParallelCalls": 1}},
        "plugins": {"disabled": ["approval-store"]},
    }
    host = await started(config, source, plugins=[("steps", steps)])
    return host, source, await host.plan()


@pytest.mark.parametrize("step", STEPS)
async def test_a_call_cancelled_at_any_step_leaves_nothing_behind(started, step):
    steps = Steps(step)
    host, source, run = await prepared(started, steps)
    call = asyncio.ensure_future(run.call("work", {}))
    await steps.reached.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    executed = len(source.calls)
    assert executed == (step in {"tool", "after"})
    async with asyncio.timeout(20):
        assert (await run.call("work", {})).value == "done"
    assert len(source.calls) == executed + 1
    await host.plugins.hooks.drain()
    first, second = host.events.of("call.ended")
    assert (first.data["code"], second.data["ok"]) == ("cancelled", True)


RAISED = (RuntimeError("/home/x secret"), SystemExit(1), asyncio.CancelledError(), GeneratorExit())


@pytest.mark.parametrize("raised", RAISED, ids=lambda raised: type(raised).__name__)
@pytest.mark.parametrize("step", STEPS)
async def test_a_hook_that_raises_at_any_step_lets_nothing_by(started, step, raised):
    host, source, run = await prepared(started, Steps(step, raised))
    result = await run.call("work", {})
    assert result.is_error
    assert result.error.executed == (step not in BEFORE_THE_TOOL)
    assert len(source.calls) == (step in {"tool", "after"})
    assert "secret" not in result.text
    assert "Traceback" not in result.text
    await host.plugins.hooks.drain()
    (ended,) = host.events.of("call.ended")
    assert (ended.data["ok"], ended.data["code"]) == (False, result.error.code)
    assert (await run.call("work", {})).value == "done"
