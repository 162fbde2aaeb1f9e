"""What a query asks for: its terms, its clauses and its required words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from attrs import frozen

from toolsearch_hookspecs import SearchQuery

from ._languages import MAX_WORD, Languages

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
Mend = Callable[[str], Sequence[str]]


@frozen
class Plan:
    """A query as weighted terms. `clauses` are those of its parts, where it has several."""

    terms: Weighted
    pairs: tuple[str, ...]
    clauses: tuple[Weighted, ...]
    required: tuple[tuple[str, ...], ...]


def plan(query: SearchQuery, languages: Languages, mend: Mend) -> Plan:
    """Read a query; text without any usable term gives a plan without terms.

    `mend` gives the terms to look for in place of each.
    """
    clauses = [
        [found for term in languages.terms(part) for found in mend(term)]
        for part in _CLAUSE.split(query.text[:MAX_TEXT])
    ]
    ordered = [term for clause in clauses for term in clause][:MAX_TERMS]
    terms = _weighted(ordered, languages)
    several = [clause for clause in clauses if len(clause) > 1][:MAX_CLAUSES]
    return Plan(
        terms=terms,
        pairs=tuple(dict.fromkeys(f"{left} {right}" for left, right in pairwise(ordered))),
        clauses=tuple(_weighted(clause, languages) for clause in several)
        if len(several) > 1
        else (),
        required=tuple(
            tuple(languages.terms(asked[:MAX_WORD])) for asked in query.required[:MAX_REQUIRED]
        ),
    )


def _weighted(terms: Iterable[str], languages: Languages) -> Weighted:
    phrasing = languages.phrasing
    return tuple((term, PHRASING if term in phrasing else 1.0) for term in dict.fromkeys(terms))
