"""Compare ways of ranking tools on public sets: `python benchmarks/retrieval.py --data DIR`.

Each engine runs in a process of its own; one that is not installed is named and left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import engines
from catalogs import Query, RetrievalSet, retrieval_set, union
from measures import DEPTH, macro_interval, measured, ndcg
from variants import foreign, with_slips

SETS = "livemcp,livemcp_step,mcp_real,metatool,sealtools,toolbench,bfcl"
ENGINES = "default,default-keen,lexical-plus"
BASELINE = "lexical-plus"
NOT_INSTALLED = 3


def main() -> None:
    options = _options()
    if options.one:
        sys.exit(_print_one(options))
    reports: dict[str, Any] = {}
    for name in engines.listed(options.engines):
        report = _in_a_process(name, options)
        if report is not None:
            reports[name] = report
    _compare(reports, options.baseline)
    if options.json:
        for report in reports.values():
            del report["scores"]
        print(json.dumps(reports, indent=2))
    else:
        print(_table(reports, options.sets.split(",")))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the sets")
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--engines", default=ENGINES, help=f"known: {', '.join(_known())}")
    parser.add_argument("--queries", type=int, default=None, help="at most so many a set")
    parser.add_argument("--variants", action="store_true", help="slips, union, foreign requests")
    parser.add_argument("--baseline", default=BASELINE, help="the engine that `gain` is over")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _known() -> Iterable[str]:
    return [*engines.ALIASES, *engines.OTHERS, "or any plugin that yields an index"]


def _in_a_process(name: str, options: argparse.Namespace) -> dict[str, Any] | None:
    command = [sys.executable, __file__, "--one", "--engines", name, "--data", str(options.data)]
    command += ["--sets", options.sets]
    command += ["--variants"] if options.variants else []
    command += ["--queries", str(options.queries)] if options.queries else []
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == NOT_INSTALLED:
        print(f"{name}: left out, {done.stdout.strip()}", file=sys.stderr)
        return None
    if done.returncode:
        sys.exit(f"{name} failed")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _print_one(options: argparse.Namespace) -> int:
    sets = [retrieval_set(options.data, name) for name in options.sets.split(",")]
    if options.queries:
        for one in sets:
            object.__setattr__(one, "queries", one.queries[: options.queries])
    try:
        report = _report(options.engines, sets, variants=options.variants)
    except (ImportError, LookupError) as missing:
        print(missing)
        return NOT_INSTALLED
    print(json.dumps(report))
    return 0


def _report(name: str, sets: Sequence[RetrievalSet], *, variants: bool) -> dict[str, Any]:
    report: dict[str, Any] = {"sets": {}, "scores": {}}
    slipped: list[float] = []
    named: list[float] = []
    for one in sets:
        built = engines.engine(name, one.tools, one.records)
        rankings = _rankings(built, one.queries)
        report["sets"][one.name] = measured(rankings, _answers(one.queries)).rounded()
        report["scores"][one.name] = [
            ndcg(ranked, query.answers) for ranked, query in zip(rankings, one.queries, strict=True)
        ]
        if variants:
            queries = with_slips(one.queries)
            slipped.append(measured(_rankings(built, queries), _answers(queries)).ndcg10)
            named.append(_found_by_name(built, one))
    measures = list(report["sets"].values())
    report["macro"] = {key: round(fmean(m[key] for m in measures), 4) for key in measures[0]}
    report["interval"] = macro_interval(list(report["scores"].values()))
    if variants:
        report["slips"] = round(fmean(slipped), 4)
        report["own name first"] = round(fmean(named), 4)
        report["foreign answered"] = _foreign_answered(name, sets)
        whole = union(sets)
        built = engines.engine(name, whole.tools, whole.records)
        report["union"] = measured(
            _rankings(built, whole.queries), _answers(whole.queries)
        ).rounded() | {"tools": len(whole.tools)}
    return report


def _rankings(built: engines.Engine, queries: Sequence[Query]) -> list[list[int]]:
    return [built.search(query.text, DEPTH) for query in queries]


def _answers(queries: Sequence[Query]) -> list[tuple[int, ...]]:
    return [query.answers for query in queries]


def _found_by_name(built: engines.Engine, one: RetrievalSet) -> float:
    """How often a tool, or one of the same name, is first for its own name.

    This is the ranking alone; the host puts exact names first before it asks any index.
    """
    records = one.records[:1_000]
    first = (built.search(record["name"], 1) for record in records)
    return fmean(
        bool(found) and one.records[found[0]]["name"].lower() == record["name"].lower()
        for found, record in zip(first, records, strict=True)
    )


def _foreign_answered(name: str, sets: Sequence[RetrievalSet]) -> float | None:
    """The share of requests of other sets that a catalog of one server answers at all."""
    shares = []
    for _, tools, queries in foreign(sets):
        records = [_record(tool) for tool in tools]
        built = engines.engine(name, tools, records)
        shares.append(fmean(bool(built.search(query.text, 1)) for query in queries))
    return round(fmean(shares), 4) if shares else None


def _record(tool: Any) -> Mapping[str, Any]:
    return {
        "name": tool.name,
        "server": tool.owner,
        "description": tool.description,
        "server_description": tool.owner_description,
        "parameters": tool.input_schema,
    }


def _compare(reports: Mapping[str, dict[str, Any]], baseline: str) -> None:
    """Add to each report its gain over the baseline, query by query, with its interval."""
    if baseline not in reports:
        return
    base = reports[baseline]["scores"]
    for report in reports.values():
        gains = [
            [mine - its for mine, its in zip(report["scores"][name], base[name], strict=True)]
            for name in base
        ]
        report["gain"] = round(fmean(map(fmean, gains)), 4)
        report["gain interval"] = [round(edge, 4) for edge in macro_interval(gains)]


def _table(reports: Mapping[str, dict[str, Any]], sets: Sequence[str]) -> str:
    columns = [*sets, "macro", "R@1", "R@5", "R@8", "R@10", "MRR", "gain", "95 %"]
    extra = ["slips", "own name first", "foreign answered", "union"]
    has_extra = any("slips" in report for report in reports.values())
    columns += extra if has_extra else []
    lines = ["| engine | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name, report in reports.items():
        macro = report["macro"]
        cells = [report["sets"][one]["ndcg10"] for one in sets]
        cells += [macro[key] for key in ("ndcg10", "r1", "r5", "r8", "r10", "mrr")]
        low, high = report.get("gain interval", (0, 0))
        cells += [report.get("gain", ""), f"{low:+.3f} to {high:+.3f}"]
        if has_extra:
            cells += [report.get(key, "") for key in extra[:-1]]
            cells.append(report.get("union", {}).get("ndcg10", ""))
        shown = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells)
        lines.append(f"| {name} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
