"""What one hook call costs over a bare await, for each way an implementation may run.

    python benchmarks/dispatch.py [--json]

Medians of several rounds, in microseconds, with the ratio to a bare await of the same function in
the same run: the ratio is what compares between machines. `to_thread` is what asyncio offers for
a function that blocks, without deadline, bound or isolation.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from toolsearch.plugins import Plan, PluginHost
from toolsearch_hookspecs import PluginContext, RunContext, Tool, hookimpl

CALLS = 2_000
ROUNDS = 7


class Asynchronous:
    @hookimpl
    async def toolsearch_catalog_built(self, run, tools):
        return None


class Threaded:
    @hookimpl
    def toolsearch_catalog_built(self, run, tools):
        return None


class Inline:
    @hookimpl(inline=True)
    def toolsearch_catalog_built(self, run, tools):
        return None


def host_of(plugin: type, where: Path) -> PluginHost:
    host = PluginHost.load(Plan(), [("measured", plugin)])
    context = PluginContext(name="measured", base_dir=where, state_dir=where)
    host.configure({"measured": context})
    return host


async def microseconds(function: Callable[[], Awaitable[object]]) -> float:
    """The median of the rounds, for one call."""
    rounds = []
    for _ in range(ROUNDS):
        started = perf_counter()
        for _ in range(CALLS):
            await function()
        rounds.append((perf_counter() - started) / CALLS * 1e6)
    return statistics.median(rounds)


async def measured(where: Path) -> dict[str, float]:
    run = RunContext(run_id="r")
    tools: tuple[Tool, ...] = ()
    bare = Asynchronous()
    figures = {"bare await": await microseconds(lambda: bare.toolsearch_catalog_built(run, tools))}
    figures["to_thread"] = await microseconds(
        lambda: asyncio.to_thread(Threaded().toolsearch_catalog_built, run, tools)
    )
    for plugin in (Asynchronous, Threaded, Inline):
        host = host_of(plugin, where)
        figures[plugin.__name__.lower()] = await microseconds(
            lambda hooks=host.hooks: hooks.catalog_built(run, tools)
        )
        await host.shutdown()
    return figures


def main() -> None:
    with TemporaryDirectory() as folder:
        figures = asyncio.run(measured(Path(folder)))
    bare = figures["bare await"]
    rows = {
        name: {"us": round(cost, 2), "ratio": round(cost / bare, 1)}
        for name, cost in figures.items()
    }
    if "--json" in sys.argv:
        print(json.dumps(rows))
        return
    for name, row in rows.items():
        print(f"{name:14}{row['us']:8.2f} us{row['ratio']:9.1f} x")


if __name__ == "__main__":
    main()
