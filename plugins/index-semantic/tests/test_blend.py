"""How words and likeness make one list."""

from __future__ import annotations

import pytest

from toolsearch_hookspecs import Hit
from toolsearch_index_semantic._blend import blended


class Scale:
    """As much of an encoder as blending looks at."""

    noise = 0.1
    alike = 0.4


def hit(key: str, score: float, confidence: float = 0.5) -> Hit:
    return Hit(key=key, score=score, confidence=confidence)


def blend(hits: list[Hit], likeness: dict[str, float], weight: float = 0.4, limit: int = 9):
    return blended(hits, likeness, Scale(), weight, limit)


def test_likeness_lifts_a_hit_over_one_with_a_slightly_better_score():
    hits = blend([hit("a", 10), hit("b", 9)], {"b": 0.6, "c": 0.2})
    assert [one.key for one in hits] == ["b", "a", "c"]


def test_likeness_alone_finds_what_no_word_does():
    (only,) = blend([], {"c": 0.6})
    assert only.key == "c"
    assert 0.3 < only.confidence < 0.5


def test_likeness_at_the_level_of_noise_finds_nothing():
    assert blend([], {"c": 0.05}) == []


def test_confidence_is_the_mean_of_what_words_and_likeness_are_sure_of():
    (both,) = blend([hit("a", 1, 0.4)], {"a": 0.4})
    assert both.confidence == pytest.approx((0.4 + 0.5) / 2)
    (worded,) = blend([hit("a", 1, 0.4)], {"a": 0.05})
    assert worded.confidence == pytest.approx(0.2)


def test_equal_scores_are_ordered_by_key():
    assert [one.key for one in blend([hit("b", 2), hit("a", 2)], {})] == ["a", "b"]


def test_likeness_counts_less_where_the_words_are_surer():
    def gain(confidence: float) -> float:
        alone, lifted = (
            next(one.score for one in blend([hit("a", 1, confidence)], likeness) if one.key == "a")
            for likeness in ({}, {"a": 0.6, "b": 0.2})
        )
        return lifted - alone

    assert gain(0.0) == pytest.approx(0.4)
    assert 0 < gain(1.0) < gain(0.5) < gain(0.0)


def test_the_limit_leaves_the_best():
    hits = blend([hit("a", 3), hit("b", 2), hit("c", 1)], {}, limit=2)
    assert [one.key for one in hits] == ["a", "b"]
