"""What the boundary of code mode costs, beside a bare start of the same Node.

    python benchmarks/code_mode.py [--node PATH] [--runs 40] [--json]

The spec's three-line example over a catalog of 1,000 tools, through a host, cold and from the pool;
calls over the bridge, one after the other and side by side; the memory of a waiting child; and 200
bodies at once. `runner` is the boundary alone, with a bridge that answers at once. Times in milliseconds or microseconds as named. On a busy machine only the ratio to
the bare start, taken in turns with the rest, compares.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from toolsearch import Host
from toolsearch_hookspecs import RunContext, SourceListing, ToolSource, ToolSpec

EXAMPLE = """
const hits = await openclaw.tools.search("create a GitHub issue");
const tool = await openclaw.tools.describe(hits[0].id);
return await openclaw.tools.call(tool.id, { title: "Crash on startup", body: "Steps to reproduce" });
"""
CALLS = 1_000
AT_ONCE = 200
FILL_SECONDS = 0.4


class Catalog(ToolSource):
    """1,000 tools, one of which is looked for."""

    name = "desk"
    kind = "plugin"
    trusted = True
    origin = "desk"

    def __init__(self) -> None:
        text = {"type": "string"}
        schema = {"type": "object", "properties": {"title": text, "body": text}}
        names = [f"{verb}_{thing}" for verb in _VERBS for thing in _THINGS]
        self._tools = [
            ToolSpec(name=n, description=f"{n.replace('_', ' ')}.", input_schema=schema)
            for n in [f"{name}_{part}" for name in names for part in _PARTS][:999]
        ]
        self._tools.append(
            ToolSpec(name="create_issue", description="Create a GitHub issue.", input_schema=schema)
        )

    async def list_tools(self, run: RunContext) -> SourceListing:
        return SourceListing(generation="1", tools=self._tools)

    async def call(self, call: Any) -> Any:
        return {"number": 1, "title": call.arguments.get("title")}


_VERBS = ("read", "write", "list", "remove", "send", "plan", "count", "merge", "sort", "copy")
_THINGS = ("mail", "file", "table", "page", "order", "event", "note", "user", "chart", "map")
_PARTS = ("draft", "archive", "header", "copy", "owner", "state", "label", "price", "row", "link")


def summary(times: list[float]) -> dict[str, float]:
    return {
        "median": round(median(times), 2),
        "p95": round(quantiles(times, n=20)[-1], 2),
        "minimum": round(min(times), 2),
    }


async def timed(work: Callable[[], Awaitable[Any]]) -> float:
    started = perf_counter()
    await work()
    return (perf_counter() - started) * 1000


def bare(node: str) -> float:
    started = perf_counter()
    subprocess.run([node, "-e", "0"], check=True, env={}, stdout=subprocess.DEVNULL)
    return (perf_counter() - started) * 1000


class Bench:
    """One host with its pool, or without one."""

    def __init__(self, node: str | None, pool: int, state: Path) -> None:
        settings = {"runner-node": {"node": node, "pool": pool}}
        config = {
            "tools": {
                "toolSearch": {"mode": "code", "codeTimeoutMs": 60000},
                "limits": {"maxBridgeCalls": CALLS + 10},
            },
            "plugins": {"settings": settings},
        }
        self.host = Host.from_config(config, sources=(), state_dir=state, plugins=[_plugin()])

    async def body(self, code: str) -> Any:
        run = await self.host.plan()
        try:
            result = await run.handle("tool_search_code", {"code": code})
        finally:
            await run.aclose()
        if result.is_error:
            raise SystemExit(result.text)
        return result.value


def _plugin() -> tuple[str, object]:
    from toolsearch_hookspecs import hookimpl

    class Desk:
        @hookimpl
        def toolsearch_tool_sources(self, plugin: Any) -> Any:
            yield Catalog()

    return "desk", Desk


class Constant:
    """A bridge that answers at once: what is left is the boundary itself."""

    def on_waiting(self, changed: Callable[[int], None]) -> None:
        """Nobody is asked."""

    async def search(self, query: Any, options: Any = None) -> Any:
        return [{"id": "plugin:desk:create_issue"}]

    async def describe(self, id: Any) -> Any:
        return {"id": id}

    async def call(self, id: Any, arguments: Any = None) -> Any:
        return {"result": arguments}


async def alone(run: Any, code: str) -> Any:
    """One body in the run's runner, without the host's answers."""
    outcome = await run.runner.run(code, Constant(), run.code_limits())
    if not outcome.ok:
        raise SystemExit(str(outcome))
    return {"ok": True, "value": outcome.value}


async def latency(
    body: Callable[[str], Awaitable[Any]], node: str, runs: int, rest: float
) -> dict[str, Any]:
    """The example in turns with a bare start of Node."""
    times: list[float] = []
    starts: list[float] = []
    for _ in range(runs):
        starts.append(await asyncio.to_thread(bare, node))
        await asyncio.sleep(rest)
        times.append(await timed(lambda: body(EXAMPLE)))
        await asyncio.sleep(rest)
    ratio = round(median(times) / median(starts), 2)
    return {**summary(times), "bare": summary(starts), "ratio": ratio}


async def bridge(body: Callable[[str], Awaitable[Any]]) -> dict[str, float]:
    """Microseconds a describe, seen from the body: the best of five rounds."""
    shape = "const id = 'plugin:desk:create_issue', n = %d, t = Date.now(); %s; return (Date.now() - t) * 1000 / n;"
    one = "for (let i = 0; i < n; i++) await openclaw.tools.describe(id)"
    many = "await Promise.all(Array.from({ length: n }, () => openclaw.tools.describe(id)))"
    found = {}
    for name, code in (("sequential", one), ("parallel", many)):
        rounds = [(await body(shape % (CALLS, code)))["value"] for _ in range(5)]
        found[name] = round(min(rounds), 1)
    return found


def memory(bench: Bench) -> dict[str, float]:
    """Megabytes of the children that wait, and of the supervisor that started them."""
    family = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                family[int(entry.name)] = int(
                    (entry / "stat").read_text().rsplit(")")[-1].split()[1]
                )
            except OSError:
                continue
    supervisors = [pid for pid, parent in family.items() if parent == os.getpid()]
    waiting = [pid for pid, parent in family.items() if parent in supervisors]
    return {
        "waiting": len(waiting),
        "resident": round(sum(map(_resident, waiting)) / max(1, len(waiting)), 1),
        "private": round(sum(map(_private, waiting)) / max(1, len(waiting)), 1),
        "supervisor": round(sum(map(_private, supervisors)), 1),
    }


def _resident(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4 / 1024


def _private(pid: int) -> float:
    kept = 0
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(("Private_Clean", "Private_Dirty")):
            kept += int(line.split()[1])
    return kept / 1024


async def crowd(bench: Bench) -> dict[str, Any]:
    """200 bodies at once: all succeed, and the children alive at one time stay few."""
    alive: list[float] = []

    async def watch() -> None:
        while True:
            alive.append(memory(bench)["waiting"])
            await asyncio.sleep(0.1)

    watching = asyncio.create_task(watch())
    started = perf_counter()
    done = await asyncio.gather(*(bench.body(EXAMPLE) for _ in range(AT_ONCE)))
    watching.cancel()
    return {
        "bodies": len(done),
        "failures": sum(not each["ok"] for each in done),
        "seconds": round(perf_counter() - started, 2),
        "most_alive": max(alive),
    }


async def measured(node: str | None, runs: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        pooled, cold = Bench(node, 2, Path(folder) / "a"), Bench(node, 0, Path(folder) / "b")
        async with pooled.host:
            await pooled.body(EXAMPLE)
            run = await pooled.host.plan()
            attested = await run.runner.probe() if run.runner else None
            program = node or _found()
            await asyncio.sleep(1)
            held = memory(pooled)
            results: dict[str, Any] = {
                "node": attested.version if attested else None,
                "pooled_ms": await latency(pooled.body, program, runs, FILL_SECONDS),
                "runner_ms": await latency(lambda c: alone(run, c), program, runs, FILL_SECONDS),
                "bridge_us": await bridge(pooled.body),
                "runner_us": await bridge(lambda c: alone(run, c)),
                "idle_mb": held,
                "crowd": await crowd(pooled),
            }
        async with cold.host:
            await cold.body(EXAMPLE)
            results["cold_ms"] = await latency(cold.body, program, max(10, runs // 2), 0)
    return results


def _found() -> str:
    import shutil

    return shutil.which("node") or "node"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--node")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = asyncio.run(measured(given.node, given.runs))
    if given.json:
        print(json.dumps(results, indent=2))
        return
    for name, figures in results.items():
        print(f"{name:12} {json.dumps(figures)}")


if __name__ == "__main__":
    main()
