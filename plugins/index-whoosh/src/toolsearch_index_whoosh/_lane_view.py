"""A view in plain Python, which adds whole columns at once all the same: see `_lanes`."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import islice, repeat
from typing import TypeAlias

from attrs import field, frozen

from toolsearch_hookspecs import Allowed

from ._lanes import Lanes, Layout, halvings
from ._lexicon import Lexicon
from ._query import Alternatives, Plan
from ._remembered import Remembered
from ._store import Snapshot
from ._view import MOST_AROUND, PAIR, UNIT, View, around, factor
from ._writer import BODY, PAIRS

# A column with fewer entries than one in so many documents is added entry by entry.
SPARSE = 128

# How many of the highest entries of the columns, all together, are looked at for a first bound.
SAMPLE = 128
LEAST_SAMPLE = 8

# An entry by number takes about so many bytes.
ENTRY = 80

# How many documents a column names as those that it adds most to.
FIRST = 50

# What each document has, by its number.
Values: TypeAlias = "dict[int, int] | array[int]"


@frozen
class Body:
    """What a term adds to the documents that have it."""

    values: Values
    highest: int = 0
    first: Sequence[int] = ()

    @property
    def held(self) -> int:
        values = self.values
        return len(values) * (ENTRY if isinstance(values, dict) else values.itemsize)


@frozen
class Column:
    """What a term and its concept add to each document: in lanes, or by number where they are few.

    No document has more than `highest`; `first` are some that have much.
    """

    highest: int
    first: Sequence[int]
    values: Mapping[int, int] = field(factory=dict)
    lanes: Lanes = ()

    @property
    def held(self) -> int:
        return len(self.values) * ENTRY + sum(map(sys.getsizeof, self.lanes))


@frozen
class Champions:
    """The documents that have most of a term, with its share in each."""

    shares: Sequence[tuple[int, int]]

    @property
    def held(self) -> int:
        return len(self.shares) * ENTRY


class LaneView(View):
    """Ranks as `ArrayView` does, without numpy."""

    def __init__(self, snapshot: Snapshot, allowed: Allowed, lexicon: Lexicon) -> None:
        super().__init__(snapshot, allowed, lexicon)
        self._layout = Layout(self.size)
        self._columns = self.remembers(Remembered[tuple[str, float, int], Column])
        self._pairs = self.remembers(Remembered[str, Column])
        self._bodies = self.remembers(Remembered[tuple[str, float], Body])
        self._champions = self.remembers(Remembered[str, Champions])

    def shortlist(self, plan: Plan, most: int) -> list[tuple[float, int]]:
        reach, spread = around(len(plan.terms))
        columns = [self._column(term, weight, reach, spread) for term, weight in plan.terms]
        columns += map(self._pair, plan.pairs)
        columns = [column for column in columns if column.highest]
        if not columns:
            return []
        halved = halvings(column.highest for column in columns)
        lanes = self._layout.added([column.lanes for column in columns if column.lanes], halved)
        totals = self._layout.numbers(lanes)
        few = [column.values for column in columns if column.values]
        for values in few:
            for document, value in values.items():
                totals[document] += value >> halved
        documents: Iterable[int]
        if plan.required:
            documents = self._having(plan.required)
        else:
            bound = _bound(columns, totals, most)
            documents = {one for values in few for one in values if totals[one] >= bound}
            documents.update(self._layout.reaching(lanes, bound))
        found = sorted((-totals[document], document) for document in documents)
        unit = (1 << halved) / UNIT
        return [(total * unit, document) for total, document in found[:most] if total]

    def clauses(self, plan: Plan, documents: Sequence[int]) -> list[float]:
        asked = {one for clause in plan.clauses for one in clause}
        rows = {one: _at(self._body(*one).values, documents) for one in asked}
        best = [0] * len(documents)
        for clause in plan.clauses:
            sums = map(sum, zip(*(rows[one] for one in clause), strict=True))
            best = list(map(max, best, sums))
        return [one / UNIT for one in best]

    def _column(self, term: str, weight: float, reach: int, spread: float) -> Column:
        key = term, weight, reach
        found = self._columns.get(key)
        if found is None:
            body, around = self._body(term, weight), self._around(term, reach, weight * spread)
            found = self._columns.keep(key, self._new_column(body, around))
        return found

    def _new_column(self, body: Body, around: Mapping[int, int]) -> Column:
        highest = body.highest + max(around.values(), default=0)
        first = [*body.first, *islice(around, FIRST)]
        values = body.values.copy() if isinstance(body.values, dict) else body.values[:]
        if isinstance(values, dict):
            values = self._spread(values, len(around))
        if isinstance(values, dict):
            for document, value in around.items():
                values[document] = values.get(document, 0) + value
            return Column(highest, first, values)
        for document, value in around.items():
            values[document] += value
        return Column(highest, first, lanes=self._layout.lanes(values))

    def _around(self, term: str, reach: int, weight: float) -> dict[int, int]:
        """What the concepts of a term add: the strongest word of each document."""
        found: dict[int, int] = {}
        for strength, other in self.leads(term):
            times = factor(weight * strength)
            best = self._best_of(other)
            if len(found) + len(best) <= reach:
                found = {document: int(share * times) + 1 for document, share in best} | found
            else:
                for document, share in best:
                    if document not in found:
                        found[document] = int(share * times) + 1
                        if len(found) == reach:
                            return found
        return found

    def _best_of(self, term: str) -> Sequence[tuple[int, int]]:
        found = self._champions.get(term)
        if found is None:
            every = [(-share, document) for document, share in self._gathered(BODY, term)]
            every.sort()
            best = [(document, -share) for share, document in every[:MOST_AROUND]]
            found = self._champions.keep(term, Champions(best))
        return found.shares

    def _body(self, term: str, weight: float) -> Body:
        found = self._bodies.get((term, weight))
        if found is None:
            times = factor(weight * self.rarity(self.count(term)))
            found = self._bodies.keep((term, weight), self._new_body(BODY, term, times))
        return found

    def _new_body(self, field: str, term: str, times: float) -> Body:
        values = {
            document: int(share * times) + 1 for document, share in self._gathered(field, term)
        }
        if not values:
            return Body(values)
        first = nlargest(FIRST, values, key=values.__getitem__)
        return Body(self._spread(values, 0), values[first[0]], first)

    def _pair(self, pair: str) -> Column:
        found = self._pairs.get(pair)
        if found is None:
            count = sum(1 for _ in self._gathered(PAIRS, pair))
            body = self._new_body(PAIRS, pair, factor(PAIR * self.rarity(count)))
            found = self._pairs.keep(pair, self._new_column(body, {}))
        return found

    def _gathered(self, field: str, term: str) -> Iterator[tuple[int, int]]:
        """The view's documents that have a term, with its share in each."""
        for part in self.parts:
            documents, shares = part.segment.postings(field, term)
            numbers = part.numbers
            if part.whole:
                yield from zip(map(numbers.__getitem__, documents), shares, strict=True)
            else:
                for document, share in zip(documents, shares, strict=True):
                    if (number := numbers[document]) >= 0:
                        yield number, share

    def _having(self, required: Iterable[Alternatives]) -> set[int]:
        """The documents that have all that is required, each in one way."""
        each = (
            set[int]().union(*(self._with_all(terms) for terms in alternatives))
            for alternatives in required
        )
        return set.intersection(*each)

    def _with_all(self, terms: Iterable[str]) -> set[int]:
        having = ({document for document, _ in self._gathered(BODY, term)} for term in terms)
        return set.intersection(*having)

    def _spread(self, values: dict[int, int], more: int) -> Values:
        """The values, in a row where they and so many more are not few."""
        if (len(values) + more) * SPARSE <= self.size:
            return values
        row = self._layout.row()
        for document, value in values.items():
            row[document] = value
        return row


def _at(values: Values, documents: Sequence[int]) -> list[int]:
    if isinstance(values, dict):
        return list(map(values.get, documents, repeat(0)))
    return list(map(values.__getitem__, documents))


def _bound(columns: Sequence[Column], totals: Sequence[int], most: int) -> int:
    """A sum that at least `most` documents reach, where so many have any."""
    sample = max(LEAST_SAMPLE, SAMPLE // len(columns))
    some = set().union(*(column.first[:sample] for column in columns))
    if len(some) < most:
        some = set().union(*(column.first for column in columns))
        if len(some) < most:
            return 1
    return max(1, sorted(map(totals.__getitem__, some))[-most])
