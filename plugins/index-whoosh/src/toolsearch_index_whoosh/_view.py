"""The index as one run sees it: only its allowed tools, with statistics drawn from them alone.

Term rarity, average length and the words a typo may be mended to come from the allowed tools, so
that an answer neither depends on nor tells anything of a tool that the run may not use, and the
same tools rank the same whatever else the index holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from toolsearch_hookspecs import Allowed

from ._store import BODY, NAME, PAIRS, Snapshot

K1 = 1.5
B = 0.75

Postings = tuple[Sequence[int], Sequence[float]]


class View:
    """A snapshot under a mask; documents are numbered in the order of their keys."""

    def __init__(self, snapshot: Snapshot, allowed: Allowed) -> None:
        self.snapshot = snapshot
        places = snapshot.places
        self.keys = sorted(key for key in allowed.keys if key in places)
        self._local: list[list[int]] = [[-1] * segment.size for segment in snapshot.segments]
        lengths = [0.0] * len(self.keys)
        for local, key in enumerate(self.keys):
            segment, number = places[key]
            self._local[segment][number] = local
            lengths[local] = snapshot.segments[segment].lengths[number]
        average = sum(lengths) / len(lengths) if lengths else 1.0
        self._norms = [K1 * (1 - B + B * length / (average or 1.0)) for length in lengths]
        self._weighed: dict[tuple[str, str], Postings] = {}

    def term(self, field: str, term: str) -> Postings:
        """The documents that have the term, and how much it counts for each."""
        found = self._weighed.get((field, term))
        if found is None:
            found = self._weighed[field, term] = self._weigh(field, term)
        return found

    def knows(self, term: str) -> bool:
        return bool(self.term(BODY, term)[0])

    def rarity(self, count: int) -> float:
        """How telling a term is that `count` of the documents have (BM25's idf, never negative)."""
        return math.log(1 + (len(self.keys) - count + 0.5) / (count + 0.5))

    def _weigh(self, field: str, term: str) -> Postings:
        documents: list[int] = []
        weights: list[float] = []
        for segment, local in zip(self.snapshot.segments, self._local, strict=True):
            for number, weight in zip(*segment.postings(field, term), strict=True):
                if (document := local[number]) >= 0:
                    documents.append(document)
                    weights.append(weight)
        rarity = self.rarity(len(documents))
        match field:
            case "body":
                norms = self._norms
                impacts = [
                    rarity * weight * (K1 + 1) / (weight + norms[document])
                    for document, weight in zip(documents, weights, strict=True)
                ]
            case _:
                impacts = [rarity * weight for weight in weights]
        return documents, impacts


__all__ = ["BODY", "NAME", "PAIRS", "Postings", "View"]
