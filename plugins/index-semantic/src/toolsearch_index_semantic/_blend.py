"""One list of hits out of words and likenesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from toolsearch_hookspecs import Hit

# How much less likeness counts where the inner index is sure of its best hit.
YIELDING = 0.6


class Scale(Protocol):
    """How alike unrelated texts are at the most, and related ones at the least, mostly."""

    noise: float
    alike: float


def blended(
    worded: Sequence[Hit],
    likeness: Mapping[str, float],
    scale: Scale,
    weight: float,
    limit: int,
) -> list[Hit]:
    """The best of both, by score: the inner index's share of its best, and how far the likeness
    stands out among the likest, times `weight`, the less the surer the inner index is.

    The confidence is the mean of what both are sure of: words and likeness are too much of a kind
    to be taken for two witnesses (`docs/benchmarks.md`).
    """
    best = max((hit.score for hit in worded), default=0.0)
    scores = {hit.key: hit.score / best for hit in worded} if best else {}
    sure = {hit.key: hit.confidence for hit in worded}
    weight *= 1 - YIELDING * max(sure.values(), default=0.0)
    low = min(likeness.values(), default=0.0)
    spread = max(likeness.values(), default=0.0) - low
    for key, value in likeness.items():
        if value > scale.noise or key in scores:
            gain = (value - low) / spread if spread else 1.0
            scores[key] = scores.get(key, 0.0) + weight * gain
    ordered = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))[:limit]
    return [
        Hit(
            key=key,
            score=score,
            confidence=(sure.get(key, 0.0) + _sure(likeness.get(key, 0.0), scale)) / 2,
        )
        for key, score in ordered
    ]


def _sure(likeness: float, scale: Scale) -> float:
    """Nothing at the level of noise, a half where most requests are as like their tools."""
    above = max(0.0, likeness - scale.noise) / (scale.alike - scale.noise)
    return above * above / (1 + above * above)
