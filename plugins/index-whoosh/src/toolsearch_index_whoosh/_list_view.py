"""A view in plain Python: dictionaries and a heap."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Any

from toolsearch_hookspecs import Allowed

from ._lexicon import Lexicon
from ._query import Plan, Weighted
from ._store import Snapshot
from ._view import CLAUSE, COVERAGE, K1, Column, Placed, View, remember

# Sums of fractions are a little off; bounds allow for it.
SLACK = 1e-9


class ListView(View):
    """Ranks as `ArrayView` does, to the last bit, without numpy."""

    def __init__(self, snapshot: Snapshot, allowed: Allowed, lexicon: Lexicon) -> None:
        super().__init__(snapshot, allowed, lexicon)
        self._by_document: dict[str, dict[int, float]] = {}

    def best(self, plan: Plan, limit: int) -> list[Placed]:
        scores = _summed(self.columns(plan))
        for group in plan.required:
            for term in group:
                having = self._shares(term)
                scores = {key: score for key, score in scores.items() if key in having}
        if not scores:
            return []
        scores = _within_reach(scores, limit)
        self._add_clauses(scores, plan)
        unit = COVERAGE * max(scores.values())
        for document, share in _summed(self.named(plan)).items():
            if document in scores:
                scores[document] += unit * share
        return _top(scores, limit)

    def _add_clauses(self, scores: dict[int, float], plan: Plan) -> None:
        highest = dict.fromkeys(scores, 0.0)
        for clause in plan.clauses:
            alone = dict.fromkeys(scores, 0.0)
            for shares, weight in self._clause(clause):
                for document in scores:
                    if document in shares:
                        alone[document] += shares[document] * weight
            for document, score in alone.items():
                highest[document] = max(highest[document], score)
        for document, score in highest.items():
            scores[document] += CLAUSE * score

    def _clause(self, clause: Weighted) -> list[tuple[dict[int, float], float]]:
        found = [(self._shares(term), weight) for term, weight in clause]
        return sorted(found, key=lambda one: len(one[0]), reverse=True)

    def _shares(self, term: str) -> dict[int, float]:
        found = self._by_document.get(term)
        if found is None:
            found = dict(zip(*self.body(term), strict=True))
            remember(self._by_document, term, found)
        return found

    def _numbers(self, values: Iterable[float]) -> list[float]:
        return list(values)

    def _whole_numbers(self, values: list[int]) -> list[int]:
        return values

    def _gathered(self, field: str, term: str) -> Column:
        documents: list[int] = []
        kept: list[float] = []
        for local, (numbers, weights) in zip(self._locals, self.postings(field, term), strict=True):
            for number, weight in zip(numbers, weights, strict=True):
                if (document := local[number]) >= 0:
                    documents.append(document)
                    kept.append(weight)
        return documents, kept

    def _saturated(self, term: str) -> Column:
        documents, weights = self._gathered("body", term)
        norms = self._norms
        return documents, [
            weight * (K1 + 1) / (weight + norms[document])
            for document, weight in zip(documents, weights, strict=True)
        ]

    def _scaled(self, values: Any, weight: float) -> list[float]:
        return [value * weight for value in values]

    def _highest(self, columns: Sequence[Column], most: int) -> Column:
        highest: dict[int, float] = {}
        for documents, values in columns:
            for document, value in zip(documents, values, strict=True):
                if value > highest.get(document, 0.0):
                    highest[document] = value
        top = heapq.nsmallest(most, highest.items(), key=lambda item: (-item[1], item[0]))
        return [document for document, _ in top], [value for _, value in top]


def _summed(columns: Sequence[tuple[Column, float]]) -> dict[int, float]:
    """The sum of the columns, in their order; the first, the longest, costs least."""
    scores: dict[int, float] = {}
    for (documents, values), weight in columns:
        weighed = values if weight == 1.0 else [value * weight for value in values]
        if not scores:
            scores = dict(zip(documents, weighed, strict=True))
            continue
        get = scores.get
        for document, value in zip(documents, weighed, strict=True):
            scores[document] = get(document, 0.0) + value
    return scores


def _within_reach(scores: dict[int, float], limit: int) -> dict[int, float]:
    """The documents that what is added later can still bring among the best.

    A clause adds at most `CLAUSE` times what a document has, its name at most `COVERAGE` times
    what the best one then has.
    """
    ordered = heapq.nlargest(limit, scores.values())
    bound = (ordered[-1] - COVERAGE * (1 + CLAUSE) * ordered[0]) / (1 + CLAUSE) - SLACK
    return {document: score for document, score in scores.items() if score >= bound}


def _top(scores: dict[int, float], limit: int) -> list[Placed]:
    bound = heapq.nlargest(limit, scores.values())[-1]
    best = [(-score, document) for document, score in scores.items() if score >= bound]
    best.sort()
    return [Placed(document, -score) for score, document in best[:limit] if score < 0]
