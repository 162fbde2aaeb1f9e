"""What runs is ended with its run, whichever way it was called, and a tool that will not end is
said, counted and waited for.
"""

import asyncio
import contextlib
import json
import logging
import threading

import pytest

from toolsearch import CallError, ClientTool, SyncHost
from toolsearch_hookspecs import ToolSpec, hookimpl

from ..conftest import ListSource, Yields

CODE = "return (await openclaw.tools.call('plugin:slow:work', {})).result"


class Slow:
    """A tool that waits for ever, and says when it began and was cancelled."""

    def __init__(self):
        self.began, self.cancelled = asyncio.Event(), asyncio.Event()

    async def work(self, arguments=None):
        self.began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise

    def source(self, **spec):
        source = ListSource("slow", {"work": self.work})
        source.specs["work"] = ToolSpec(name="work", **spec)
        return source


class Stubborn:
    """A tool that swallows its cancellation until it is let go."""

    def __init__(self):
        self.free, self.running, self.ended = asyncio.Event(), 0, 0

    async def work(self):
        self.running += 1
        while not self.free.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await self.free.wait()
        self.ended += 1

    def source(self, *, timeout_ms=60_000, **spec):
        source = ListSource("mule", {"work": self.work})
        source.specs["work"] = ToolSpec(name="work", timeout_ms=timeout_ms, **spec)
        return source


@pytest.fixture
async def mule():
    stubborn = Stubborn()
    yield stubborn
    stubborn.free.set()
    await asyncio.sleep(0.01)


WAYS = {
    "call": lambda run: run.call("work", {}),
    "handle": lambda run: run.handle("work", {}),
    "by its full id": lambda run: run.handle("plugin:slow:work", "{}"),
    "tool_call": lambda run: run.control("tool_call", {"id": "work"}),
    "walk": lambda run: run.walk("work", {}, via="cli"),
    "respond": lambda run: run.respond(message(), surface="openai-chat"),
    "bridge": lambda run: run.bridge("body").call("work", {}),
}


def message():
    function = {"name": "tool_call", "arguments": json.dumps({"id": "work"})}
    return {
        "role": "assistant",
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }


async def result_of(way, run):
    """What came of a call, whatever the way says it in."""
    try:
        given = await way(run)
    except CallError as error:
        return error.failure
    return given.answers[0].result.error if hasattr(given, "answers") else given.error


@pytest.mark.parametrize("approvals", ["wait", "return"])
@pytest.mark.parametrize("way", WAYS)
async def test_closing_a_run_cancels_what_executes_in_the_callers_own_task(started, way, approvals):
    slow = Slow()
    host = await started(None, slow.source())
    run = await host.plan(approvals=approvals)
    call = asyncio.ensure_future(result_of(WAYS[way], run))
    await slow.began.wait()
    await run.aclose()
    assert slow.cancelled.is_set()
    async with asyncio.timeout(15):
        failure = await call
    assert (failure.code, failure.executed) == ("cancelled", True)
    assert "the run was closed while the tool ran" in failure.message
    await host.plugins.hooks.drain()
    kinds = [event.type for event in host.events.all if event.type in {"call.ended", "run.ended"}]
    assert kinds == ["call.ended", "run.ended"]


async def test_closing_a_run_ends_a_body_of_code_and_the_call_in_it(started):
    slow = Slow()
    host = await started({"tools": {"toolSearch": {"mode": "code"}}}, slow.source())
    run = await host.plan()
    body = asyncio.ensure_future(run.handle("tool_search_code", {"code": CODE}))
    await slow.began.wait()
    await run.aclose()
    assert slow.cancelled.is_set()
    async with asyncio.timeout(15):
        result = await body
    assert result.error.code == "cancelled"
    await host.plugins.hooks.drain()
    (ended,) = host.events.of("code.ended")
    assert (ended.data["outcome"], ended.data["ok"]) == ("cancelled", False)


async def test_closing_a_run_ends_a_body_that_only_computes(started):
    host = await started({"tools": {"toolSearch": {"mode": "code"}}}, Slow().source())
    run = await host.plan()
    body = asyncio.ensure_future(run.handle("tool_search_code", {"code": "for (;;) {}"}))
    await asyncio.sleep(0.5)
    await run.aclose()
    async with asyncio.timeout(15):
        assert (await body).error.code == "cancelled"


async def test_closing_a_run_ends_what_waits_for_a_person_or_for_the_caller(started):
    slow = Slow()
    host = await started(None, slow.source(approval="ask"))
    performs = ClientTool(spec=ToolSpec(name="pick"))
    run = await host.plan(approvals="return", client_tools=[performs])
    pending = await run.handle("tool_call", {"id": "work"}, call_id="a")
    handed = await run.handle("pick", {}, call_id="b")
    assert pending.pending is not None
    assert handed.handed_back is not None
    further = asyncio.ensure_future(run.go_on("b", lambda: True))
    await asyncio.sleep(0)
    await run.aclose()
    async with asyncio.timeout(15):
        assert (await further).error.code == "cancelled"
    assert not slow.began.is_set()


async def test_closing_a_run_cancels_a_client_tool_on_the_loop_and_on_a_thread(started):
    slow, stays, began = Slow(), threading.Event(), threading.Event()

    def plain(arguments):
        began.set()
        stays.wait(20)

    tools = [
        ClientTool(spec=ToolSpec(name="on_loop"), execute=slow.work),
        ClientTool(spec=ToolSpec(name="on_thread"), execute=plain),
    ]
    run = await (await started(None)).plan(client_tools=tools)
    calls = [asyncio.ensure_future(run.call(name, {})) for name in ("on_loop", "on_thread")]
    await slow.began.wait()
    await asyncio.to_thread(began.wait)
    await run.aclose()
    async with asyncio.timeout(15):
        codes = [(await call).error.code for call in calls]
    assert codes == ["cancelled", "cancelled"]
    assert slow.cancelled.is_set()
    stays.set()


async def test_closing_the_host_cancels_what_executes_in_every_run(started):
    source = Slow().source()
    host = await started(None, source)
    calls = [asyncio.ensure_future((await host.plan()).call("work", {})) for _ in range(3)]
    while len(source.calls) < 3:
        await asyncio.sleep(0.001)
    await host.aclose()
    assert [(await call).error.code for call in calls] == ["cancelled"] * 3


def test_closing_a_run_from_another_thread_cancels_a_call_of_the_synchronous_front(tmp_path):
    began, ended = threading.Event(), threading.Event()

    async def work():
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    config = {"tools": {"toolSearch": {"mode": "tools"}}}
    plugin = Yields(ListSource("slow", {"work": work}))
    with SyncHost(config, plugins=[("s", plugin)], environ={}, state_dir=tmp_path) as host:
        run = host.plan()
        results = []
        caller = threading.Thread(target=lambda: results.append(run.handle("work", {})))
        caller.start()
        assert began.wait(5)
        run.close()
        caller.join(5)
        assert ended.is_set()
        assert results[0].error.code == "cancelled"


async def test_a_tool_that_swallows_its_cancellation_is_said_and_left_behind(started, caplog, mule):
    host = await started(None, mule.source(timeout_ms=50))
    run = await host.plan()
    with caplog.at_level(logging.WARNING, "toolsearch"):
        result = await run.call("work", {})
    assert result.error.code == "timeout"
    assert (
        "did not end when it was cancelled; side effects may still happen" in result.error.message
    )
    assert "tool plugin:mule:work was cancelled and runs on" in caplog.text
    (said,) = [each for each in host.diagnostics() if each.code == "tool_left_running"]
    assert (said.subject, said.level) == ("plugin:mule:work", "warning")
    assert "1 time; 1 still run" in said.message
    await host.plugins.hooks.drain()
    assert host.events.of("call.ended")[0].data["leftRunning"] is True
    mule.free.set()
    await asyncio.sleep(0.01)
    (said,) = [each for each in host.diagnostics() if each.code == "tool_left_running"]
    assert "0 still run" in said.message


async def test_only_so_many_calls_of_one_source_are_left_behind(started, mule):
    slow = Slow()
    config = {"tools": {"toolSearch": {"mode": "tools"}, "limits": {"loopGuard": 50}}}
    host = await started(config, mule.source(timeout_ms=20), slow.source(timeout_ms=20))
    runs = [await host.plan() for _ in range(3)]
    for n in range(8):
        assert (await runs[n % 3].call("plugin:mule:work", {})).error.code == "timeout"
    for run in runs:
        refused = (await run.call("plugin:mule:work", {})).error
        assert (refused.code, refused.executed, refused.retryable) == ("unavailable", False, True)
        assert "8 calls to source mule were cancelled and still run" in refused.message
    assert mule.running == 8
    assert (await runs[0].call("plugin:slow:work", {})).error.code == "timeout"
    mule.free.set()
    await asyncio.sleep(0.01)
    assert not (await runs[0].call("plugin:mule:work", {})).is_error


async def test_a_sequential_tool_does_not_run_beside_one_that_was_left_behind(started, mule):
    other = ListSource("ox", {"pull": lambda: "pulled"})
    other.specs["pull"] = ToolSpec(name="pull", sequential=True)
    host = await started(None, mule.source(timeout_ms=20, sequential=True), other)
    run = await host.plan()
    assert (await run.call("work", {})).error.code == "timeout"
    refused = (await run.call("pull", {})).error
    assert refused.code == "unavailable"
    assert "plugin:mule:work was cancelled and still runs" in refused.message
    assert (await (await host.plan()).call("pull", {})).value == "pulled"
    mule.free.set()
    await asyncio.sleep(0.01)
    assert (await run.call("pull", {})).value == "pulled"


async def test_a_host_waits_for_what_was_left_behind_until_its_source_is_closed(started, mule):
    source = mule.source()

    async def lets_go():
        mule.free.set()

    source.aclose = lets_go
    host = await started(None, source)
    run = await host.plan()
    call = asyncio.ensure_future(run.call("work", {}))
    while not mule.running:
        await asyncio.sleep(0)
    await host.aclose()
    assert mule.ended == 1
    assert (await call).error.code == "cancelled"


async def test_a_host_that_cannot_wait_any_longer_says_what_still_runs(
    started, caplog, monkeypatch, mule
):
    monkeypatch.setattr("toolsearch.calls._left_behind.LAST_WAIT_S", 0.05)
    host = await started(None, mule.source(timeout_ms=20))
    run = await host.plan()
    await run.call("work", {})
    async with asyncio.timeout(15):
        await host.aclose()
    assert "tool plugin:mule:work still runs when its host is closed" in caplog.text
    mule.free.set()
    await asyncio.sleep(0.01)
    assert mule.ended == 1


async def test_a_caller_that_is_cancelled_twice_leaves_no_tool_uncounted(started, mule):
    host = await started(None, mule.source())
    run = await host.plan()
    call = asyncio.ensure_future(run.call("work", {}))
    while not mule.running:
        await asyncio.sleep(0)
    for _ in range(2):
        call.cancel()
        await asyncio.sleep(0.01)
    with pytest.raises(asyncio.CancelledError):
        await call
    assert [each.code for each in host.diagnostics()].count("tool_left_running") == 1
    mule.free.set()


async def test_the_hooks_after_a_call_still_see_what_the_end_of_the_run_cut_off(started):
    seen = []

    class After:
        @hookimpl
        async def toolsearch_after_tool_call(self, call, result):
            seen.append(result.error.code)

    slow = Slow()
    run = await (await started(None, slow.source(), plugins=[("after", After())])).plan()
    call = asyncio.ensure_future(run.call("work", {}))
    await slow.began.wait()
    await run.aclose()
    assert seen == ["cancelled"]
    await call
