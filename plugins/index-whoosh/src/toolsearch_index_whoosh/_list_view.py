"""A view in plain Python: dictionaries and a heap."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Any

from ._query import Plan
from ._view import CLAUSE, COVERAGE, K1, Column, Placed, View


class ListView(View):
    """Ranks as `ArrayView` does, to the last bit, without numpy."""

    def best(self, plan: Plan, limit: int) -> list[Placed]:
        scores: dict[int, float] = {}
        for term, weight in plan.terms:
            _add(scores, self.body(term), weight)
        for term, weight in plan.terms:
            _add(scores, self.around(term), plan.spread * weight)
        for pair in plan.pairs:
            _add(scores, self.pair(pair), 1.0)
        self._add_clauses(scores, plan)
        for group in plan.required:
            for term in group:
                having = frozenset(self.body(term)[0])
                scores = {key: score for key, score in scores.items() if key in having}
        if not scores:
            return []
        named: dict[int, float] = {}
        for term, weight in plan.terms:
            _add(named, self.name(term), weight)
        unit = COVERAGE * max(scores.values())
        for document, share in named.items():
            if document in scores:
                scores[document] += unit * share
        top = heapq.nsmallest(limit, scores.items(), key=lambda item: (-item[1], item[0]))
        return [Placed(document, score) for document, score in top if score > 0]

    def _add_clauses(self, scores: dict[int, float], plan: Plan) -> None:
        highest: dict[int, float] = {}
        for clause in plan.clauses:
            alone: dict[int, float] = {}
            for term, weight in clause:
                _add(alone, self.body(term), weight)
            for document, score in alone.items():
                if score > highest.get(document, 0.0):
                    highest[document] = score
        for document, score in highest.items():
            scores[document] += CLAUSE * score

    def _numbers(self, values: Iterable[float]) -> list[float]:
        return list(values)

    def _local(self, segment: str) -> list[int]:
        local = [-1] * self.snapshot.segments[segment].size
        for document, (place, number) in enumerate(self.placed):
            if place == segment:
                local[number] = document
        return local

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


def _add(scores: dict[int, float], column: Column, weight: float) -> None:
    get = scores.get
    for document, value in zip(*column, strict=True):
        scores[document] = get(document, 0.0) + value * weight
