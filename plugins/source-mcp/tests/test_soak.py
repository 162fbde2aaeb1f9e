"""Servers that are killed while they work: the long form is `benchmarks/soak.py`."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from contextlib import suppress
from pathlib import Path

from toolsearch_hookspecs import SourceUnavailable, ToolError, ToolResult

CALLS = 40


async def attempt(servers, source, number: int) -> str:
    """How one call ended: `done`, or the error that says why not."""
    try:
        result = await servers.call(source, "count", number=number)
    except (ToolError, SourceUnavailable) as error:
        return type(error).__name__
    return "done" if isinstance(result, ToolResult) and not result.is_error else "odd"


async def test_killed_servers_lose_no_call_silently_and_run_none_twice(servers):
    starts = [servers.folder / f"starts{n}" for n in range(4)]
    effects = servers.folder / "effects"
    sources = [
        await servers.rogue("--starts", path, "--effects", effects, name=f"s{n}")
        for n, path in enumerate(starts)
    ]
    await asyncio.gather(*(servers.listing(source) for source in sources))

    async def work(which: int) -> Counter[str]:
        ends: Counter[str] = Counter()
        for number in range(CALLS):
            ends[await attempt(servers, sources[which], which * CALLS + number)] += 1
            if number % 10 == 5:
                pid = int(starts[which].read_text().split()[-1])
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        return ends

    ends = sum(await asyncio.gather(*(work(n) for n in range(len(sources)))), Counter())
    ran = Counter(effects.read_text().splitlines())
    assert ends.total() == CALLS * len(sources)
    assert ends["odd"] == 0
    assert ends["done"] <= len(ran) <= ends["done"] + ends["ToolError"]
    assert set(ran.values()) == {1}
    await servers.aclose()
    pids = [int(pid) for path in starts for pid in path.read_text().split()]
    assert len(pids) > len(sources)
    for pid in pids:
        await servers.until(lambda pid=pid: not Path(f"/proc/{pid}").exists())
    names = {task.get_name() for task in asyncio.all_tasks()}
    assert not names & {source.name for source in sources}
