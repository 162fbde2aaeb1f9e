"""The index as the host holds it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolsearch_hookspecs import Allowed, Hit, SearchIndex, SearchQuery, Tool

from ._blend import blended
from ._encoder import Encoder
from ._encoders import encoder
from ._settings import SemanticSettings

if TYPE_CHECKING:
    from ._vectors import VectorStore  # imports numpy

MAX_TEXT = 2_048

# How far down both lists are read before they are blended.
DEPTH = 50

# Of more tools than these the likest are looked for on a thread.
MAX_ON_LOOP = 20_000


class SemanticIndex(SearchIndex):
    """Asks the inner index and the vectors, and blends their scores."""

    name = "index-semantic"

    def __init__(
        self, settings: SemanticSettings, base_dir: Path, state_dir: Path, lexical: SearchIndex
    ) -> None:
        self._settings = settings
        self._base_dir = base_dir
        self._state_dir = state_dir
        self._lexical = lexical
        self._loading = threading.Lock()
        self._loaded: tuple[Encoder, VectorStore] | None = None

    async def update(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        await asyncio.to_thread(lambda: self._parts()[1].change(added, removed))
        await self._lexical.update(added, removed)

    async def search(self, query: SearchQuery, *, limit: int, allowed: Allowed) -> Sequence[Hit]:
        text = query.text[:MAX_TEXT].strip()
        if limit <= 0 or not text or self._loaded is None:
            return []
        scale, vectors = self._loaded
        worded = await self._lexical.search(query, limit=max(limit, DEPTH), allowed=allowed)
        if scale.quick and len(allowed.keys) <= MAX_ON_LOOP:
            likeness = vectors.likest(text, allowed, DEPTH)
        else:
            likeness = await asyncio.to_thread(vectors.likest, text, allowed, DEPTH)
        if query.required:
            # What must be there, only the inner index can tell.
            likeness = _among(likeness, worded)
        weight = scale.weight if self._settings.weight is None else self._settings.weight
        hits = blended(worded, likeness, scale, weight, limit)
        return hits if hits and hits[0].confidence >= self._settings.min_confidence else []

    async def aclose(self) -> None:
        self._loaded = None
        await self._lexical.aclose()

    def _parts(self) -> tuple[Encoder, VectorStore]:
        from ._vectors import VectorStore

        with self._loading:
            if self._loaded is None:
                made = encoder(self._settings, self._base_dir, self._state_dir)
                self._loaded = made, VectorStore(made)
            return self._loaded


def _among(likeness: Mapping[str, float], worded: Sequence[Hit]) -> dict[str, float]:
    having = {hit.key for hit in worded}
    return {key: value for key, value in likeness.items() if key in having}
