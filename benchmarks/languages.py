"""Requests in many languages: `python benchmarks/languages.py`.

First requests in seven languages for sixteen tools that are described in English; then, in each of
sixteen languages, eight tools described in it and a request for each in other forms of its words:
each language in a catalog of its own, and all in one. Tools and requests are the project's own,
written for this purpose by the hands that wrote the index.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import engines
from catalogs import tool_of
from measures import recall, reciprocal_rank

ENGINES = 'default,index-whoosh:{"detectLanguages": false},lexical-plus'


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
    _described(data["described"], engines.listed(options.engines))


def _described(data: Mapping[str, Mapping[str, str]], names: Sequence[str]) -> None:
    print("\n| engine (hit@1) | catalog | " + " | ".join(data) + " | all |")
    print("|---" * (len(data) + 3) + "|")
    together = [text for tools in data.values() for text in tools]
    for name in names:
        catalogs = {
            "alone": {language: list(tools) for language, tools in data.items()},
            "together": dict.fromkeys(data, together),
        }
        for kind, of_language in catalogs.items():
            firsts = [
                _first(name, of_language[language], tools) for language, tools in data.items()
            ]
            if None in firsts:
                break
            shown = [f"{first:.2f}" for first in (*firsts, fmean(firsts))]
            print(f"| {name} | {kind} | " + " | ".join(shown) + " |")


def _first(name: str, described: Sequence[str], asked: Mapping[str, str]) -> float | None:
    """How often the tool of a description comes first for its request."""
    records = [{"name": f"t{number}", "description": text} for number, text in enumerate(described)]
    engine = _engine(name, records)
    if engine is None:
        return None
    found = (engine.search(request, 1) for request in asked.values())
    return fmean(
        [described[number] for number in one] == [text]
        for one, text in zip(found, asked, strict=True)
    )


def _row(name: str, records: list[dict[str, Any]], queries: Any) -> list[str] | None:
    engine = _engine(name, records)
    if engine is None:
        return None
    numbers = {record["name"]: number for number, record in enumerate(records)}
    firsts, ranks = [], []
    for asked in queries.values():
        rankings = [(engine.search(text, 10), (numbers[tool],)) for tool, text in asked.items()]
        firsts.append(fmean(recall(ranked, right, 1) for ranked, right in rankings))
        ranks.append(fmean(reciprocal_rank(ranked, right) for ranked, right in rankings))
    pairs = [*zip(firsts, ranks, strict=True), (fmean(firsts), fmean(ranks))]
    return [f"{first:.2f} / {rank:.2f}" for first, rank in pairs]


def _engine(name: str, records: list[dict[str, Any]]) -> engines.Engine | None:
    tools = [tool_of("languages", number, record) for number, record in enumerate(records)]
    try:
        return engines.engine(name, tools, records)
    except (ImportError, LookupError) as missing:
        print(f"{name}: left out, {missing}", file=sys.stderr)
        return None


if __name__ == "__main__":
    main()
