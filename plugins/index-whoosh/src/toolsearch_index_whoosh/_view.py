"""The index as one run sees it: only its allowed tools, with statistics drawn from them alone.

Term rarity, average length and the words a typo may be mended to come from the allowed tools, so
that an answer neither depends on nor tells anything of a tool that the run may not use, and the
same tools rank the same whatever else the index holds.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from attrs import frozen

from toolsearch_hookspecs import Allowed

from ._lexicon import Lexicon
from ._query import Plan, Weighted
from ._store import BODY, NAME, PAIRS, Postings, Snapshot

K1 = 1.5
B = 0.75

# Longer documents count as this long in the average, or a few endless ones would excuse each other.
LONGEST_USUAL = 400.0

# What is added to the plain sum over the query's terms: neighbouring words found as neighbours,
# the best clause by itself, how much of the tool's name the query says.
PAIR = 0.25
CLAUSE = 0.4
COVERAGE = 0.2

# A concept may touch half of a catalog; the tools that it says little about are left out, the more
# of them the more concepts a query has.
MOST_AROUND = 500
MOST_AROUND_ALL = 3_000
LEAST_AROUND = 60

# A word that no tool has depends on its concept alone, and reaches further for it.
UNKNOWN = 1.75

# A view forgets its columns when it has so many of one kind, and makes them anew where needed.
MOST_REMEMBERED = 20_000

V = TypeVar("V")

Column = tuple[Any, Any]
Weighed = list[tuple[Column, float]]


@frozen
class Placed:
    """One document of a view with its score."""

    document: int
    score: float


class View(ABC):
    """A snapshot under a mask; documents are numbered in the order of their keys.

    A column is what one term adds to the score of each document that has it. Columns are made
    when a query first needs them and live as long as the view.
    """

    def __init__(self, snapshot: Snapshot, allowed: Allowed, lexicon: Lexicon) -> None:
        self.snapshot = snapshot
        self._lexicon = lexicon
        places = snapshot.places
        self.keys = sorted(key for key in allowed.keys if key in places)
        self.size = len(self.keys)
        locals_ = {name: [-1] * segment.size for name, segment in snapshot.segments.items()}
        lengths: list[float] = []
        for document, key in enumerate(self.keys):
            name, number = places[key]
            locals_[name][number] = document
            lengths.append(snapshot.segments[name].lengths[number])
        usual = [min(length, LONGEST_USUAL) for length in lengths]
        average = (sum(usual) / len(usual) if usual else 0.0) or 1.0
        self._norms = self._numbers(K1 * (1 - B + B * length / average) for length in lengths)
        self._counts: dict[str, int] = {}
        self._bodies: dict[str, Column] = {}
        self._around: dict[str, Column] = {}
        self._names: dict[str, Column] = {}
        self._pairs: dict[str, Column] = {}
        # For each document of a segment its number in this view, -1 where it is not allowed.
        self._locals = [self._whole_numbers(local) for local in locals_.values()]

    def count(self, term: str) -> int:
        """How many of the documents have the term."""
        found = self._counts.get(term)
        if found is None:
            found = remember(self._counts, term, len(self._gathered(BODY, term)[0]))
        return found

    def has(self, term: str) -> bool:
        return (
            any(segment.has(term) for segment in self.snapshot.segments.values())
            and self.count(term) > 0
        )

    def rarity(self, count: int) -> float:
        """How telling a term is that `count` documents have (BM25's idf, never negative)."""
        return math.log(1 + (self.size - count + 0.5) / (count + 0.5))

    def body(self, term: str) -> Column:
        found = self._bodies.get(term)
        if found is None:
            documents, shares = self._saturated(term)
            rarity = self.rarity(self.count(term))
            found = remember(self._bodies, term, (documents, self._scaled(shares, rarity)))
        return found

    def around(self, term: str) -> Column:
        """What the words that the lexicon leads to from `term` add: the best of them for each
        document, none rarer than the term itself.
        """
        found = self._around.get(term)
        if found is None:
            own = self.rarity(self.count(term))
            reach = 1.0 if self.count(term) else UNKNOWN
            columns = []
            for other, strength in self._lexicon.around(term).items():
                if count := self.count(other):
                    documents, shares = self._saturated(other)
                    weight = reach * strength * min(own, self.rarity(count))
                    columns.append((documents, self._scaled(shares, weight)))
            found = remember(self._around, term, self._highest(columns, MOST_AROUND))
        return found

    def name(self, term: str) -> Column:
        """The share of each document's name that the term is."""
        found = self._names.get(term)
        if found is None:
            found = remember(self._names, term, self._gathered(NAME, term))
        return found

    def pair(self, pair: str) -> Column:
        found = self._pairs.get(pair)
        if found is None:
            documents, weights = self._gathered(PAIRS, pair)
            rarity = PAIR * self.rarity(len(documents))
            found = remember(self._pairs, pair, (documents, self._scaled(weights, rarity)))
        return found

    def postings(self, field: str, term: str) -> list[Postings]:
        return [segment.postings(field, term) for segment in self.snapshot.segments.values()]

    def columns(self, plan: Plan) -> Weighed:
        """All that is simply added up, the longest column first: both ways of adding keep to one
        order, since sums of fractions depend on it."""
        most = max(LEAST_AROUND, MOST_AROUND_ALL // max(1, len(plan.terms)))
        around = ((self.around(term), plan.spread * weight) for term, weight in plan.terms)
        return _by_length(
            *((self.body(term), weight) for term, weight in plan.terms),
            *(
                ((documents[:most], values[:most]), weight)
                for (documents, values), weight in around
            ),
            *((self.pair(pair), 1.0) for pair in plan.pairs),
        )

    def clause(self, clause: Weighted) -> Weighed:
        return _by_length(*((self.body(term), weight) for term, weight in clause))

    def named(self, plan: Plan) -> Weighed:
        return _by_length(*((self.name(term), weight) for term, weight in plan.terms))

    @abstractmethod
    def best(self, plan: Plan, limit: int) -> list[Placed]:
        """The best documents first; equal scores in the order of their keys."""

    @abstractmethod
    def _numbers(self, values: Iterable[float]) -> Any: ...

    @abstractmethod
    def _whole_numbers(self, values: list[int]) -> Any: ...

    @abstractmethod
    def _gathered(self, field: str, term: str) -> Column:
        """Documents of the view that have the term, and its weights."""

    @abstractmethod
    def _saturated(self, term: str) -> Column:
        """BM25's share of a term in each document, without its rarity."""

    @abstractmethod
    def _scaled(self, values: Any, weight: float) -> Any: ...

    @abstractmethod
    def _highest(self, columns: Sequence[Column], most: int) -> Column:
        """The highest value of each document over the columns; the `most` highest, best first."""


def remember(known: dict[str, V], name: str, value: V) -> V:
    if len(known) >= MOST_REMEMBERED:
        known.clear()
    known[name] = value
    return value


def _by_length(*columns: tuple[Column, float]) -> Weighed:
    filled = [column for column in columns if len(column[0][0])]
    filled.sort(key=_length, reverse=True)
    return filled


def _length(column: tuple[Column, float]) -> int:
    return len(column[0][0])
