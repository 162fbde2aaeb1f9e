"""How long a host takes to plan a run, first and again, and `toolsearch --help` to answer.

    python benchmarks/planning.py [--tools 1000] [--json]

The limit stands beside each figure; ratios are to a bare start of the same interpreter, taken in
the same run. Times are the minimum and the median of several runs, in milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from toolsearch import Host
from toolsearch_hookspecs import RunContext, SourceListing, ToolSource, ToolSpec

AGAIN_MS = 20  # the aim for a repeated plan over 1,000 tools
HELP_MS = 400  # the aim for `toolsearch --help`
SOURCES = 10


class Shelf(ToolSource):
    kind = "plugin"
    trusted = True

    def __init__(self, name: str, count: int) -> None:
        self.name = name
        self.origin = name
        properties = {
            f"field_{n}": {"type": "string", "description": f"Field {n}."} for n in range(6)
        }
        schema = {"type": "object", "properties": properties, "required": ["field_0"]}
        self.tools = [
            ToolSpec(
                name=f"tool_{n}", description=f"Does thing {n} of {name}.", input_schema=schema
            )
            for n in range(count)
        ]

    async def list_tools(self, run: RunContext) -> SourceListing:
        return SourceListing(generation="1", tools=self.tools)

    async def call(self, call: object) -> object:
        return None


async def planned(tools: int) -> dict[str, float]:
    config = {
        "tools": {"toolSearch": {"mode": "tools"}, "deny": ["tool_1", "plugin:shelf_2"]},
        "agents": {"main": {"deny": ["*_3"]}},
    }
    with tempfile.TemporaryDirectory() as state:
        shelves = [Shelf(f"shelf_{n}", tools // SOURCES) for n in range(SOURCES)]
        began = perf_counter()
        async with Host.from_config(config, sources=shelves, state_dir=Path(state)) as host:
            started = perf_counter()
            await host.plan(agent="main")
            first = perf_counter()
            times = []
            for _ in range(50):
                begin = perf_counter()
                await host.plan(agent="main")
                times.append((perf_counter() - begin) * 1000)
            return {
                "start": (started - began) * 1000,
                "first": (first - started) * 1000,
                "again_min": min(times),
                "again_median": median(times),
            }


def timed(*command: str, runs: int = 7) -> list[float]:
    times = []
    for _ in range(runs):
        began = perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append((perf_counter() - began) * 1000)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = asyncio.run(planned(options.tools))
    bare, helped = (
        timed(sys.executable, "-c", ""),
        timed(sys.executable, "-m", "toolsearch", "--help"),
    )
    report = {
        "tools": options.tools,
        "plan_ms": figures,
        "plan_again_limit_ms": AGAIN_MS,
        "help_ms": {"min": min(helped), "median": median(helped)},
        "help_limit_ms": HELP_MS,
        "bare_interpreter_ms": {"min": min(bare), "median": median(bare)},
        "help_over_bare": median(helped) / median(bare),
    }
    if options.json:
        print(json.dumps(report, indent=1))
        return
    print(f"{options.tools} tools from {SOURCES} sources, two levels of rules")
    print(f"  host start        {figures['start']:8.1f} ms")
    print(f"  first plan        {figures['first']:8.1f} ms")
    print(f"  repeated plan     {figures['again_median']:8.2f} ms (limit {AGAIN_MS})")
    print(f"  toolsearch --help {median(helped):8.1f} ms (limit {HELP_MS}),", end=" ")
    print(f"{report['help_over_bare']:.1f} times a bare interpreter")


if __name__ == "__main__":
    main()
