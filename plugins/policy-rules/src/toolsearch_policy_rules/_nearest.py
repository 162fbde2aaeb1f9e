"""The known word that a misspelt one is closest to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

PIECES = 8
SHORT = 5
SHORTLIST = 40
ALIKE = 0.5
LETTERS_PER_SLIP = 5


def misspelt(text: str, words: Sequence[str]) -> str | None:
    """The word that `text` is a slip of the pen for: one edit for each five letters of its
    last part, at most.
    """
    close = nearest(text, words)
    if close is None or close == text:
        return None
    name = text.rpartition(":")[2]
    return close if _edits(text, close) <= max(1, len(name) // LETTERS_PER_SLIP) else None


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


def _edits(one: str, other: str) -> int:
    """How many letters to add, drop, change or swap with the next."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, against in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != against))
            if i > 1 and j > 1 and (letter, one[i - 2]) == (other[j - 2], against):
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
