"""Finds past requests that are like a new one, by the words they share."""

from __future__ import annotations

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Iterable

from attrs import define, field

# Less alike requests say nothing of one another.
LEAST = 0.4
NEAREST = 10
MAX_WORDS = 48

_WORD = re.compile(r"[^\W_]{2,}")


def hashed(text: str, salt: bytes) -> frozenset[int]:
    """The words of a text as salted numbers of 48 bits: enough to compare, too little to read."""
    words = list(dict.fromkeys(_WORD.findall(text.casefold())))[:MAX_WORDS]
    return frozenset(
        int.from_bytes(
            hashlib.blake2b(_bare(word).encode(errors="replace"), key=salt, digest_size=6).digest()
        )
        for word in words
    )


def _bare(word: str) -> str:
    """Without the plainest endings, so that singular and plural are one."""
    for ending in ("ing", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


@define
class Successes:
    """The successes of one tenant: the words of the request, and the tool that was called."""

    requests: list[tuple[frozenset[int], str]] = field(factory=list)
    having: defaultdict[int, list[int]] = field(factory=lambda: defaultdict(list))

    def add(self, words: frozenset[int], tool: str) -> None:
        for word in words:
            self.having[word].append(len(self.requests))
        self.requests.append((words, tool))

    def votes(self, words: frozenset[int]) -> dict[str, float]:
        """For each tool how far the nearest past requests speak for it, 0 to 1."""
        if not words or not self.requests:
            return {}
        weight = {word: self._rarity(word) for word in words}
        shared: defaultdict[int, float] = defaultdict(float)
        for word in words:
            for number in self.having.get(word, ()):
                shared[number] += weight[word]
        total = sum(weight.values())
        near = [
            (self._likeness(number, common, total), number) for number, common in shared.items()
        ]
        best = sorted((one for one in near if one[0] >= LEAST), reverse=True)[:NEAREST]
        votes: defaultdict[str, float] = defaultdict(float)
        for likeness, number in best:
            votes[self.requests[number][1]] = max(
                votes[self.requests[number][1]], likeness * likeness
            )
        return dict(votes)

    def _likeness(self, number: int, common: float, total: float) -> float:
        """The shared weight by the weight of both together, 1 for the same words."""
        other = sum(map(self._rarity, self.requests[number][0]))
        return common / (total + other - common)

    def _rarity(self, word: int) -> float:
        return math.log(1 + (len(self.requests) + 1) / (len(self.having.get(word, ())) + 1))


def packed(words: Iterable[int]) -> bytes:
    return b"".join(word.to_bytes(6) for word in sorted(words))


def unpacked(data: bytes) -> frozenset[int]:
    return frozenset(int.from_bytes(data[at : at + 6]) for at in range(0, len(data), 6))
