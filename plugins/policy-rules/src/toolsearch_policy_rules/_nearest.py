"""The known word that a misspelt one is closest to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from ._names import folded

SHORTLIST = 40
ALIKE = 0.5


class Nearest:
    """Suggests among many words, by the share of neighbouring letters that two have in common."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = sorted(set(words))
        self._pairs = [_pairs(folded(word)) for word in self._words]
        self._filed: dict[str, list[int]] = {}
        for place, pairs in enumerate(self._pairs):
            for pair in pairs:
                self._filed.setdefault(pair, []).append(place)

    def to(self, text: str) -> str | None:
        """The closest word, or None where none is close."""
        wanted = _pairs(text)
        likeness = {place: self._likeness(wanted, place) for place in self._shortlist(wanted)}
        best = max(sorted(likeness), key=lambda place: likeness[place], default=None)
        return None if best is None or likeness[best] < ALIKE else self._words[best]

    def _shortlist(self, wanted: frozenset[str]) -> set[int]:
        """Words that share the rarest pairs."""
        found: set[int] = set()
        filed = [self._filed[pair] for pair in wanted if pair in self._filed]
        for places in sorted(filed, key=len):
            found.update(places)
            if len(found) >= SHORTLIST:
                break
        return found

    def _likeness(self, wanted: frozenset[str], place: int) -> float:
        pairs = self._pairs[place]
        return 2 * len(wanted & pairs) / (len(wanted) + len(pairs))


def _pairs(text: str) -> frozenset[str]:
    padded = f" {text} "
    return frozenset(map("".join, pairwise(padded)))
