"""The known word that a misspelt one is closest to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

PIECES = 8
SHORT = 5
SHORTLIST = 40
ALIKE = 0.5


def nearest(text: str, words: Sequence[str]) -> str | None:
    """The word that shares most neighbouring letters with `text`; None where none is close."""
    wanted = _pairs(text)
    likeness = {word: _likeness(wanted, _pairs(word)) for word in _shortlist(text, words)}
    best = max(sorted(likeness), key=likeness.__getitem__, default=None)
    return None if best is None or likeness[best] < ALIKE else best


def _shortlist(text: str, words: Sequence[str]) -> Iterable[str]:
    """The words in which most of some pieces of the text occur."""
    shared: Counter[str] = Counter()
    for piece in _pieces(text):
        shared.update([word for word in words if piece in word])
    return (word for word, _ in shared.most_common(SHORTLIST))


def _pieces(text: str) -> Sequence[str]:
    """A few pieces of two letters, or of three where the text is long enough, spread over it."""
    length = 2 if len(text) < SHORT else 3
    starts = range(len(text) - length + 1)
    step = max(len(starts) / PIECES, 1)
    chosen = (int(number * step) for number in range(min(PIECES, len(starts))))
    return list(dict.fromkeys(text[start : start + length] for start in chosen))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other))


def _pairs(text: str) -> frozenset[str]:
    return frozenset(map("".join, pairwise(f" {text} ")))
