"""The ways of ranking that are compared: ours by entry point, others by their own packages."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from importlib.metadata import entry_points
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

from lexical_plus import STOP, LexicalPlus, parameter_text

from toolsearch_hookspecs import Allowed, PluginContext, SearchIndex, SearchQuery, Tool

# Names a folder where plugins may keep files from one run to the next; else each engine has a new one.
STATE = "TOOLSEARCH_BENCH_STATE"

Records = Sequence[Mapping[str, Any]]
Ranked = list[int]


class Engine(Protocol):
    """Ranks the tools of one catalog; `search` gives numbers of tools, best first."""

    def search(self, query: str, limit: int) -> Ranked: ...


class Plugin:
    """An index of ours, as the host would hold it: named `PLUGIN` or `PLUGIN:SETTINGS-AS-JSON`."""

    def __init__(self, asked: str, tools: Sequence[Tool]) -> None:
        name, _, settings = asked.partition(":")
        self._loop = asyncio.new_event_loop()
        self._numbers = {tool.key: number for number, tool in enumerate(tools)}
        self._allowed = Allowed(fingerprint="all", keys=frozenset(self._numbers))
        self.index = loaded(name, json.loads(settings or "{}"))
        self._wait(self.index.update(tools, frozenset()))

    def search(self, query: str, limit: int) -> Ranked:
        return [number for number, _ in self.hits(query, limit)]

    def hits(self, query: str, limit: int) -> list[tuple[int, float]]:
        """The numbers of tools, and how sure the index is of each."""
        found: list[tuple[int, float]] = self._wait(self._found(query, limit))
        return found

    async def _found(self, query: str, limit: int) -> list[tuple[int, float]]:
        asked = SearchQuery(text=query)
        found = await self.index.search(asked, limit=limit, allowed=self._allowed)
        return [(self._numbers[hit.key], hit.confidence) for hit in found]

    def timed(self, queries: Sequence[str], limit: int) -> list[float]:
        """Processor milliseconds of each search, awaited on a running loop as the host does."""

        async def all_of_them() -> list[float]:
            times = []
            for query in queries:
                began = time.process_time_ns()
                await self._found(query, limit)
                times.append((time.process_time_ns() - began) / 1e6)
            return times

        times: list[float] = self._wait(all_of_them())
        return times

    def change(self, added: Sequence[Tool], removed: Sequence[Tool]) -> None:
        self._wait(self.index.update(added, frozenset(tool.key for tool in removed)))

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(work)


def loaded(name: str, settings: Mapping[str, Any]) -> SearchIndex:
    """The index that the plugin `name` yields. Raises LookupError where it is not installed."""
    (found,) = entry_points(group="toolsearch.plugins", name=name) or (None,)
    if found is None:
        raise LookupError(f"the plugin {name} is not installed")
    plugin = found.load()()
    state = Path(os.environ.get(STATE) or tempfile.mkdtemp(prefix="toolsearch-bench-"))
    model = plugin.toolsearch_settings().model
    context = PluginContext(
        name=name, settings=model.model_validate(settings), base_dir=state, state_dir=state
    )
    if hasattr(plugin, "toolsearch_configure"):
        plugin.toolsearch_configure(context)
    index: SearchIndex = next(iter(plugin.toolsearch_search_indexes(context)))
    return index


def flat_text(record: Mapping[str, Any]) -> str:
    fields = ("name", "server", "description", "server_description")
    texts = [record.get(field) or "" for field in fields]
    return " ".join([*texts, parameter_text(record.get("parameters"))])


def plain_words(text: str) -> list[str]:
    """Identifiers split and stop words left out, which all of the plain engines gain by."""
    words = re.findall(r"\w+", re.sub(r"(?<=[a-z\d])(?=[A-Z])|_", " ", text).lower())
    return [word for word in words if word not in STOP]


class Whoosh:
    """Whoosh's own searcher, as its tutorial has it: four fields, a multi-field parser."""

    def __init__(self, records: Records, *, fields: Sequence[str]) -> None:
        from whoosh.analysis import StemmingAnalyzer
        from whoosh.fields import ID, TEXT, Schema
        from whoosh.filedb.filestore import RamStorage
        from whoosh.qparser import MultifieldParser, OrGroup

        schema = Schema(
            number=ID(stored=True), **{field: TEXT(StemmingAnalyzer()) for field in fields}
        )
        index = RamStorage().create_index(schema)
        writer = index.writer(limitmb=4_096)
        for number, record in enumerate(records):
            writer.add_document(number=str(number), **{f: self._text(record, f) for f in fields})
        writer.commit()
        self._searcher = index.searcher()
        self._parser = MultifieldParser(list(fields), schema, group=OrGroup)

    def search(self, query: str, limit: int) -> Ranked:
        words = " ".join(re.findall(r"\w+", query))
        found = self._searcher.search(self._parser.parse(words), limit=limit)
        return [int(hit["number"]) for hit in found]

    def _text(self, record: Mapping[str, Any], field: str) -> str:
        if field == "weighted":
            name, server = record["name"], record.get("server") or ""
            parts = [name] * 6 + [server] * 3 + [record.get("description") or ""] * 2
            parts += [parameter_text(record.get("parameters")), record.get("server_description")]
            return " ".join(plain_words(" ".join(part or "" for part in parts)))
        if field == "parameters":
            return parameter_text(record.get("parameters"))
        return str(record.get(field) or "")


class RankBm25:
    def __init__(self, records: Records) -> None:
        from rank_bm25 import BM25Okapi

        self._index = BM25Okapi([plain_words(flat_text(record)) for record in records])

    def search(self, query: str, limit: int) -> Ranked:
        scores = self._index.get_scores(plain_words(query))
        best = sorted(range(len(scores)), key=lambda number: (-scores[number], number))[:limit]
        return [number for number in best if scores[number] > 0]


class Bm25s:
    def __init__(self, records: Records) -> None:
        import bm25s

        self._bm25s = bm25s
        self._index = bm25s.BM25(method="lucene")
        self._size = len(records)
        texts = [" ".join(plain_words(flat_text(record))) for record in records]
        self._index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)

    def search(self, query: str, limit: int) -> Ranked:
        words = self._bm25s.tokenize([" ".join(plain_words(query))], show_progress=False)
        numbers, scores = self._index.retrieve(words, k=min(limit, self._size), show_progress=False)
        return [int(n) for n, score in zip(numbers[0], scores[0], strict=True) if score > 0]


class Tantivy:
    """One weighted field, tokens repeated by weight."""

    def __init__(self, records: Records) -> None:
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_text_field("body", tokenizer_name="en_stem")
        builder.add_integer_field("number", stored=True)
        self._index = tantivy.Index(builder.build())
        writer = self._index.writer(64_000_000, 1)
        for number, record in enumerate(records):
            name, server = record["name"], record.get("server") or ""
            parts = [name] * 6 + [server] * 3 + [record.get("description") or ""] * 2
            parts += [parameter_text(record.get("parameters")), record.get("server_description")]
            body = " ".join(plain_words(" ".join(part or "" for part in parts)))
            writer.add_document(tantivy.Document(body=body, number=number))
        writer.commit()
        self._index.reload()
        self._searcher = self._index.searcher()

    def search(self, query: str, limit: int) -> Ranked:
        words = " ".join(plain_words(query))
        if not words:
            return []
        parsed, _ = self._index.parse_query_lenient(words, ["body"])
        hits = self._searcher.search(parsed, limit).hits
        return [self._searcher.doc(address)["number"][0] for _, address in hits]


class Fts5:
    """SQLite's own full-text index, four weighted columns."""

    def __init__(self, records: Records) -> None:
        self._store = sqlite3.connect(":memory:")
        self._store.execute(
            "create virtual table tools using fts5(name, server, description, parameters,"
            " tokenize='porter unicode61')"
        )
        self._store.executemany(
            "insert into tools(rowid, name, server, description, parameters) values (?,?,?,?,?)",
            (
                (
                    number,
                    " ".join(plain_words(record["name"])),
                    record.get("server") or "",
                    record.get("description") or "",
                    parameter_text(record.get("parameters")),
                )
                for number, record in enumerate(records)
            ),
        )

    def search(self, query: str, limit: int) -> Ranked:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(plain_words(query)))
        if not words:
            return []
        rows = self._store.execute(
            "select rowid from tools where tools match ? order by bm25(tools, 3, 1.5, 1, .5)"
            " limit ?",
            (words, limit),
        )
        return [number for (number,) in rows]


class FastMcp:
    def __init__(self, records: Records) -> None:
        from fastmcp.server.transforms.search import base, bm25

        self._index = bm25._BM25Index()  # noqa: SLF001 - its ranking, without its server
        self._index.build(
            [
                base._extract_searchable_text(  # noqa: SLF001
                    SimpleNamespace(
                        name=record["name"],
                        description=record.get("description"),
                        parameters=record.get("parameters"),
                    )
                )
                for record in records
            ]
        )

    def search(self, query: str, limit: int) -> Ranked:
        return list(self._index.query(query, limit))


class PydanticAi:
    def __init__(self, records: Records) -> None:
        from pydantic_ai.tools import ToolDefinition
        from pydantic_ai.toolsets import _tool_search

        self._search = _tool_search.keywords_search_fn
        self._tools = [
            ToolDefinition(name=record["name"], description=record.get("description"))
            for record in records
        ]
        self._numbers: dict[str, list[int]] = defaultdict(list)
        for number, record in enumerate(records):
            self._numbers[record["name"]].append(number)

    def search(self, query: str, limit: int) -> Ranked:
        names = dict.fromkeys(self._search(None, [query], self._tools)[:limit])
        return list(chain.from_iterable(self._numbers[name] for name in names))[:limit]


class Ratel:
    def __init__(self, records: Records) -> None:
        import ratel_ai

        self._registry = ratel_ai.ToolRegistry()
        asyncio.run(self._register(ratel_ai, records))

    async def _register(self, ratel_ai: Any, records: Records) -> None:
        await self._registry.register(
            [
                ratel_ai.Tool(
                    id=str(number),
                    name=record["name"],
                    description=record.get("description") or "",
                    input_schema=record.get("parameters") or {},
                )
                for number, record in enumerate(records)
            ]
        )

    def search(self, query: str, limit: int) -> Ranked:
        return [int(hit.tool_id) for hit in self._registry.search(query, limit)]


class Plus:
    def __init__(self, records: Records) -> None:
        self._index = LexicalPlus(records)

    def search(self, query: str, limit: int) -> Ranked:
        return self._index.rank(query, limit)


OTHERS: Mapping[str, Callable[[Records], Engine]] = {
    "lexical-plus": Plus,
    "whoosh-naive": lambda records: Whoosh(
        records, fields=["name", "server", "description", "parameters"]
    ),
    "whoosh-one-field": lambda records: Whoosh(records, fields=["weighted"]),
    "rank-bm25": RankBm25,
    "bm25s": Bm25s,
    "tantivy": Tantivy,
    "fts5": Fts5,
    "fastmcp": FastMcp,
    "pydantic-ai": PydanticAi,
    "ratel": Ratel,
}
ALIASES = {
    "default": "index-whoosh",
    "default-keen": 'index-whoosh:{"minConfidence": 0}',
    "default-plain": 'index-whoosh:{"acceleration": "off"}',
}


def listed(asked: str) -> list[str]:
    """The engines of a list with commas; settings in braces may have commas of their own."""
    return re.split(r",(?![^{]*\})", asked)


def engine(name: str, tools: Sequence[Tool], records: Records) -> Engine:
    """Build the engine. Raises ImportError or LookupError where its package is not installed."""
    asked = ALIASES.get(name, name)
    if asked in OTHERS:
        return OTHERS[asked](records)
    return Plugin(asked, tools)
