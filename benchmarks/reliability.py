"""How often a best hit of which confidence is right: `python benchmarks/reliability.py --data DIR`.

Asked are the requests of each set in its own catalog, where some tool answers, and requests of
other sets in catalogs of one server, where none does (but for a few by accident). Each of the two
halves of what is asked counts by `--foreign` and what is left of 1, each set and catalog alike.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import engines
from attrs import frozen
from catalogs import Query, RetrievalSet, retrieval_set
from retrieval import SETS
from variants import foreign

from toolsearch_hookspecs import Tool

EDGES = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
KEEN = '{"minConfidence": 0}'


@frozen
class Best:
    """The best hit of one request: how sure, whether right, and how much it counts."""

    confidence: float
    right: bool
    weight: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the sets")
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--engines", default="index-whoosh", help="plugins that yield an index")
    parser.add_argument("--foreign", type=float, default=1 / 3, help="what foreign requests count")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sets = [retrieval_set(options.data, name) for name in options.sets.split(",")]
    found = {
        name: _binned([*_bests(name, sets, options.foreign)])
        for name in engines.listed(options.engines)
    }
    print(json.dumps(found, indent=2) if options.json else _table(found))


def _bests(name: str, sets: Sequence[RetrievalSet], share: float) -> Iterator[Best]:
    for one in sets:
        each = (1 - share) / len(sets) / len(one.queries)
        yield from _asked(name, one.tools, one.queries, each, answered=True)
    catalogs = foreign(sets)
    for _, tools, queries in catalogs:
        yield from _asked(
            name, tools, queries, share / len(catalogs) / len(queries), answered=False
        )


def _asked(
    name: str, tools: Sequence[Tool], queries: Sequence[Query], weight: float, *, answered: bool
) -> Iterator[Best]:
    """Ask without abstention, so that unsure hits are seen too."""
    plain, _, settings = name.partition(":")
    keen = json.dumps(json.loads(settings or "{}") | json.loads(KEEN))
    engine = engines.Plugin(f"{plain}:{keen}", tools)
    for query in queries:
        hits = engine.hits(query.text, 1)
        if hits:
            number, confidence = hits[0]
            yield Best(confidence, answered and number in query.answers, weight)


def _binned(bests: Sequence[Best]) -> list[dict[str, float]]:
    bins = defaultdict(list)
    for best in bests:
        bins[max(edge for edge in EDGES[:-1] if edge <= best.confidence)].append(best)
    return [_bin(low, bins[low]) for low in EDGES[:-1] if bins[low]]


def _bin(low: float, bests: Sequence[Best]) -> dict[str, Any]:
    whole = sum(best.weight for best in bests)
    return {
        "from": low,
        "confidence": round(sum(best.confidence * best.weight for best in bests) / whole, 3),
        "right": round(sum(best.right * best.weight for best in bests) / whole, 3),
        "requests": len(bests),
    }


def _table(found: dict[str, list[dict[str, float]]]) -> str:
    lines = []
    for name, bins in found.items():
        lines += [
            f"| {name} | " + " | ".join(f"{each['confidence']:.2f}" for each in bins) + " |",
            "|---" * (len(bins) + 1) + "|",
            "| right | " + " | ".join(f"{each['right']:.0%}" for each in bins) + " |",
            "| requests | " + " | ".join(f"{each['requests']:.0f}" for each in bins) + " |",
            "",
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
