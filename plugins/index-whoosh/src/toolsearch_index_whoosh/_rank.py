"""Scores the documents of a view for a plan."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from attrs import frozen

from ._query import Plan
from ._view import BODY, NAME, PAIRS, View

PAIR = 0.25
CLAUSE = 0.3
COVERAGE = 0.2


@frozen
class Ranked:
    """One document of a view with its score, and the part of the query's weight it answers."""

    document: int
    score: float
    confidence: float


def rank(view: View, plan: Plan, limit: int) -> list[Ranked]:
    """The best documents first; equal scores in the order of their keys."""
    scores = _summed(view, BODY, plan.terms)
    if not scores:
        return []
    if plan.clauses:
        best: dict[int, float] = {}
        for clause in plan.clauses:
            for document, score in _summed(view, BODY, clause).items():
                if score > best.get(document, 0.0):
                    best[document] = score
        for document, score in best.items():
            scores[document] += CLAUSE * score
    for term in plan.pairs:
        for document, impact in zip(*view.term(PAIRS, term), strict=True):
            if document in scores:
                scores[document] += PAIR * impact
    for document, share in _summed(view, NAME, plan.terms).items():
        scores[document] += COVERAGE * share
    for group in plan.required:
        having = _having(view, group)
        scores = {document: score for document, score in scores.items() if document in having}
    most = sum(view.rarity(len(view.term(BODY, term)[0])) for term in plan.terms)
    top = heapq.nsmallest(limit, scores.items(), key=lambda item: (-item[1], item[0]))
    return [Ranked(doc, score, min(1.0, score / (2.2 * most))) for doc, score in top]


def _summed(view: View, field: str, terms: Iterable[str]) -> dict[int, float]:
    scores: dict[int, float] = {}
    for term in terms:
        for document, impact in zip(*view.term(field, term), strict=True):
            scores[document] = scores.get(document, 0.0) + impact
    return scores


def _having(view: View, terms: Iterable[str]) -> frozenset[int]:
    sets = [frozenset(view.term(BODY, term)[0]) for term in terms]
    return frozenset.intersection(*sets) if sets else frozenset()
