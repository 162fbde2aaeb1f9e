"""The index as one run sees it: only its allowed tools, with statistics drawn from them alone.

Term rarity and the words a typo may be mended to come from the allowed tools, so that an answer
neither depends on nor tells anything of a tool that the run may not use, and the same tools rank
the same whatever else the index holds.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Sequence
from typing import Any, TypeVar

from attrs import frozen

from toolsearch_hookspecs import Allowed

from ._document import SHARE
from ._lexicon import SAME, Lexicon
from ._query import Plan
from ._remembered import Remembered
from ._store import Segment, Snapshot
from ._words import is_piece
from ._writer import BODY

# What a term adds to a tool is a whole number, so many to one: sums are exact in any order.
UNIT = 64

# What is added to the plain sum over the query's terms: neighbouring words found as neighbours,
# the best clause by itself, how much of the tool's name the query says.
PAIR = 0.25
CLAUSE = 0.4
COVERAGE = 0.25

# What a word of a tool's name counts that the query says in another word for the same.
ALIKE = 0.4

# Only the best by the plain sum are looked at for clauses and names, at least so many.
SHORTLIST = 32

# A concept may touch half of a catalog. Its words are followed in the order of their strength until
# they have led to so many tools, each to its best ones; a longer query, which has other words to go
# by, follows them less far and counts them for less. Up to so many terms: how far, how much.
AROUND = ((10, 400, 0.6), (20, 250, 0.36), (math.inf, 100, 0.18))
MOST_AROUND = AROUND[0][1]

# A word that no tool has depends on its concept alone, and reaches further for it.
UNKNOWN = 1.75

# Every other piece of a text without spaces straddles two words; that nothing has it says little.
UNKNOWN_PIECE = 0.35

# A view forgets its counts when it has so many, and makes them anew where needed.
MOST_COUNTS = 50_000

R = TypeVar("R", bound=Remembered[Any, Any])


@frozen
class Placed:
    """One document of a view with its score."""

    document: int
    score: float


@frozen
class Part:
    """A segment, and for each of its documents its number in the view, -1 where not allowed."""

    segment: Segment
    numbers: array[int]
    whole: bool


class View(ABC):
    """A snapshot under a mask; documents are numbered in the order of their keys.

    A column is what one term adds to the score of each document that has it, or that its concept
    leads to. Columns are made when a query first needs them and live as long as the view.
    """

    def __init__(self, snapshot: Snapshot, allowed: Allowed, lexicon: Lexicon) -> None:
        self.snapshot = snapshot
        self._lexicon = lexicon
        places = snapshot.places
        self.keys = sorted(allowed.keys & places.keys())
        self.size = len(self.keys)
        self._names: list[tuple[str, ...]] = []
        tongues: set[str] = set()
        numbers = {name: array("i", [-1]) * one.size for name, one in snapshot.segments.items()}
        for document, key in enumerate(self.keys):
            name, number = places[key]
            numbers[name][number] = document
            segment = snapshot.segments[name]
            self._names.append(segment.names[number])
            tongues.add(segment.tongues[number])
        self.tongues = {code for codes in tongues for code in codes.split()}
        self.parts = [
            Part(segment, numbers[name], -1 not in numbers[name])
            for name, segment in snapshot.segments.items()
        ]
        self._counts: dict[str, int] = {}
        self._stakes: dict[str, float] = {}
        self._alike: dict[str, tuple[str, ...]] = {}
        self._remembered: list[Remembered[Any, Any]] = []

    def remembers(self, kind: type[R]) -> R:
        """A place for what is made once and may be forgotten at any time."""
        made = kind()
        self._remembered.append(made)
        return made

    @property
    def held(self) -> int:
        """About how many bytes are remembered."""
        return sum(one.held for one in self._remembered)

    def forget(self) -> None:
        for one in self._remembered:
            one.forget()

    def count(self, term: str) -> int:
        """How many of the documents have the term."""
        found = self._counts.get(term)
        if found is None:
            if len(self._counts) >= MOST_COUNTS:
                self._counts.clear()
            found = self._counts[term] = sum(_count(part, term) for part in self.parts)
        return found

    def has(self, term: str) -> bool:
        return any(part.segment.has(term) for part in self.parts) and self.count(term) > 0

    def rarity(self, count: int) -> float:
        """How telling a term is that `count` documents have (BM25's idf, never negative)."""
        return math.log(1 + (self.size - count + 0.5) / (count + 0.5))

    def stake(self, term: str) -> float:
        """How much of a query hangs on a term."""
        found = self._stakes.get(term)
        if found is None:
            if len(self._stakes) >= MOST_COUNTS:
                self._stakes.clear()
            count = self.count(term)
            found = self.rarity(count) * (1.0 if count or not is_piece(term) else UNKNOWN_PIECE)
            self._stakes[term] = found
        return found

    def best(self, plan: Plan, limit: int) -> list[Placed]:
        """The best documents first; equal scores in the order of their keys."""
        found = self.shortlist(plan, max(limit, SHORTLIST))
        if plan.clauses and found:
            best = self.clauses(plan, [document for _, document in found])
            found = [
                (score - CLAUSE * clause, document)
                for (score, document), clause in zip(found, best, strict=True)
            ]
            found.sort()
        if not found:
            return []
        unit = COVERAGE * found[0][0]
        least = found[min(limit, len(found)) - 1][0] - unit
        asked = self._asked(plan)
        found = [
            (score + unit * self._named(document, asked), document)
            for score, document in found
            if score <= least
        ]
        found.sort()
        return [Placed(document, -score) for score, document in found[:limit]]

    def _asked(self, plan: Plan) -> dict[str, float]:
        """What each word counts where a name has it: those of the query, and others for the same."""
        asked = dict(plan.terms)
        for term, weight in plan.terms:
            for other in self._others(term):
                asked[other] = max(asked.get(other, 0.0), weight * ALIKE)
        return asked

    def _others(self, term: str) -> tuple[str, ...]:
        """The words of the view that mean the same as a term."""
        found = self._alike.get(term)
        if found is None:
            if len(self._alike) >= MOST_COUNTS:
                self._alike.clear()
            leads = self._lexicon.around(term).items()
            found = tuple(
                other for other, strength in leads if strength >= SAME and self.count(other)
            )
            self._alike[term] = found
        return found

    def _named(self, document: int, asked: dict[str, float]) -> float:
        """How much of a document's name is asked for."""
        name = self._names[document]
        said = [asked[term] for term in name if term in asked]
        return sum(said) / len(name) if said else 0.0

    def leads(self, term: str) -> list[tuple[float, str]]:
        """The words of the view that the lexicon leads to from a term, by what one share of each
        counts: the strongest first, none rarer than the term itself.
        """
        count = self.count(term)
        own = self.rarity(count)
        reach = 1.0 if count else UNKNOWN
        found = [
            (reach * strength * min(own, self.rarity(others)), other)
            for other, strength in self._lexicon.around(term).items()
            if (others := self.count(other))
        ]
        found.sort(reverse=True)
        return found

    @abstractmethod
    def shortlist(self, plan: Plan, most: int) -> list[tuple[float, int]]:
        """The plain sums of the columns, below zero so that they sort by themselves, with their
        documents: up to `most` that have all that is required, the best first.
        """

    @abstractmethod
    def clauses(self, plan: Plan, documents: Sequence[int]) -> list[float]:
        """For each document the sum of its best clause, concepts left out."""


def around(terms: int) -> tuple[int, float]:
    """How many documents the concepts of so many terms lead to, each, and what that counts."""
    return next((most, spread) for up_to, most, spread in AROUND if terms <= up_to)


def factor(weight: float) -> float:
    """What a share is multiplied with to give the whole number that it adds, before rounding."""
    return weight * UNIT / SHARE


def _count(part: Part, term: str) -> int:
    documents, _ = part.segment.postings(BODY, term)
    if part.whole:
        return len(documents)
    numbers = part.numbers
    return sum(numbers[document] >= 0 for document in documents)
