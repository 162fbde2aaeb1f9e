"""A view in numpy: columns are arrays, and one pass of counting adds them all up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ._query import Plan
from ._view import CLAUSE, COVERAGE, K1, Column, Placed, View, Weighed

# The best few are sought among blocks whose best is good enough.
BLOCK = 64

NOTHING = (np.zeros(0, np.int64), np.zeros(0))


class ArrayView(View):
    """Adds the same numbers in the same order as `ListView`, so that both rank alike."""

    def best(self, plan: Plan, limit: int) -> list[Placed]:
        room = -(-self.size // BLOCK) * BLOCK
        scores = _summed(self.columns(plan), room)
        if plan.clauses:
            scores += CLAUSE * self._clauses(plan, room)
        for group in plan.required:
            for term in group:
                having = np.zeros(room, bool)
                having[self.body(term)[0]] = True
                scores[~having] = 0.0
        unit = COVERAGE * (float(scores.max()) if room else 0.0)
        if not unit:
            return []
        named = _summed(self.named(plan), room)
        named *= unit
        named[scores == 0] = 0.0
        scores += named
        return _top(scores, limit)

    def _clauses(self, plan: Plan, room: int) -> Any:
        documents, values = [], []
        for number, clause in enumerate(plan.clauses):
            for (found, shares), weight in self.clause(clause):
                documents.append(found + number * room)
                values.append(shares if weight == 1.0 else shares * weight)
        if not documents:
            return np.zeros(room)
        sums = np.bincount(
            np.concatenate(documents), np.concatenate(values), room * len(plan.clauses)
        )
        return sums.reshape(-1, room).max(axis=0)

    def _numbers(self, values: Iterable[float]) -> Any:
        return np.fromiter(values, float)

    def _whole_numbers(self, values: list[int]) -> Any:
        return np.array(values, np.int64)

    def _gathered(self, field: str, term: str) -> Column:
        documents, kept = [], []
        for local, (numbers, weights) in zip(self._locals, self.postings(field, term), strict=True):
            if len(numbers):
                here = local[np.frombuffer(numbers, np.int32)]
                allowed = here >= 0
                documents.append(here[allowed])
                kept.append(np.frombuffer(weights, np.float32)[allowed].astype(float))
        if not documents:
            return NOTHING
        return np.concatenate(documents), np.concatenate(kept)

    def _saturated(self, term: str) -> Column:
        documents, weights = self._gathered("body", term)
        return documents, weights * (K1 + 1) / (weights + self._norms[documents])

    def _scaled(self, values: Any, weight: float) -> Any:
        return values * weight

    def _highest(self, columns: Sequence[Column], most: int) -> Column:
        if not columns:
            return NOTHING
        highest = np.zeros(self.size)
        for documents, values in columns:
            highest[documents] = np.maximum(highest[documents], values)
        documents = np.flatnonzero(highest)
        values = highest[documents]
        kept = np.argsort(-values, kind="stable")[:most]
        return documents[kept], values[kept]


def _summed(columns: Weighed, room: int) -> Any:
    if not columns:
        return np.zeros(room)
    documents = np.concatenate([documents for (documents, _), _ in columns])
    values = np.concatenate(
        [values if weight == 1.0 else values * weight for (_, values), weight in columns]
    )
    return np.bincount(documents, values, room)


def _top(scores: Any, limit: int) -> list[Placed]:
    best = scores.reshape(-1, BLOCK).max(axis=1)
    bound = np.partition(best, -limit)[-limit] if len(best) > limit else 0.0
    documents = np.flatnonzero(scores >= bound if bound > 0 else scores > 0)
    values = scores[documents]
    order = np.argsort(-values, kind="stable")[:limit]
    return [
        Placed(document, score)
        for document, score in zip(documents[order].tolist(), values[order].tolist(), strict=True)
    ]
