"""Ten MCP servers under calls, one of them killed every second: is anything lost or run twice?

    python benchmarks/soak.py [--seconds 60] [--servers 10] [--calls 1000]

Each call leaves one mark when it runs. Every call has to end, with a result or with an error that
says whether it may have run; no mark may come twice; no process or task may be left.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()

UPSTREAM = HERE.with_name("mcp_server.py")
CALLED = "github_create_issue"
CALL_SECONDS = 0.05
DONE, MAY_HAVE_RUN, NOT_RUN = "done", "failed, may have run", "failed, not run"
BROKEN = (
    "lost_silently",
    "done_and_not_run",
    "run_though_said_not",
    "ran_twice",
    "leaked_processes",
    "leaked_tasks",
)


async def soak(servers: int, calls: int, seconds: float) -> dict[str, Any]:
    """Servers that are killed, one every second, under calls that each leave one mark."""
    from toolsearch import Host

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        effects = folder / "effects"
        effects.touch()
        argv = [str(UPSTREAM), "upstream", "25", str(effects), str(CALL_SECONDS)]
        server = {"command": sys.executable, "args": argv}
        config = {
            "tools": {"toolSearch": {"mode": "tools"}, "limits": {"loopGuard": 1_000}},
            "mcpServers": {f"s{n}": server for n in range(servers)},
        }
        before = children()
        async with Host.from_config(config, state_dir=folder) as host:
            run = await host.plan()
            over = asyncio.Event()
            killer = asyncio.create_task(killing(over, before))
            ends: dict[int, str] = {}

            async def worker(first: int) -> None:
                for number in range(first, calls, servers):
                    ends[number] = await ending(run, f"s{random.randrange(servers)}", number)
                    await asyncio.sleep(seconds * servers / calls)

            await asyncio.gather(*(worker(n) for n in range(servers)))
            over.set()
            kills = await killer
        ran = Counter(int(number) for number in effects.read_text().split())
    await asyncio.sleep(0.5)
    return {
        "calls": calls,
        "kills": kills,
        "ends": dict(Counter(ends.values())),
        "ran": len(ran),
        "lost_silently": calls - len(ends),
        "done_and_not_run": sum(end == DONE and number not in ran for number, end in ends.items()),
        "run_though_said_not": sum(
            end == NOT_RUN and number in ran for number, end in ends.items()
        ),
        "ran_twice": sum(times > 1 for times in ran.values()),
        "leaked_processes": len(children() - before),
        "leaked_tasks": len(asyncio.all_tasks()) - 1,
    }


async def ending(run: Any, server: str, number: int) -> str:
    """How one call ended, by what it says itself."""
    given = {"id": f"mcp:{server}:{CALLED}", "args": {"id": str(number)}}
    result = await run.handle("tool_call", given)
    if result.error is None:
        return DONE
    return MAY_HAVE_RUN if result.error.executed else NOT_RUN


async def killing(ended: asyncio.Event, before: set[int]) -> int:
    kills = 0
    while not ended.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), 1)
        running = sorted(children() - before)
        if running:
            with suppress(ProcessLookupError):
                os.kill(random.choice(running), signal.SIGKILL)
                kills += 1
    return kills


def children() -> set[int]:
    """The processes that this one started and that run."""
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    pids = {int(pid) for task in tasks for pid in task.read_text().split()}
    return {pid for pid in pids if "Z" not in state_of(pid)}


def state_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--servers", type=int, default=10)
    parser.add_argument("--calls", type=int, default=1_000)
    options = parser.parse_args()
    seen = asyncio.run(soak(options.servers, options.calls, options.seconds))
    print(json.dumps(seen, indent=1))
    sys.exit(any(seen[name] for name in BROKEN))


if __name__ == "__main__":
    main()
