"""Requests in seven languages against tools described in English: `python benchmarks/languages.py`.

The requests are the project's own, written for this purpose; sixteen tools, one request each.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

import engines
from catalogs import tool_of
from measures import recall, reciprocal_rank

ENGINES = "default,lexical-plus"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", default=ENGINES)
    options = parser.parse_args()
    data = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    records = [{"name": name, "description": text} for name, text in data["tools"].items()]
    languages = list(data["queries"])
    print("| engine (hit@1 / MRR) | " + " | ".join(languages) + " | all |")
    print("|---" * (len(languages) + 2) + "|")
    for name in engines.listed(options.engines):
        row = _row(name, records, data["queries"])
        if row is not None:
            print(f"| {name} | " + " | ".join(row) + " |")


def _row(name: str, records: list[dict[str, Any]], queries: Any) -> list[str] | None:
    tools = [tool_of("languages", number, record) for number, record in enumerate(records)]
    try:
        engine = engines.engine(name, tools, records)
    except (ImportError, LookupError) as missing:
        print(f"{name}: left out, {missing}", file=sys.stderr)
        return None
    numbers = {record["name"]: number for number, record in enumerate(records)}
    firsts, ranks = [], []
    for asked in queries.values():
        rankings = [(engine.search(text, 10), (numbers[tool],)) for tool, text in asked.items()]
        firsts.append(fmean(recall(ranked, right, 1) for ranked, right in rankings))
        ranks.append(fmean(reciprocal_rank(ranked, right) for ranked, right in rankings))
    pairs = [*zip(firsts, ranks, strict=True), (fmean(firsts), fmean(ranks))]
    return [f"{first:.2f} / {rank:.2f}" for first, rank in pairs]


if __name__ == "__main__":
    main()
