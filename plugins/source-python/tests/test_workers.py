"""Functions in worker processes: deadlines hold, whatever the code does."""

import asyncio
import os
import sys
import time

import pytest

from toolsearch_hookspecs import ErrorCode, SourceUnavailable, ToolError

TOOLS = """
import os, sys, time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

def pid() -> int:
    return os.getpid()

def next_day(day: date) -> date:
    return date.fromordinal(day.toordinal() + 1)

def hold(mark: str) -> int:
    Path(mark).write_text(str(os.getpid()))
    return 10 ** (10 ** 9)  # never gives the interpreter lock back

def die() -> None:
    os._exit(7)

def fail() -> None:
    raise ValueError("bad")

def noisy() -> int:
    print("printed")
    os.write(1, b"written")
    return len(sys.stdin.read())

def meet(mine: str, other: str) -> bool:
    Path(mine).touch()
    for _ in range(6000):
        if Path(other).exists():
            return True
        time.sleep(0.005)
    return False

def endless() -> Iterator[int]:
    while True:
        yield 1

def huge() -> str:
    return "x" * (70 * 1024 * 1024)

async def awaited(n: int) -> int:
    return n + 1
"""


@pytest.fixture
def worked(module, written):
    return module(written("worked_module", TOOLS), workers=True)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def gone(pid: int) -> None:
    while alive(pid):
        time.sleep(0.005)


def appeared(path) -> int:
    while not (path.exists() and path.read_text()):
        time.sleep(0.005)
    return int(path.read_text())


async def test_the_module_is_imported_in_the_worker_and_never_here(worked):
    specs = await worked.specs()
    assert specs["next_day"].input_schema["properties"] == {
        "day": {"type": "string", "format": "date"}
    }
    assert "worked_module" not in sys.modules
    assert await worked.call("pid") != os.getpid()


async def test_arguments_and_results_cross_as_json(worked):
    assert await worked.call("next_day", day="2026-12-31") == "2027-01-01"
    assert await worked.call("awaited", n=1) == 2


async def test_a_worker_is_used_again(worked):
    assert await worked.call("pid") == await worked.call("pid")


async def test_a_call_that_keeps_the_interpreter_lock_ends_when_it_is_cancelled(worked, tmp_path):
    mark = tmp_path / "pid"
    task = asyncio.create_task(worked.call("hold", mark=str(mark)))
    pid = await asyncio.to_thread(appeared, mark)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(pid)
    assert await worked.call("pid") != pid


async def test_calls_run_side_by_side_each_in_a_process_of_its_own(worked, tmp_path):
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    met = await asyncio.gather(
        worked.call("meet", mine=one, other=two), worked.call("meet", mine=two, other=one)
    )
    assert met == [True, True]


async def test_a_worker_that_died_between_calls_costs_no_call(worked):
    pid = await worked.call("pid")
    os.kill(pid, 9)
    await asyncio.to_thread(gone, pid)
    await asyncio.sleep(0)
    assert await worked.call("awaited", n=1) == 2


async def test_a_worker_that_dies_fails_its_call_and_is_replaced(worked):
    with pytest.raises(ToolError, match="die did not answer: its process ended with code 7"):
        await worked.call("die")
    assert await worked.call("awaited", n=1) == 2


async def test_an_exception_in_a_worker_is_a_failure_of_the_tool(worked):
    with pytest.raises(ToolError, match=r"^ValueError: bad$"):
        await worked.call("fail")


async def test_arguments_that_do_not_fit_are_said_not_to_have_run(worked):
    result = await worked.result("next_day", {"day": "someday"})
    assert result.error.code is ErrorCode.INVALID_ARGUMENTS


async def test_what_a_function_prints_or_reads_does_not_touch_the_messages(worked, capfd):
    assert await worked.call("noisy") == 0
    assert await worked.call("awaited", n=1) == 2
    seen = capfd.readouterr()
    assert seen.out == ""
    assert "written" in seen.err


async def test_an_endless_iterator_is_cut_in_the_worker(worked):
    result = await worked.result("endless", {})
    assert len(result.value) == 1_000
    assert result.note == "an iterator was cut after 1000 items"


async def test_a_result_too_large_to_pass_is_a_failure_and_the_worker_lives(worked):
    pid = await worked.call("pid")
    with pytest.raises(ToolError, match="too large"):
        await worked.call("huge")
    assert await worked.call("pid") == pid


async def test_a_module_that_cannot_be_imported_is_unavailable(module, written):
    used = module(written("broken_worker", "import nothing_like_this\n"), workers=1)
    with pytest.raises(SourceUnavailable, match=r"broken_worker.*ModuleNotFoundError"):
        await used.specs()


async def test_a_module_that_kills_its_process_is_unavailable(module, written):
    used = module(written("deadly_worker", "import os; os._exit(9)\n"), workers=1)
    with pytest.raises(SourceUnavailable, match="did not start: its process ended with code 9"):
        await used.specs()


async def test_closing_the_source_ends_its_workers(module, written):
    used = module(written("closed_module", TOOLS), workers=1)
    pid = await used.call("pid")
    await used.source.aclose()
    assert not alive(pid)
