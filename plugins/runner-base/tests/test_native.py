"""What machine code finds that runs in a child: a program of ours stands for it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import pytest_asyncio

from toolsearch_runner_base._supervised import SupervisedSpawner
from toolsearch_runner_base.process import Channel, Command
from toolsearch_runner_base.reading import first_line

pytestmark = pytest.mark.asyncio(loop_scope="session")

WITHOUT_LANDLOCK = ("seccomp", "rlimits", "death")


@pytest_asyncio.fixture(loop_scope="session")
async def native():
    """Runs a program of Python in place of a runtime; gives what it prints."""
    spawner = SupervisedSpawner()

    async def run(program: str, layers: tuple[str, ...] = WITHOUT_LANDLOCK, **given):
        command = Command(
            sys.executable,
            (sys.executable, "-I", "-S", "-B", "-c", program),
            layers=layers,
            **given,
        )
        return json.loads(await first_line(spawner, command, Channel(1 << 20, 1 << 20)))

    yield run
    await spawner.aclose()


SHARED = """
import json, mmap
def made(flags):
    try:
        mmap.mmap(-1, 1 << 20, flags=flags | mmap.MAP_ANONYMOUS).close()
    except OSError as error:
        return type(error).__name__
    return "made"
print(json.dumps([made(mmap.MAP_PRIVATE), made(mmap.MAP_SHARED)]), flush=True)
"""


async def test_no_memory_is_shared_since_no_bound_holds_for_it(native):
    assert await native(SHARED) == ["made", "PermissionError"]
    assert await native(SHARED, ("rlimits",)) == ["made", "made"]


def most_processes(pid: int) -> list[str]:
    """The limit of a process, soft and hard."""
    for line in Path(f"/proc/{pid}/limits").read_text().splitlines():
        if line.startswith("Max processes"):
            return line.split()[2:4]
    return []


async def test_a_child_that_has_greeted_starts_no_thread_any_more(fresh):
    runner = fresh()
    await runner.probe()
    ready = await runner._start(128)
    try:
        assert most_processes(ready.process.pid) == ["0", "0"]
    finally:
        ready.process.end()
        await ready.process.exited
