"""Several hosts in a process, hosts in threads, in a running loop, across fork and spawn."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import threading

import pytest

from toolsearch import Host, SyncHost
from toolsearch.testing import ListSource, Yields

CONFIG = {
    "tools": {"toolSearch": {"mode": "tools"}},
    "plugins": {
        "disabled": ["source-mcp", "serve-mcp"],
        "settings": {"source-python": {"modules": ["statistics"]}},
    },
}
BARE = {"tools": {"toolSearch": {"mode": "tools"}}}
CALL = {"id": "plugin:statistics:mean", "args": {"data": [1, 2, 3]}}


def made(state_dir, config=CONFIG, **more):
    return Host.from_config(config, environ={}, state_dir=state_dir, **more)


async def mean(state_dir):
    async with made(state_dir) as host:
        run = await host.plan()
        return (await run.handle("tool_call", CALL)).value["result"]


async def hello(state_dir):
    """As `mean`, with a source of the program's own."""
    source = ListSource("echo", {"say": lambda: "hello"})
    async with made(state_dir, BARE, plugins=[("echo", Yields(source))]) as host:
        run = await host.plan()
        called = await run.handle("tool_call", {"id": "plugin:echo:say", "args": {}})
        return called.value["result"]


async def test_two_hosts_of_a_process_share_nothing(tmp_path):
    denying = CONFIG | {"tools": {"toolSearch": {"mode": "tools"}, "deny": ["mean"]}}
    async with made(tmp_path / "a") as first, made(tmp_path / "b", denying) as second:
        open_run, closed_run = await first.plan(), await second.plan()
        assert not (await open_run.handle("tool_call", CALL)).is_error
        assert (await closed_run.handle("tool_call", CALL)).is_error
        pairs = zip(first.plugins.loaded, second.plugins.loaded, strict=True)
        assert all(one.object is not other.object for one, other in pairs)
        await second.aclose()
        assert not (await open_run.handle("tool_call", CALL)).is_error


async def test_many_hosts_may_start_and_close_side_by_side(tmp_path):
    answers = await asyncio.gather(*(hello(tmp_path / str(number)) for number in range(5)))
    assert answers == ["hello"] * 5


def test_hosts_live_in_threads_with_loops_of_their_own(tmp_path):
    answers, failures = [], []

    def work(number):
        try:
            answers.append(asyncio.run(hello(tmp_path / str(number))))
        except BaseException as failure:  # noqa: BLE001  told below
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (answers, failures) == (["hello"] * 3, [])


async def test_a_synchronous_host_may_be_used_from_a_worker_of_a_running_loop(tmp_path):
    def work():
        with SyncHost(CONFIG, environ={}, state_dir=tmp_path) as host:
            return host.plan().handle("tool_call", CALL).value["result"]

    assert await asyncio.to_thread(work) == 2


def in_a_process(state_dir, answers):
    answers.put(asyncio.run(mean(state_dir)))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="fork")
@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_process_started_in_any_way_has_a_host_of_its_own(tmp_path, way):
    assert asyncio.run(mean(tmp_path / "parent")) == 2
    context = multiprocessing.get_context(way)
    answers = context.SimpleQueue()
    child = context.Process(target=in_a_process, args=(tmp_path / "child", answers))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert answers.get() == 2


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
async def test_a_fork_beside_a_started_host_leaves_it_working(tmp_path):
    async with made(tmp_path) as host:
        run = await host.plan()
        assert not (await run.handle("tool_call", CALL)).is_error
        child = os.fork()
        if child == 0:
            os._exit(0)
        await asyncio.to_thread(os.waitpid, child, 0)
        assert not (await run.handle("tool_call", CALL)).is_error


async def test_a_host_can_be_closed_in_any_state(tmp_path):
    never_started = made(tmp_path / "a")
    await never_started.aclose()
    started = made(tmp_path / "b")
    await started.start()
    await started.aclose()
    await started.aclose()
    with pytest.raises(RuntimeError, match="closed"):
        await never_started.plan()


async def test_closing_during_a_call_ends_the_call(tmp_path):
    begun = asyncio.Event()

    async def forever():
        begun.set()
        await asyncio.Event().wait()

    source = ListSource("slow", {"forever": forever})
    host = made(tmp_path, plugins=[("slow", Yields(source))])
    await host.start()
    run = await host.plan()
    call = {"id": "plugin:slow:forever", "args": {}}
    waiting = asyncio.ensure_future(run.handle("tool_call", call))
    await begun.wait()
    await host.aclose()
    waiting.cancel()
    await asyncio.wait([waiting], timeout=20)
    assert waiting.done()


async def test_closing_while_it_starts_leaves_nothing_running(tmp_path):
    gate = asyncio.Event()

    class SlowToStart(ListSource):
        async def start(self, changed):
            gate.set()
            await asyncio.Event().wait()

    source = SlowToStart("slow", {})
    host = made(tmp_path, plugins=[("slow", Yields(source))])
    starting = asyncio.ensure_future(host.start())
    await gate.wait()
    starting.cancel()
    await asyncio.wait([starting])
    await host.aclose()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    _, running = await asyncio.wait(others, timeout=20) if others else (set(), set())
    assert not running
