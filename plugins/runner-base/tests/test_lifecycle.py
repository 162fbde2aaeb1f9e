"""Children come, are used once, and are gone, whatever happens around them."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")


def gone(pidfd: int, seconds: float = 20) -> bool:
    """Whether the process of a descriptor ends; waits for it."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def supervisor_of(runner) -> int:
    return runner._spawner._supervisor.pid


async def until(true) -> None:
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.01)


async def started(task: asyncio.Task, tools) -> None:
    """Until the body has made its first call."""
    waiter = asyncio.ensure_future(tools.started.wait())
    await asyncio.wait([task, waiter], return_when=asyncio.FIRST_COMPLETED)
    waiter.cancel()
    assert not task.done(), task.result()


async def test_no_child_is_left_after_a_body(fresh, toolbox, limits_of):
    runner = fresh()
    outcome = await runner.run("return 1", toolbox(), limits_of())
    assert outcome.ok
    assert children(supervisor_of(runner)) == []


async def test_a_cancelled_body_is_ended_and_its_call_cancelled(fresh, toolbox, limits_of):
    runner, tools = fresh(), toolbox()
    task = asyncio.ensure_future(
        runner.run("await openclaw.tools.call('hang')", tools, limits_of())
    )
    await started(task, tools)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert tools.cancelled == ["hang"]
    assert children(supervisor_of(runner)) == []


async def test_a_body_that_is_cancelled_twice_is_still_ended(fresh, toolbox, limits_of):
    runner, tools = fresh(), toolbox()
    task = asyncio.ensure_future(
        runner.run("await openclaw.tools.call('hang')", tools, limits_of())
    )
    await started(task, tools)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children(supervisor_of(runner)) == []


async def test_a_body_that_is_cancelled_while_its_child_starts_leaves_no_child(
    fresh, toolbox, limits_of
):
    runner = fresh()
    await runner.probe()
    for turns in range(1, 12):
        task = asyncio.ensure_future(runner.run("return 1", toolbox(), limits_of()))
        for _ in range(turns):
            await asyncio.sleep(0.002)
        task.cancel()
        await asyncio.wait([task])
    outcome = await runner.run("return 2", toolbox(), limits_of())
    assert outcome.value == 2
    await until(lambda: not children(supervisor_of(runner)))


PARENT = """
import asyncio, sys
from toolsearch_hookspecs import CodeLimits
from %(module)s import %(name)s
from %(settings)s import RunnerSettings

class Tools:
    def on_waiting(self, changed): pass
    async def search(self, query, options=None):
        print("started", runner._spawner._supervisor.pid, flush=True)
    describe = call = search

async def main():
    global runner
    runner = %(name)s(RunnerSettings(pool=1))
    limits = CodeLimits(timeout_ms=60000, max_wait_ms=1, max_script_bytes=10000, max_bridge_calls=9,
        max_parallel_calls=8, max_value_bytes=1000, max_body_value_bytes=1000, max_log_bytes=1000,
        memory_mb=128)
    await runner.run("await openclaw.tools.search('x'); for (;;);", Tools(), limits)

asyncio.run(main())
"""


async def test_nothing_outlives_an_embedding_program_that_is_killed(engine):
    names = {
        "module": engine.runner.__module__,
        "name": engine.runner.__name__,
        "settings": engine.settings.__module__,
    }
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT % names, stdout=asyncio.subprocess.PIPE
    )
    line = await parent.stdout.readline()
    supervisor = int(line.split()[1])
    pids = [supervisor, *children(supervisor)]
    assert len(pids) >= 2
    watched = [os.pidfd_open(pid) for pid in pids]
    parent.kill()
    await parent.wait()
    try:
        assert all(gone(each) for each in watched)
    finally:
        for each in watched:
            os.close(each)


async def test_a_supervisor_that_is_killed_takes_its_children_and_is_replaced(
    fresh, toolbox, limits_of
):
    runner, tools = fresh(), toolbox()
    task = asyncio.ensure_future(
        runner.run("await openclaw.tools.call('hang')", tools, limits_of())
    )
    await started(task, tools)
    (child,) = children(supervisor_of(runner))
    watched = os.pidfd_open(child)
    os.kill(supervisor_of(runner), signal.SIGKILL)
    outcome = await task
    assert outcome.outcome == "crashed"
    assert tools.cancelled == ["hang"]
    assert gone(watched)
    os.close(watched)
    assert (await runner.run("return 3", toolbox(), limits_of())).value == 3


async def test_a_supervisor_does_not_mind_the_signals_of_a_terminal(fresh, toolbox, limits_of):
    runner = fresh()
    await runner.probe()
    for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1):
        os.kill(supervisor_of(runner), which)
    assert (await runner.run("return 4", toolbox(), limits_of())).value == 4


async def test_closing_the_runner_ends_the_waiting_children(fresh):
    runner = fresh(pool=2)
    await runner.probe()
    await until(lambda: len(runner._pool._ready) == 2)
    watched = [os.pidfd_open(pid) for pid in children(supervisor_of(runner))]
    assert len(watched) == 2
    await runner.aclose()
    assert all(gone(each) for each in watched)
    for each in watched:
        os.close(each)


async def test_closing_a_runner_that_did_nothing_is_no_trouble(fresh):
    runner = fresh(pool=2)
    await runner.aclose()
    await runner.aclose()


async def test_a_child_serves_one_body(fresh, toolbox, limits_of):
    runner = fresh(pool=2)
    await runner.probe()
    first = await runner.run(
        "globalThis.mark = 1; Array.prototype.x = 1; return 0", toolbox(), limits_of()
    )
    second = await runner.run("return [typeof mark, [].x ?? 0]", toolbox(), limits_of())
    assert first.ok
    assert second.value == ["undefined", 0]


async def test_waiting_children_are_used_and_replaced(fresh, toolbox, limits_of):
    runner = fresh(pool=1)
    await runner.probe()
    for _ in range(3):
        await until(lambda: runner._pool._ready)
        outcome = await runner.run("return 1", toolbox(), limits_of())
        assert outcome.telemetry["pooled"] is True


async def test_what_a_child_rehearsed_while_it_waited_is_nothing_to_the_body(
    fresh, toolbox, limits_of
):
    code = """console.log('said');
const found = await openclaw.tools.search('anything');
const seen = Object.getOwnPropertyNames(globalThis).sort();
return [seen, Object.keys(Object.prototype), found, new Error('x').stack ?? null];"""
    told = []
    for pool in (1, 0):
        runner = fresh(pool=pool)
        await runner.probe()
        if pool:
            await until(lambda runner=runner: runner._pool._ready)
        tools = toolbox()
        outcome = await runner.run(code, tools, limits_of(max_bridge_calls=1))
        told.append((outcome.telemetry.pop("pooled"), outcome.telemetry["searches"], tools.calls))
        told[-1] += (outcome.value, outcome.logs, outcome.notes)
    (waited, *one), (came, *other) = told
    assert (waited, came) == (True, False)
    assert one == other
    assert one[1] == [("search", "anything")]


async def test_waiting_children_that_nobody_needs_are_given_up(
    fresh, toolbox, limits_of, monkeypatch
):
    from toolsearch_runner_base import _pool

    runner = fresh(pool=1)
    await runner.probe()
    await until(lambda: runner._pool._ready)
    monkeypatch.setattr(_pool, "IDLE_SECONDS", 0.5)  # a start takes longer on a busy machine
    runner._pool.fill(128)
    await until(lambda: not (runner._pool._ready or children(supervisor_of(runner))))
    assert (await runner.run("return 1", toolbox(), limits_of())).ok


async def test_a_waiting_child_that_died_is_not_used(fresh, toolbox, limits_of):
    runner = fresh(pool=1)
    await runner.probe()
    await until(lambda: runner._pool._ready)
    ready = runner._pool._ready[0]
    os.kill(ready.process.pid, signal.SIGKILL)
    await ready.process.exited
    outcome = await runner.run("return 5", toolbox(), limits_of())
    assert (outcome.value, outcome.telemetry["pooled"]) == (5, False)


async def test_a_waiting_child_is_not_used_for_another_amount_of_memory(fresh, toolbox, limits_of):
    runner = fresh(pool=1)
    await runner.probe()
    await until(lambda: runner._pool._ready)
    outcome = await runner.run("return 6", toolbox(), limits_of(memory_mb=200))
    assert (outcome.value, outcome.telemetry["pooled"]) == (6, False)


async def test_many_bodies_at_once_keep_apart(fresh, toolbox, limits_of):
    runner = fresh(pool=2)
    outcomes = await asyncio.gather(
        *(
            runner.run(
                f"return (await openclaw.tools.call('echo', {number})).result",
                toolbox(),
                limits_of(timeout_ms=60_000),
            )
            for number in range(40)
        )
    )
    assert [outcome.value for outcome in outcomes] == list(range(40))


async def test_two_runners_live_in_one_process(fresh, toolbox, limits_of):
    one, other = fresh(), fresh()
    outcomes = await asyncio.gather(
        one.run("return 1", toolbox(), limits_of()), other.run("return 2", toolbox(), limits_of())
    )
    assert [outcome.value for outcome in outcomes] == [1, 2]
    await one.aclose()
    assert (await other.run("return 3", toolbox(), limits_of())).value == 3


async def test_a_supervisor_that_is_stuck_is_replaced(fresh, toolbox, limits_of, monkeypatch):
    from toolsearch_runner_base import _supervised

    runner, tools = fresh(), toolbox()
    await runner.probe()
    monkeypatch.setattr(_supervised, "PATIENCE_SECONDS", 0.5)
    task = asyncio.ensure_future(
        runner.run("await openclaw.tools.call('hang')", tools, limits_of(timeout_ms=500))
    )
    await started(task, tools)
    (child,) = children(supervisor_of(runner))
    watched = os.pidfd_open(child)
    os.kill(supervisor_of(runner), signal.SIGSTOP)
    assert (await task).outcome == "timeout"
    assert tools.cancelled == ["hang"]
    assert gone(watched)
    os.close(watched)
    monkeypatch.undo()
    assert (await runner.run("return 1", toolbox(), limits_of())).value == 1
