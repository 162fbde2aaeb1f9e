"""The index as the host holds it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolsearch_hookspecs import Allowed, Hit, SearchIndex, SearchQuery, Tool

from ._encoders import Encoder, encoder
from ._settings import SemanticSettings

if TYPE_CHECKING:
    from ._vectors import VectorStore  # imports numpy

MAX_TEXT = 2_048

# How far down both lists are read before they are blended.
DEPTH = 100


class SemanticIndex(SearchIndex):
    """Asks the inner index and the vectors, and blends their scores."""

    name = "index-semantic"

    def __init__(self, settings: SemanticSettings, base_dir: Path, lexical: SearchIndex) -> None:
        self._settings = settings
        self._base_dir = base_dir
        self._lexical = lexical
        self._loading = threading.Lock()
        self._loaded: tuple[Encoder, VectorStore] | None = None

    async def update(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        await asyncio.to_thread(lambda: self._parts()[1].change(added, removed))
        await self._lexical.update(added, removed)

    async def search(self, query: SearchQuery, *, limit: int, allowed: Allowed) -> Sequence[Hit]:
        if limit <= 0 or not query.text.strip():
            return []
        worded = await self._lexical.search(query, limit=max(limit, DEPTH), allowed=allowed)
        model, likeness = await asyncio.to_thread(self._likest, query.text[:MAX_TEXT], allowed)
        if query.required:
            # What must be there, only the inner index can tell.
            having = {hit.key for hit in worded}
            likeness = {key: value for key, value in likeness.items() if key in having}
        hits = blended(worded, likeness, model, self._settings.weight)[:limit]
        return hits if hits and hits[0].confidence >= self._settings.min_confidence else []

    async def aclose(self) -> None:
        self._loaded = None
        await self._lexical.aclose()

    def _likest(self, text: str, allowed: Allowed) -> tuple[Encoder, Mapping[str, float]]:
        model, vectors = self._parts()
        return model, vectors.near(text, allowed).best(DEPTH)

    def _parts(self) -> tuple[Encoder, VectorStore]:
        from ._vectors import VectorStore

        with self._loading:
            if self._loaded is None:
                model = encoder(self._settings, self._base_dir)
                self._loaded = model, VectorStore(model)
            return self._loaded


def blended(
    worded: Sequence[Hit], likeness: Mapping[str, float], model: Encoder, weight: float
) -> list[Hit]:
    """Hits of both, by score: the inner index's share of its best, and how far the likeness stands
    out among the likest, times `weight`, the less the surer the inner index is of its best."""
    best = max((hit.score for hit in worded), default=0.0)
    scores = {hit.key: hit.score / best for hit in worded} if best else {}
    weight *= 1 - max((hit.confidence for hit in worded), default=0.0)
    sure = {hit.key: hit.confidence for hit in worded}
    low = min(likeness.values(), default=0.0)
    spread = max(likeness.values(), default=0.0) - low
    for key, value in likeness.items():
        if value > model.noise:
            gain = weight * (value - low) / spread if spread else weight
            scores[key] = scores.get(key, 0.0) + gain
    hits = [
        Hit(
            key=key,
            score=score,
            confidence=1 - (1 - sure.get(key, 0.0)) * (1 - _sure(likeness.get(key, 0.0), model)),
        )
        for key, score in scores.items()
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.key))


def _sure(likeness: float, model: Encoder) -> float:
    """Nothing at the level of noise, a half where most requests are as like their tools."""
    above = max(0.0, likeness - model.noise) / (model.alike - model.noise)
    return above * above / (1 + above * above)
