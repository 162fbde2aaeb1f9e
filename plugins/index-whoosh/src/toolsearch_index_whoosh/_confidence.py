"""How sure the index is of a hit.

The measure is the share of the query's weight that the hit's score answers, a little more lenient
for longer queries, which always hold words that no tool is described with. Over seven public sets,
and as many requests that nothing answers, a best hit of confidence 0.14, 0.31, 0.51, 0.70 was right in
about 2, 18, 43 and 64 of 100 cases (`benchmarks/reliability.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from toolsearch_hookspecs import Hit

from ._query import Plan
from ._view import View

LENIENCE = 0.25

# The hits after a good first one may be this much less sure.
FOLLOWING = 0.3


@frozen
class Judge:
    """Gives hits their confidence and drops those that are not sure enough."""

    least: float

    def hits(self, view: View, plan: Plan, limit: int) -> Sequence[Hit]:
        placed = view.best(plan, limit)
        asked = sum(
            weight * view.stake(term) for term, weight in plan.terms if term not in plan.elsewhere
        )
        unit = len(plan.terms) ** LENIENCE / asked if asked else 0.0
        hits: list[Hit] = []
        for hit in placed:
            confidence = _confidence(hit.score * unit)
            if confidence < (self.least * FOLLOWING if hits else self.least):
                break
            key = view.keys[hit.document]
            hits.append(Hit(key=key, score=hit.score, confidence=confidence))
        return hits


def _confidence(share: float) -> float:
    odds = share * share
    return odds / (1 + odds)
