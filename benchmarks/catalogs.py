"""Reads the public sets in the layout that `benchmarks/README.md` describes."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from toolsearch_hookspecs import Tool


@frozen
class Query:
    """A request and the numbers of the tools that answer it."""

    text: str
    answers: tuple[int, ...]


@frozen
class RetrievalSet:
    """Tools, as the set's own records and as toolsearch catalogues them, and queries."""

    name: str
    records: Sequence[dict[str, Any]]
    tools: Sequence[Tool]
    queries: Sequence[Query]


def retrieval_set(data: Path, name: str) -> RetrievalSet:
    """Read `<data>/<name>/tools.jsonl.gz` and, where there are any, its queries."""
    records = list(_lines(data / name / "tools.jsonl.gz"))
    numbers = {record["id"]: number for number, record in enumerate(records)}
    queries = [
        Query(line["query"], tuple(numbers[id_] for id_ in line["ids"] if id_ in numbers))
        for line in _lines(data / name / "queries.jsonl.gz")
    ]
    return RetrievalSet(
        name=name,
        records=records,
        tools=[tool_of(name, number, record) for number, record in enumerate(records)],
        queries=[query for query in queries if query.answers],
    )


def union(sets: Sequence[RetrievalSet]) -> RetrievalSet:
    """All tools of the sets in one catalog, each tool once, with the queries of all."""
    records: list[dict[str, Any]] = []
    tools: list[Tool] = []
    queries: list[Query] = []
    seen: dict[str, int] = {}
    for one in sets:
        moved: dict[int, int] = {}
        for number, (record, tool) in enumerate(zip(one.records, one.tools, strict=True)):
            same = json.dumps([record["name"], record.get("server"), record.get("description")])
            if same not in seen:
                seen[same] = len(records)
                records.append(record)
                tools.append(tool)
            moved[number] = seen[same]
        queries.extend(
            evolve(query, answers=tuple(sorted({moved[number] for number in query.answers})))
            for query in one.queries
        )
    return RetrievalSet("union", records, tools, queries)


def tool_of(set_name: str, number: int, record: dict[str, Any]) -> Tool:
    server = record.get("server") or ""
    owner = re.sub(r"[^a-z0-9_.-]+", "-", server.lower()).strip("-")
    digest = hashlib.sha256(f"{set_name} {number}".encode()).hexdigest()[:16]
    return Tool(
        id=f"mcp:{owner}:{record['name']}",
        source="mcp",
        owner=owner,
        name=record["name"],
        description=record.get("description") or "",
        input_schema=record.get("parameters") or {"type": "object"},
        owner_description=record.get("server_description") or "",
        digest=digest,
        plugin="benchmark",
        origin="benchmark",
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)
