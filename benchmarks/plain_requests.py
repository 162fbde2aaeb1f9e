"""How plain requests find the tools of published MCP servers, all servers in one catalog.

    python benchmarks/plain_requests.py --data DIR [--engine default] [--missed]

`DIR/mcp_live` holds the answers of the servers (see `benchmarks/README.md`); two that have the tools of
another one besides are left out. The requests are the project's own (`plain_requests.txt`), the tools that
answer them chosen by hand: mean reciprocal rank, and how many come first and among the first three.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import engines
import surfaces

from toolsearch_hookspecs import Tool

TWINS = ("ms365-org", "playwright-allcaps")
DEPTH = 20


def catalog(data: Path) -> list[Tool]:
    """Every tool, as the host catalogues it."""
    named = [(name, tools) for name, tools in surfaces.published(data) if name not in TWINS]
    specs = [(name, spec) for name, tools in named for spec in tools]
    return [
        Tool(
            id=f"{name}:{spec.name}",
            source="mcp",
            owner=name,
            name=spec.name,
            description=spec.description,
            input_schema=spec.input_schema,
            digest=f"{number:016x}",
            plugin="benchmark",
            origin="benchmark",
        )
        for number, (name, spec) in enumerate(specs)
    ]


def parts() -> Iterator[tuple[str, list[tuple[str, set[str]]]]]:
    """The requests with their answers, by the headline that they stand under."""
    text = Path(__file__).with_name("plain_requests.txt").read_text(encoding="utf-8")
    for part in text.split("\n# ")[1:]:
        headline, *lines = part.strip().splitlines()
        pairs = (line.split("|") for line in lines)
        yield headline.rstrip(":"), [(asked, set(right.split(","))) for asked, right in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--engine", default="default")
    parser.add_argument("--missed", action="store_true", help="show what is not among the first 3")
    given = parser.parse_args()
    tools = catalog(given.data)
    ids = {tool.id for tool in tools}
    engine = engines.engine(given.engine, tools, [])
    for headline, requests in parts():
        ranks = []
        for asked, right in requests:
            if not right & ids:
                continue
            found = [tools[number].id for number in engine.search(asked, DEPTH)]
            ranks.append(next((at for at, id_ in enumerate(found, 1) if id_ in right), 0))
            if given.missed and not 0 < ranks[-1] <= 3:
                print(f"  {ranks[-1] or '-':>2} {asked}: {', '.join(found[:3])}")
        reciprocal = sum(1 / rank for rank in ranks if rank) / len(ranks)
        first, three = (sum(0 < rank <= most for rank in ranks) for most in (1, 3))
        print(
            f"{headline}: {len(ranks)} requests, MRR {reciprocal:.3f}, {first} first, {three} in 3"
        )


if __name__ == "__main__":
    main()
