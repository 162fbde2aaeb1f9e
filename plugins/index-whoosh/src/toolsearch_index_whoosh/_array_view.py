"""A view in numpy: columns are arrays, and one pass of counting adds them all up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen

from toolsearch_hookspecs import Allowed

from ._lanes import halvings
from ._lexicon import Lexicon
from ._query import Plan
from ._remembered import Remembered
from ._store import Snapshot
from ._view import MOST_AROUND, PAIR, UNIT, View, around, factor
from ._writer import BODY, PAIRS

# The best few are sought among blocks whose best is good enough.
BLOCK = 64


@frozen
class Column:
    """What a term adds to documents; one may stand here twice. None has more than `highest`."""

    documents: Any
    values: Any
    highest: int

    @property
    def held(self) -> int:
        return int(self.documents.nbytes + self.values.nbytes)


class ArrayView(View):
    """Adds the same numbers as `LaneView`, so that both rank alike."""

    def __init__(self, snapshot: Snapshot, allowed: Allowed, lexicon: Lexicon) -> None:
        super().__init__(snapshot, allowed, lexicon)
        self._room = -(-self.size // BLOCK) * BLOCK
        self._numbers = [np.frombuffer(part.numbers, np.int32) for part in self.parts]
        self._columns = self.remembers(Remembered[tuple[str, float, int], Column])
        self._pairs = self.remembers(Remembered[str, Column])
        self._bodies = self.remembers(Remembered[tuple[str, float], Column])
        self._champions = self.remembers(Remembered[str, Column])

    def shortlist(self, plan: Plan, most: int) -> list[tuple[float, int]]:
        reach, spread = around(len(plan.terms))
        columns = [self._column(term, weight, reach, spread) for term, weight in plan.terms]
        columns += map(self._pair, plan.pairs)
        columns = [column for column in columns if column.highest]
        if not columns:
            return []
        halved = halvings(column.highest for column in columns)
        totals = self._totals(columns, halved)
        for alternatives in plan.required:
            totals[~np.any([self._with_all(terms) for terms in alternatives], axis=0)] = 0.0
        return _top(totals, most, 2**halved / UNIT)

    def _with_all(self, terms: Sequence[str]) -> Any:
        having = np.zeros((len(terms), self._room), bool)
        for row, term in zip(having, terms, strict=True):
            row[self._gathered(BODY, term)[0]] = True
        return having.all(axis=0)

    def _totals(self, columns: Sequence[Column], halved: int) -> Any:
        if halved:
            return sum(
                np.floor(np.bincount(one.documents, one.values, self._room) / 2**halved)
                for one in columns
            )
        documents = np.concatenate([column.documents for column in columns])
        values = np.concatenate([column.values for column in columns])
        return np.bincount(documents, values, self._room)

    def clauses(self, plan: Plan, documents: Sequence[int]) -> list[float]:
        places = np.full(self.size, -1)
        places[documents] = np.arange(len(documents))
        bodies = [
            (self._body(*one), number * len(documents))
            for number, clause in enumerate(plan.clauses)
            for one in clause
        ]
        here = places[np.concatenate([body.documents for body, _ in bodies])]
        kept = np.flatnonzero(here >= 0)
        starts = np.repeat([start for _, start in bodies], [len(body.values) for body, _ in bodies])
        sums = np.bincount(
            here[kept] + starts[kept],
            np.concatenate([body.values for body, _ in bodies])[kept],
            len(documents) * len(plan.clauses),
        )
        best: list[float] = (sums.reshape(-1, len(documents)).max(axis=0) / UNIT).tolist()
        return best

    def _column(self, term: str, weight: float, reach: int, spread: float) -> Column:
        found = self._columns.get((term, weight, reach))
        if found is None:
            body, others = self._body(term, weight), self._around(term, reach, weight * spread)
            found = Column(
                np.concatenate([body.documents, *(one.documents for one in others)]),
                np.concatenate([body.values, *(one.values for one in others)]),
                body.highest + max((one.highest for one in others), default=0),
            )
            self._columns.keep((term, weight, reach), found)
        return found

    def _around(self, term: str, reach: int, weight: float) -> list[Column]:
        """What the concepts of a term add: the strongest word of each document."""
        found: list[Column] = []
        free = np.ones(self.size, bool)
        for strength, other in self.leads(term):
            best = self._best_of(other)
            new = free[best.documents]
            documents = best.documents[new][:reach]
            if len(documents):
                found.append(
                    _column(documents, best.values[new][:reach], factor(weight * strength))
                )
                free[documents] = False
                reach -= len(documents)
                if not reach:
                    break
        return found

    def _best_of(self, term: str) -> Column:
        """The documents that have most of a term, with its share in each."""
        found = self._champions.get(term)
        if found is None:
            documents, shares = self._gathered(BODY, term)
            order = np.lexsort((documents, -shares))[:MOST_AROUND]
            found = self._champions.keep(term, Column(documents[order], shares[order], 0))
        return found

    def _body(self, term: str, weight: float) -> Column:
        found = self._bodies.get((term, weight))
        if found is None:
            times = factor(weight * self.rarity(self.count(term)))
            found = _column(*self._gathered(BODY, term), times)
            self._bodies.keep((term, weight), found)
        return found

    def _pair(self, pair: str) -> Column:
        found = self._pairs.get(pair)
        if found is None:
            documents, shares = self._gathered(PAIRS, pair)
            times = factor(PAIR * self.rarity(len(documents)))
            found = self._pairs.keep(pair, _column(documents, shares, times))
        return found

    def _gathered(self, field: str, term: str) -> tuple[Any, Any]:
        """The view's documents that have a term, and its share in each."""
        found, kept = [], []
        for part, numbers in zip(self.parts, self._numbers, strict=True):
            documents, shares = part.segment.postings(field, term)
            if len(documents):
                here = numbers[np.frombuffer(documents, np.uint32)]
                values = np.frombuffer(shares, np.uint16)
                if not part.whole:
                    allowed = here >= 0
                    here, values = here[allowed], values[allowed]
                found.append(here)
                kept.append(values)
        if not found:
            return np.zeros(0, np.intp), np.zeros(0)
        return np.concatenate(found).astype(np.intp), np.concatenate(kept).astype(float)


def _column(documents: Any, shares: Any, times: float) -> Column:
    values = np.floor(shares * times) + 1
    return Column(documents, values, int(values.max()) if len(values) else 0)


def _top(totals: Any, most: int, unit: float) -> list[tuple[float, int]]:
    best = totals.reshape(-1, BLOCK).max(axis=1)
    bound = np.partition(best, -most)[-most] if len(best) > most else 0.0
    documents = np.flatnonzero(totals >= bound if bound > 0 else totals > 0)
    values = totals[documents]
    order = np.argsort(-values, kind="stable")[:most]
    return list(zip((values[order] * -unit).tolist(), documents[order].tolist(), strict=True))
