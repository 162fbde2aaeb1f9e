"""What learning from calls is worth: `python benchmarks/feedback.py --data DIR`.

Two streams of requests a set: one in which each request comes again in other words (a fourth of
them dropped, one with a slip), and one in which none does. After each search the right tool is
called where the search showed it. Measured is nDCG@10 of the later half, without and with
`rank-feedback`.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

import engines
from attrs import evolve
from catalogs import Query, RetrievalSet, retrieval_set
from measures import DEPTH, ndcg
from variants import with_slips

from toolsearch_hookspecs import (
    Allowed,
    Event,
    EventType,
    PluginContext,
    RankedTool,
    RunContext,
    SearchQuery,
)
from toolsearch_rank_feedback import FeedbackSettings, plugin

SETS = "livemcp,metatool,sealtools,toolbench,bfcl"
RUN = RunContext(run_id="stream")
SHOWN = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the sets")
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--engine", default="index-whoosh")
    options = parser.parse_args()
    print("| set | stream | without | with |\n|---|---|---|---|")
    for name in options.sets.split(","):
        one = retrieval_set(options.data, name)
        for kind, stream in (("repeating", _repeating(one)), ("not repeating", _single(one))):
            plain, learnt = asyncio.run(_measured(one, stream, options.engine))
            print(f"| {name} | {kind} | {plain:.3f} | {learnt:.3f} |")


def _single(one: RetrievalSet) -> list[Query]:
    return random.Random(0).sample(list(one.queries), len(one.queries))


def _repeating(one: RetrievalSet) -> list[Query]:
    chance = random.Random(1)
    first = _single(one)
    again = [evolve(query, text=_shorter(query.text, chance)) for query in with_slips(first)]
    return [*first, *chance.sample(again, len(again))]


def _shorter(text: str, chance: random.Random) -> str:
    words = [word for word in text.split() if chance.random() > 0.25]
    return " ".join(words) or text


async def _measured(one: RetrievalSet, stream: Sequence[Query], engine: str) -> tuple[float, float]:
    index = engines.loaded(engine, {})
    await index.update(one.tools, frozenset())
    tools = {tool.key: tool for tool in one.tools}
    numbers = {tool.id: number for number, tool in enumerate(one.tools)}
    allowed = Allowed(fingerprint="all", keys=frozenset(tools))
    learning = _plugin()
    plain, learnt = [], []
    for query in stream:
        found = await index.search(SearchQuery(text=query.text), limit=2 * SHOWN, allowed=allowed)
        hits = [
            RankedTool(tool=tools[hit.key], score=hit.score, confidence=hit.confidence)
            for hit in found
        ]
        ranked = await learning.toolsearch_rank(RUN, query.text, hits) or hits
        plain.append(ndcg([numbers[hit.tool.id] for hit in hits][:DEPTH], query.answers))
        learnt.append(ndcg([numbers[hit.tool.id] for hit in ranked][:DEPTH], query.answers))
        for hit in ranked[:SHOWN]:
            if numbers[hit.tool.id] in query.answers:
                learning.toolsearch_event(_called(hit.tool.id))
    half = len(stream) // 2
    return fmean(plain[half:]), fmean(learnt[half:])


def _plugin() -> plugin:
    folder = Path(tempfile.mkdtemp(prefix="toolsearch-bench-"))
    made = plugin()
    made.toolsearch_configure(
        PluginContext(
            name="rank-feedback", settings=FeedbackSettings(), base_dir=folder, state_dir=folder
        )
    )
    return made


def _called(tool: str) -> Event:
    data = {"tool": tool, "ok": True}
    return Event(type=EventType.CALL_ENDED, at=datetime.now(UTC), seq=1, run=RUN.run_id, data=data)


if __name__ == "__main__":
    main()
