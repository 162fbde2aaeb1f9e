"""Measures of a ranking against the right answers, and how sure they are."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from statistics import fmean

from attrs import asdict, frozen

DEPTH = 10


@frozen
class Measures:
    """Averages over the queries of one set."""

    ndcg10: float
    r1: float
    r5: float
    r8: float
    r10: float
    mrr: float
    queries: int

    def rounded(self) -> dict[str, float]:
        return {name: round(value, 4) for name, value in asdict(self).items()}


def ndcg(ranked: Sequence[int], answers: Sequence[int]) -> float:
    right = set(answers)
    gained = sum(
        1 / math.log2(place + 2) for place, one in enumerate(ranked[:DEPTH]) if one in right
    )
    return gained / sum(1 / math.log2(place + 2) for place in range(min(DEPTH, len(right))))


def recall(ranked: Sequence[int], answers: Sequence[int], depth: int) -> float:
    right = set(answers)
    return len(right.intersection(ranked[:depth])) / len(right)


def reciprocal_rank(ranked: Sequence[int], answers: Sequence[int]) -> float:
    right = set(answers)
    return next((1 / (place + 1) for place, one in enumerate(ranked) if one in right), 0.0)


def measured(rankings: Sequence[Sequence[int]], answers: Sequence[Sequence[int]]) -> Measures:
    pairs = list(zip(rankings, answers, strict=True))

    def mean(measure: Callable[[Sequence[int], Sequence[int]], float]) -> float:
        return fmean(measure(ranked, right) for ranked, right in pairs)

    return Measures(
        ndcg10=mean(ndcg),
        r1=mean(lambda ranked, right: recall(ranked, right, 1)),
        r5=mean(lambda ranked, right: recall(ranked, right, 5)),
        r8=mean(lambda ranked, right: recall(ranked, right, 8)),
        r10=mean(lambda ranked, right: recall(ranked, right, 10)),
        mrr=mean(reciprocal_rank),
        queries=len(pairs),
    )


def macro_interval(
    scores: Sequence[Sequence[float]], *, rounds: int = 2_000, seed: int = 0
) -> tuple[float, float]:
    """The middle 95 % of the mean of set means, queries drawn anew within each set.

    Given differences of two engines query by query, an interval above zero says that the one is
    better on requests such as these.
    """
    chance = random.Random(seed)
    means = sorted(
        fmean(fmean(chance.choices(of_set, k=len(of_set))) for of_set in scores)
        for _ in range(rounds)
    )
    return means[int(rounds * 0.025)], means[int(rounds * 0.975)]
