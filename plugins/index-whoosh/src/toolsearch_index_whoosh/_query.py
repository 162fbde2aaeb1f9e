"""What a query asks for: its terms, its clauses and its required words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from attrs import frozen

from toolsearch_hookspecs import SearchQuery

from ._languages import Languages
from ._words import words

# The host bounds queries too; an index stands on its own.
MAX_TEXT = 8_192
MAX_TERMS = 256
MAX_CLAUSES = 12

_CLAUSE = re.compile(
    r"[.;:!?\n。！？；]+|,\s|\b(?:and|then|also|after that|finally)\b", re.IGNORECASE
)


@frozen
class Plan:
    """A query as terms. `clauses` are those of its parts where it has several."""

    terms: tuple[str, ...]
    pairs: tuple[str, ...]
    clauses: tuple[tuple[str, ...], ...]
    required: tuple[tuple[str, ...], ...]


def plan(query: SearchQuery, languages: Languages) -> Plan:
    """Read a query; text without any usable term gives a plan without terms."""
    text = query.text[:MAX_TEXT]
    ordered = _terms(text, languages)[:MAX_TERMS]
    parts = [tuple(dict.fromkeys(_terms(part, languages))) for part in _CLAUSE.split(text)]
    clauses = [part for part in parts if len(part) > 1][:MAX_CLAUSES]
    return Plan(
        terms=tuple(dict.fromkeys(ordered)),
        pairs=tuple(dict.fromkeys(f"{a} {b}" for a, b in pairwise(ordered))),
        clauses=tuple(clauses) if len(clauses) > 1 else (),
        required=tuple(
            terms for word in query.required[:16] if (terms := tuple(_terms(word[:200], languages)))
        ),
    )


def _terms(text: str, languages: Languages) -> Sequence[str]:
    term = languages.term
    return [found for word in words(text) if (found := term(word)) is not None]
