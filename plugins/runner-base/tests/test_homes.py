"""A runner that is used by a fork of its program, by another event loop, or after its end."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from toolsearch_runner_base._supervised import SupervisedSpawner

pytestmark = pytest.mark.asyncio(loop_scope="session")

COMMON = """
import asyncio, os, sys, threading
sys.path.insert(0, %(tests)r)
import conftest
tested = next(each for each in conftest.ENGINES if each.kind.name == %(name)r)

async def run(runner, code, box=None):
    async with asyncio.timeout(60):
        outcome = await runner.run(code, box or conftest.ToolBox(), conftest.limits())
    return outcome.outcome, outcome.value
"""

FORK = """
async def main():
    runner = tested.make(pool=1)
    await runner.probe()
    async with asyncio.timeout(60):
        while not runner._pool._ready:
            await asyncio.sleep(0.01)
    box = conftest.ToolBox()
    waiting = asyncio.ensure_future(
        run(runner, "return (await openclaw.tools.call('gate')).result", box))
    await box.started.wait()
    pid = os.fork()
    if pid == 0:
        async def there():
            print("fork", [await run(runner, f"return {n}") for n in (1, 2)], flush=True)
            await runner.aclose()
        asyncio._set_running_loop(None)
        asyncio.new_event_loop().run_until_complete(there())
        os._exit(0)
    await asyncio.to_thread(os.waitpid, pid, 0)
    box.gate.set()
    print("parent", await waiting, await run(runner, "return 3"), flush=True)
    await runner.aclose()

asyncio.run(main())
"""

LOOPS = """
runner = tested.make(pool=1)
for number in range(3):
    async def both():
        return await asyncio.gather(*(run(runner, f"return {number}") for _ in range(4)))
    print(asyncio.run(both()), flush=True)
asyncio.run(runner.aclose())
print(asyncio.run(run(tested.make(), "return 3")), flush=True)
"""

THREADS = """
async def main():
    runner, box = tested.make(), conftest.ToolBox()
    waiting = asyncio.ensure_future(
        run(runner, "return (await openclaw.tools.call('gate')).result", box))
    await box.started.wait()
    elsewhere = []
    thread = threading.Thread(
        target=lambda: elsewhere.append(asyncio.run(run(runner, "return 1"))))
    thread.start()
    await asyncio.to_thread(thread.join)
    box.gate.set()
    print(elsewhere, await waiting, flush=True)
    await runner.aclose()

asyncio.run(main())
"""


async def said(engine, program: str) -> list[str]:
    """What a program of its own prints, with the seconds that it may take."""
    tests = str(Path(__file__).parent)
    common = COMMON % {"tests": tests, "name": engine.kind.name}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", common + program, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(120):
        output, _ = await process.communicate()
    assert process.returncode == 0
    return output.decode().splitlines()


async def test_a_fork_of_the_program_has_children_of_its_own(engine):
    assert await said(engine, FORK) == [
        "fork [('ok', 1), ('ok', 2)]",
        "parent ('ok', 'through') ('ok', 3)",
    ]


async def test_a_runner_serves_one_event_loop_after_another(engine):
    assert await said(engine, LOOPS) == [
        *(str([("ok", number)] * 4) for number in range(3)),
        "('ok', 3)",
    ]


async def test_a_runner_is_unavailable_to_a_second_loop_while_the_first_runs(engine):
    assert await said(engine, THREADS) == ["[('unavailable', None)] ('ok', 'through')"]


async def test_an_event_of_a_child_that_nobody_knows_is_passed_over():
    spawner = SupervisedSpawner()
    try:
        await spawner.survey()
        for event in (
            {"event": "started", "id": 99, "pid": 1},
            {"event": "failed", "id": 99, "reason": "x", "busy": False},
            {"event": "exit", "id": 99, "code": 0, "memory": False, "peak_kb": 0, "stderr": ""},
        ):
            spawner._event(event)
        assert (await spawner.survey())["rlimits"] is True
    finally:
        await spawner.aclose()


async def test_bodies_that_wait_to_start_when_the_runner_is_closed_are_told(
    fresh, toolbox, limits_of
):
    runner = fresh()
    await runner.probe()
    runner._pool._starts = asyncio.Semaphore(1)
    running = [
        asyncio.ensure_future(runner.run("return 1", toolbox(), limits_of())) for _ in range(6)
    ]
    await asyncio.sleep(0.01)
    await runner.aclose()
    async with asyncio.timeout(60):
        outcomes = await asyncio.gather(*running)
    assert {outcome.outcome for outcome in outcomes} <= {"unavailable", "crashed"}
    assert outcomes[-1].outcome == "unavailable"
    assert runner._spawner._supervisor is None


async def test_a_runner_that_was_closed_starts_nothing(fresh, toolbox, limits_of):
    runner = fresh(pool=1)
    await runner.probe()
    await runner.aclose()
    outcome = await runner.run("return 1", toolbox(), limits_of())
    assert outcome.outcome == "unavailable"
    attestation = await runner.probe()
    assert not attestation.available
    assert attestation.missing == ("supervisor",)
    assert "closed" in attestation.cure
    assert runner._spawner._supervisor is None
