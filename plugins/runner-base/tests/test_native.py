"""What machine code finds that runs in a child: a program of ours stands for it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
import pytest_asyncio

from toolsearch_runner_base._supervised import SupervisedSpawner
from toolsearch_runner_base.process import Channel, Command
from toolsearch_runner_base.reading import first_line
from toolsearch_runner_base.supervisor._confine import PRIVATE_UIDS, private_uid

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


def owner(pid: int) -> os.stat_result:
    return Path(f"/proc/{pid}").stat()


async def test_a_child_that_has_greeted_starts_no_thread_any_more(fresh):
    runner = fresh()
    await runner.probe()
    ready = await runner._start(128)
    try:
        assert most_processes(ready.process.pid) == ["0", "0"]
    finally:
        ready.process.end()
        await ready.process.exited


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives users away")
async def test_no_two_children_of_a_machine_have_a_user_in_common(fresh):
    for runner in (fresh(), fresh()):
        await runner.probe()
        for _ in range(2):
            ready = await runner._start(128)
            status = owner(ready.process.pid)
            ready.process.end()
            await ready.process.exited
            assert status.st_uid == status.st_gid == private_uid(ready.process.pid)
    assert len(PRIVATE_UIDS) >= 1 << 22  # the most processes that Linux has
    assert PRIVATE_UIDS.start > 0x70000000
    assert PRIVATE_UIDS.stop < 0x7FFFFFFF
