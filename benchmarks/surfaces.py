"""What a model is sent in each mode against direct exposure, and how long planning takes.

    python benchmarks/surfaces.py --data DIR [--sizes 10 100 1000 10000] [--json]

DIR is laid out as `benchmarks/README.md` says; `mcp_live` holds the tools of published MCP servers,
which are multiplied under other aliases to make larger catalogs. Bytes are those of compact JSON
for the definitions and of UTF-8 for the prompt; tokens are bytes by four. Times are milliseconds:
the first plan (which reads every schema, and for `code` tries the runner), the median of repeated
ones with a policy of two levels, and the minimum of rendering the directory alone. The last two are
of the processor's clock, so that a busy machine changes them little. `hits` is the answer to a search
with five of them.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from toolsearch import Host
from toolsearch.runs import Cost, Run, drawn
from toolsearch_hookspecs import RunContext, SourceListing, ToolSource, ToolSpec, hookimpl

CODE_BYTES = 1_536  # aims, whatever the catalog
TOOLS_BYTES = 2_560
DIRECTORY_MS = 30  # of 10,000 tools
AGAIN_MS = 5  # of 10,000 tools
MODES = ("code", "tools", "directory")
AGAIN = 30
ASKED, WORDS = 400, 12  # queries, and words of each


class Server(ToolSource):
    """One alias of a published server."""

    kind = "mcp"

    def __init__(self, name: str, tools: Sequence[ToolSpec], *, trusted: bool) -> None:
        self.name = self.origin = name
        self.trusted = trusted
        self.listing = SourceListing(generation="1", tools=tools)

    async def list_tools(self, run: RunContext) -> SourceListing:
        return self.listing

    async def call(self, call: object) -> object:
        return None


def published(data: Path) -> list[tuple[str, list[ToolSpec]]]:
    """The servers by name, with their tools."""
    servers = []
    for path in sorted((data / "mcp_live").glob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            tools = json.load(file)["tools"]
        specs = [
            ToolSpec(
                name=tool["name"],
                description=tool.get("description") or "",
                input_schema=tool["inputSchema"],
            )
            for tool in tools
        ]
        servers.append((path.name.removesuffix(".json.gz"), specs))
    return servers


def catalog_of(
    servers: Sequence[tuple[str, list[ToolSpec]]], size: int, *, trusted: bool
) -> Iterator[Server]:
    """Just so many tools, taken in turn from all servers; a second round has other aliases."""
    most = max(len(tools) for _, tools in servers)
    taken: dict[str, list[ToolSpec]] = {}
    left, copy = size, 0
    while left:
        for row in range(most):
            for name, tools in servers:
                if left and row < len(tools):
                    taken.setdefault(f"{name}-{copy}" if copy else name, []).append(tools[row])
                    left -= 1
        copy += 1
    for name, tools in taken.items():
        yield Server(name, tools, trusted=trusted)


class Yields:
    """A plugin that yields the servers."""

    def __init__(self, servers: Sequence[Server]) -> None:
        self.servers = servers

    @hookimpl
    def toolsearch_tool_sources(self, plugin: object) -> Sequence[Server]:
        return self.servers


async def measured(servers: list[tuple[str, list[ToolSpec]]], size: int) -> dict[str, Any]:
    config = {
        "tools": {"toolSearch": {"enabled": True}, "deny": ["mcp:*:delete_everything"]},
        "agents": {"main": {"deny": ["*_drop_database"]}},
        "plugins": {"settings": {"runner-node": {"allowWeakIsolation": True}}},
    }
    sources = list(catalog_of(servers, size, trusted=True))
    with tempfile.TemporaryDirectory() as state:
        plugins = [("servers", Yields(sources))]
        async with Host.from_config(config, plugins=plugins, state_dir=Path(state)) as host:
            began = perf_counter()
            run = await host.plan(agent="main")
            first = (perf_counter() - began) * 1000
            again = [await timed_plan(host) for _ in range(AGAIN)]
            walls, cpus = zip(*again, strict=True)
            cost = await run.cost()
            return {
                "tools": len(run.catalog.tools),
                "servers": len(sources),
                "plan_ms": {
                    "first": first,
                    "again_median": median(walls),
                    "again_min": min(walls),
                    "again_cpu_median": median(cpus),
                },
                "directory_ms": await directory_ms(host),
                "surfaces": surfaces(cost),
                "five_hits_bytes": await five_hits(run),
                "pick": cost.pick,
            }


async def timed_plan(host: Host) -> tuple[float, float]:
    """Elapsed, and by the clock of the processor."""
    began, cpu = perf_counter(), process_time()
    await host.plan(agent="main")
    return (perf_counter() - began) * 1000, (process_time() - cpu) * 1000


async def directory_ms(host: Host) -> float:
    """Drawing the surface of the directory, without planning."""
    run = await host.plan(agent="main", mode="directory")
    renderer = {each.value.mode: each.value for each in host.plugins.hooks.mode_renderers()}
    times = []
    for _ in range(10):
        fresh = type(renderer["directory"])()  # without what it keeps of earlier plans
        began = process_time()
        drawn(run.catalog, fresh, run.context, run.settings, direct_bytes=0)
        times.append((process_time() - began) * 1000)
    return min(times)


async def five_hits(run: Run) -> float | None:
    """The size of an answer of five hits, as compact JSON: the median over what is asked for by the
    first words of descriptions; nothing where there are fewer tools.
    """
    sizes = []
    for tool in run.catalog.tools[:: max(1, len(run.catalog.tools) // ASKED)]:
        hits = (
            await run.search(" ".join(tool.description.split()[:WORDS]) or tool.name, limit=5)
        ).hits
        if len(hits) == 5:
            text = json.dumps(list(hits), ensure_ascii=False, separators=(",", ":"))
            sizes.append(len(text.encode()))
    return median(sizes) if sizes else None


def surfaces(cost: Cost) -> dict[str, Any]:
    direct = cost.of("direct")
    return {
        exposure.mode: {
            "bytes": exposure.bytes,
            "share_of_direct": exposure.bytes / direct.bytes,
            "first_turn_tokens": exposure.first_tokens,
            "cached_turn_tokens": exposure.cached_tokens,
        }
        for exposure in cost.exposures
    }


def aims(rows: Sequence[dict[str, Any]]) -> dict[str, bool]:
    largest = max(rows, key=lambda row: row["tools"])
    met = {
        "code at most 1.5 KB": all(row["surfaces"]["code"]["bytes"] <= CODE_BYTES for row in rows),
        "tools at most 2.5 KB": all(
            row["surfaces"]["tools"]["bytes"] <= TOOLS_BYTES for row in rows
        ),
    }
    if largest["tools"] >= 10_000:
        met["directory under 30 ms"] = largest["directory_ms"] < DIRECTORY_MS
        met["repeated plan under 5 ms"] = largest["plan_ms"]["again_cpu_median"] < AGAIN_MS
    return met


def show(rows: Sequence[dict[str, Any]], met: dict[str, bool]) -> None:
    print(f"{'tools':>7} {'direct':>12} " + " ".join(f"{mode:>18}" for mode in MODES), end="")
    print(f" {'first':>9} {'again':>7} {'directory':>9} {'hits':>6}  pick")
    for row in rows:
        given = row["surfaces"]
        cells = [f"{given[m]['bytes']:>9,} {given[m]['share_of_direct']:>7.2%}" for m in MODES]
        plan = row["plan_ms"]
        print(f"{row['tools']:>7,} {given['direct']['bytes']:>12,} ", " ".join(cells), end=" ")
        print(f"{plan['first']:>9.1f} {plan['again_cpu_median']:>7.2f}", end=" ")
        print(f"{row['directory_ms']:>9.1f} {row['five_hits_bytes'] or 0:>6,.0f}  {row['pick']}")
    print("bytes, with the share of direct exposure; times in ms")
    for aim, reached in met.items():
        print(f"  {'met ' if reached else 'MISSED'} {aim}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100, 1_000, 10_000])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    servers = published(options.data)
    rows = [asyncio.run(measured(servers, size)) for size in options.sizes]
    met = aims(rows)
    if options.json:
        print(json.dumps({"rows": rows, "aims": met}, indent=1))
    else:
        show(rows, met)


if __name__ == "__main__":
    main()
