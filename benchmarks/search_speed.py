"""How long search takes by the size of the catalog: `python benchmarks/search_speed.py --data DIR`.

Times are processor time in milliseconds, so that other work on the machine counts little. Each
engine and size has a process of its own. Short requests have 4 to 10 words, long ones 30 to 60.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

import engines
from attrs import evolve
from catalogs import RetrievalSet, retrieval_set, union

SETS = "mcp_real,sealtools,toolbench,bfcl,livemcp,metatool,sdk_ops"
SIZES = "100,1000,10000"
ENGINES = "default,default-plain,tantivy"
NOT_INSTALLED = 3
QUERIES = 100
LIMIT = 8
CHANGES = 20


def main() -> None:
    options = _options()
    if options.one:
        sys.exit(_print_one(options))
    rows = []
    for name in engines.listed(options.engines):
        for size in options.sizes.split(","):
            row = _in_a_process(name, size, options)
            if row is None:
                break
            rows.append(row)
    print(json.dumps(rows, indent=2) if options.json else _table(rows))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the sets")
    parser.add_argument("--sets", default=SETS, help="sets to take tools and requests from")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--engines", default=ENGINES)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _in_a_process(name: str, size: str, options: argparse.Namespace) -> dict[str, Any] | None:
    command = [sys.executable, __file__, "--one", "--engines", name, "--sizes", size]
    command += ["--data", str(options.data), "--sets", options.sets]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == NOT_INSTALLED:
        print(f"{name}: left out, {done.stdout.strip()}", file=sys.stderr)
        return None
    if done.returncode:
        sys.exit(f"{name} failed at {size}")
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def _print_one(options: argparse.Namespace) -> int:
    sets = [retrieval_set(options.data, name) for name in options.sets.split(",")]
    requests = [query.text for one in sets for query in one.queries]
    catalog = _catalog(sets, int(options.sizes))
    try:
        row = _row(options.engines, catalog, requests)
    except (ImportError, LookupError) as missing:
        print(missing)
        return NOT_INSTALLED
    print(json.dumps(row))
    return 0


def _catalog(sets: Sequence[RetrievalSet], size: int) -> RetrievalSet:
    """So many tools, spread over the sets; where there are fewer, some come again by other names."""
    whole = union(sets)
    step = max(1, len(whole.tools) // size)
    numbers = list(islice(cycle(range(0, len(whole.tools), step)), size))
    records, tools = [], []
    for place, number in enumerate(numbers):
        record, tool = whole.records[number], whole.tools[number]
        if place * step >= len(whole.tools):
            record = {**record, "name": f"{record['name']}_{place}"}
            tool = tool.model_copy(update={"name": record["name"], "digest": f"again{place}"})
        records.append(record)
        tools.append(tool)
    return evolve(whole, records=records, tools=tools)


def _row(name: str, catalog: RetrievalSet, requests: Sequence[str]) -> dict[str, Any]:
    before = _memory()
    built: list[engines.Engine] = []
    build = _milliseconds(
        lambda: built.append(engines.engine(name, catalog.tools, catalog.records))
    )
    (engine,) = built
    row: dict[str, Any] = {"engine": name, "tools": len(catalog.tools)}
    row["build s"] = round(build / 1_000, 2)
    for kind, low, high in (("short", 4, 10), ("long", 30, 60)):
        texts = [text for text in requests if low <= len(text.split()) <= high]
        texts = texts[:: max(1, len(texts) // QUERIES)][:QUERIES]
        for when in ("first", "p50"):
            times = sorted(_times(engine, texts))
            row[f"{kind} {when}"] = round(median(times), 3)
        row[f"{kind} p95"] = round(times[int(len(times) * 0.95)], 3)
    row["memory MB"] = _memory() - before
    if isinstance(engine, engines.Plugin):
        row["change"] = round(_changes(engine, catalog), 2)
    return row


def _times(engine: engines.Engine, texts: Sequence[str]) -> list[float]:
    if isinstance(engine, engines.Plugin):
        return engine.timed(texts, LIMIT)
    return [_milliseconds(lambda text=text: engine.search(text, LIMIT)) for text in texts]


def _changes(engine: engines.Plugin, catalog: RetrievalSet) -> float:
    """The median of changing one tool."""
    times = []
    for number, tool in enumerate(catalog.tools[:CHANGES]):
        changed = tool.model_copy(update={"description": "Changed", "digest": f"new{number}"})
        times.append(_milliseconds(lambda new=changed, old=tool: engine.change([new], [old])))
    return median(times)


def _milliseconds(work: Callable[[], Any]) -> float:
    began = time.process_time_ns()
    work()
    return (time.process_time_ns() - began) / 1e6


def _memory() -> int:
    """The most that this process has held, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_024


def _table(rows: Sequence[dict[str, Any]]) -> str:
    columns = [
        *("engine", "tools", "build s", "short first", "short p50", "short p95"),
        *("long first", "long p50", "long p95", "change", "memory MB"),
    ]
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    lines += ["| " + " | ".join(str(row.get(name, "")) for name in columns) + " |" for row in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
