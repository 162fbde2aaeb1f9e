"""What a query asks for: its terms, its clauses and its required words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Protocol

from attrs import frozen

from toolsearch_hookspecs import SearchQuery

from ._languages import MAX_WORD, NO_WORDS, Languages, all_stops
from ._tongues import Tongue

# The host bounds queries too; an index stands on its own.
MAX_TEXT = 8_192
MAX_TERMS = 256
MAX_CLAUSES = 12
MAX_REQUIRED = 16

# How much a word of mere phrasing counts.
PHRASING = 0.7

_CLAUSE = re.compile(
    r"[.;:!?\n。！？；]+|,\s|\b(?:and|then|also|after that|finally)\b", re.IGNORECASE
)

Weighted = tuple[tuple[str, float], ...]
Alternatives = tuple[tuple[str, ...], ...]


@frozen
class Plan:
    """A query as weighted terms. `clauses` are those of its parts, where it has several. Of each of
    `required`, a tool must have all terms of one alternative. Nothing is lost where a tool lacks the
    terms `elsewhere`: it may have them in another form.
    """

    terms: Weighted
    pairs: tuple[str, ...]
    clauses: tuple[Weighted, ...]
    required: tuple[Alternatives, ...]
    elsewhere: frozenset[str] = frozenset()


class Mend(Protocol):
    """What a view has in place of the words of a request."""

    tongues: Sequence[Tongue]

    def __call__(self, term: str, stems: Sequence[str] = ()) -> Sequence[str]:
        """The terms to look for in place of one, where `stems` of its word are known."""

    def stems(self, stems: Sequence[str]) -> list[str]:
        """Those of the stems that are known."""


@frozen
class Reading:
    """One clause: its terms in order, the stems of its words in other languages, and the terms
    that no tool has but by such a stem.
    """

    terms: Sequence[str]
    stems: Sequence[str] = ()
    elsewhere: Sequence[str] = ()


def plan(query: SearchQuery, languages: Languages, mend: Mend) -> Plan:
    """Read a query; text without any usable term gives a plan without terms."""
    text = query.text[:MAX_TEXT]
    told = languages.told(text)
    tongues = languages.of_request(text, told, mend.tongues)
    stops = all_stops(told) if told else NO_WORDS
    clauses = [
        _reading(languages.asked(part, tongues, stops), mend, certain=bool(told))
        if tongues
        else Reading([one for term in languages.terms(part, stops) for one in mend(term)])
        for part in _CLAUSE.split(text)
    ]
    ordered = [term for clause in clauses for term in clause.terms][:MAX_TERMS]
    stems = [stem for clause in clauses for stem in clause.stems]
    phrasing = languages.phrasing
    weights = {
        term: PHRASING if term in phrasing else 1.0 for term in [*ordered, *stems][:MAX_TERMS]
    }
    several = [
        each
        for clause in clauses
        if len(each := _weighted([*clause.terms, *clause.stems], weights)) > 1
    ]
    return Plan(
        terms=tuple(weights.items()),
        pairs=tuple(dict.fromkeys(f"{left} {right}" for left, right in pairwise(ordered))),
        clauses=tuple(several[:MAX_CLAUSES]) if len(several) > 1 else (),
        required=tuple(
            ways
            for asked in query.required[:MAX_REQUIRED]
            for ways in _required(asked[:MAX_WORD], languages, mend)
        ),
        elsewhere=frozenset(term for clause in clauses for term in clause.elsewhere),
    )


def _reading(
    asked: Iterable[tuple[Sequence[str], Sequence[str]]], mend: Mend, *, certain: bool
) -> Reading:
    """`certain` is whether the request is in those languages: else stems are looked for only
    where a word as such is nowhere.
    """
    terms: list[str] = []
    stems: list[str] = []
    elsewhere: list[str] = []
    for words, others in asked:
        known = mend.stems(others) if others else []
        found = [one for word in words for one in mend(word, known)]
        terms += found
        if certain or not found:
            stems += known
            if known:
                elsewhere += set(found).difference(mend.stems(found))
    return Reading(terms, stems, elsewhere)


def _required(word: str, languages: Languages, mend: Mend) -> Iterator[Alternatives]:
    """For each word, the ways in which a tool may have it: so, in parts, in another form."""
    for terms, stems in languages.asked(word, mend.tongues):
        ways: list[tuple[str, ...]] = [(stem,) for stem in mend.stems(stems)]
        if len(terms) > 2:
            whole, *parts = terms
            ways += [(whole,), tuple(parts)]
        elif terms:
            ways.append(tuple(terms))
        if ways:
            yield tuple(ways)


def _weighted(terms: Iterable[str], weights: Mapping[str, float]) -> Weighted:
    return tuple((term, weights[term]) for term in dict.fromkeys(terms) if term in weights)
