"""Finds past requests that are like a new one, by the words they share."""

from __future__ import annotations

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from attrs import define, field

# Less alike requests say nothing of one another.
LEAST = 0.4
NEAREST = 10
MAX_WORDS = 48

# Of common words only so many of the latest requests that have them are looked at.
MOST_READ = 2_000
FORGOTTEN_AT_ONCE = 64

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
    """The successes of one tenant, the latest `most` or a few more: the words of the request, and
    the tool that was called."""

    most: int
    requests: list[tuple[frozenset[int], str]] = field(factory=list)
    having: defaultdict[int, list[int]] = field(factory=lambda: defaultdict(list))

    def add(self, words: frozenset[int], tool: str) -> None:
        if len(self.requests) >= self.most + max(FORGOTTEN_AT_ONCE, self.most // 4):
            self._forget()
        for word in words:
            self.having[word].append(len(self.requests))
        self.requests.append((words, tool))

    def votes(self, words: frozenset[int]) -> dict[str, float]:
        """For each tool how far the nearest past requests speak for it, 0 to 1: as much as the
        nearest one is alike, and the less the oftener another tool was called after such requests.
        """
        near = self._nearest(words)
        nearest: dict[str, float] = {}
        told: defaultdict[str, float] = defaultdict(float)
        for likeness, number in near:
            tool = self.requests[number][1]
            nearest.setdefault(tool, likeness * likeness)
            told[tool] += likeness * likeness
        most = max(told.values(), default=0.0)
        return {tool: nearest[tool] * told[tool] / most for tool in nearest}

    def _nearest(self, words: frozenset[int]) -> list[tuple[float, int]]:
        """The requests that are most like these words, nearest first, and latest of equals."""
        weight = {word: self._rarity(word) for word in words}
        near = [(self._likeness(number, weight), number) for number in self._candidates(weight)]
        return sorted((one for one in near if one[0] >= LEAST), reverse=True)[:NEAREST]

    def _candidates(self, weight: Mapping[int, float]) -> set[int]:
        """The requests that share a word, by the rarest words first, and not endlessly many."""
        found: set[int] = set()
        for word in sorted(weight, key=lambda word: (-weight[word], word)):
            found.update(self.having.get(word, ())[-MOST_READ:])
            if len(found) > MOST_READ:
                break
        return found

    def _likeness(self, number: int, weight: Mapping[int, float]) -> float:
        """The shared weight by the weight of both together, 1 for the same words."""
        theirs = self.requests[number][0]
        common = sum(weight[word] for word in theirs if word in weight)
        other = sum(self._rarity(word) for word in theirs if word not in weight)
        return common / (sum(weight.values()) + other)

    def _rarity(self, word: int) -> float:
        return math.log(1 + (len(self.requests) + 1) / (len(self.having.get(word, ())) + 1))

    def _forget(self) -> None:
        latest = self.requests[-self.most :]
        self.requests, self.having = [], defaultdict(list)
        for words, tool in latest:
            self.add(words, tool)


def packed(words: Iterable[int]) -> bytes:
    return b"".join(word.to_bytes(6) for word in sorted(words))


def unpacked(data: bytes) -> frozenset[int]:
    return frozenset(int.from_bytes(data[at : at + 6]) for at in range(0, len(data), 6))
