"""Names compared the way people and models write them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from toolsearch_hookspecs.text import clean

_LONGEST = 128  # characters of a name that take part in a comparison
_LIKE_ENOUGH = 0.6  # share of characters that must agree, edits counted
_SHARED_ENOUGH = 0.4  # share of name parts in common, rare parts counting more
_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def fold(name: str) -> str:
    """The name for comparison without regard to case, width, accents' encoding or hidden text."""
    if name.isascii() and name.isprintable():
        return name.lower()
    folded = unicodedata.normalize("NFKC", clean(name)).casefold()
    return unicodedata.normalize("NFKC", folded)


def words(name: str) -> tuple[str, ...]:
    """The parts of a name: `getUserByID`, `get-user.by_id` and `get user by id` give the same."""
    shown = unicodedata.normalize("NFKC", clean(name[:_LONGEST]))
    return tuple(fold(hump) for part in _PART.findall(shown) for hump in _HUMP.split(part) if hump)


def spelling(name: str) -> str:
    """One key for every way to write a name: `getUser`, `get_user`, `Get User`, `get-user`."""
    if name.isascii() and name.isprintable():
        return "".join(_PART.findall(name[:_LONGEST])).lower()
    return "".join(words(name))


def nearest(word: str, choices: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """As `Choices.nearest`, for choices that are asked about once."""
    return Choices(choices).nearest(word, limit)


class Choices:
    """Names that a word may have meant, read once for many words."""

    def __init__(self, choices: Iterable[str]) -> None:
        self._candidates = [_Candidate(choice) for choice in dict.fromkeys(choices)]
        self._frequency = Counter(part for each in self._candidates for part in each.parts)

    def nearest(self, word: str, limit: int = 3) -> tuple[str, ...]:
        """At most `limit` of the choices that `word` may have meant, best first, or none.

        A choice is near by edit distance (a swap of neighbours is one edit) or by name parts in
        common, where a part that many choices have says little. Of an id (`source:owner:name`)
        the name alone may be near, too.
        """
        asked = _Candidate(word)
        rated = ((_likeness(asked, each, self._frequency), each) for each in self._candidates)
        near = sorted((-score, len(each.choice), each.choice) for score, each in rated if score > 0)
        return tuple(choice for _, _, choice in near[:limit])


class _Candidate:
    __slots__ = ("choice", "key", "parts", "tail")

    def __init__(self, choice: str) -> None:
        name = choice[:_LONGEST]
        tail = name.split(":", 2)[2] if name.count(":") >= 2 else name
        self.choice = choice
        self.parts = frozenset(words(tail))
        self.tail = spelling(tail)
        self.key = self.tail if tail == name else spelling(name)


def _likeness(asked: _Candidate, choice: _Candidate, frequency: Counter[str]) -> float:
    """From 0 (not near) to 2 (the same, otherwise spelt)."""
    alike = _similarity(asked.tail, choice.tail)
    if asked.key != asked.tail or choice.key != choice.tail:
        alike = max(alike, _similarity(asked.key, choice.key))
    shared = _shared(asked.parts, choice.parts, frequency)
    if alike == 1:
        return 2
    if alike >= _LIKE_ENOUGH or shared >= _SHARED_ENOUGH:
        return max(alike, shared)
    return 0


def _shared(asked: frozenset[str], choice: frozenset[str], frequency: Counter[str]) -> float:
    common = asked & choice
    if not common:
        return 0

    def weight(parts: frozenset[str]) -> float:
        return sum(1 / (1 + math.log2(max(frequency[part], 1))) for part in parts)

    return 2 * weight(common) / (weight(asked) + weight(choice))


def _similarity(one: str, other: str) -> float:
    longest = max(len(one), len(other))
    if not one or not other or min(len(one), len(other)) < _LIKE_ENOUGH * longest:
        return 0
    if 2 * len(set(one) & set(other)) < _LIKE_ENOUGH * len(set(one) | set(other)):
        return 0
    return 1 - edit_distance(one, other) / longest


def edit_distance(one: str, other: str) -> int:
    """Insertions, deletions, changes and swaps of neighbours between two strings.

    Bit-parallel (Hyyrö 2003): a column of the table is one integer, so that a catalog of
    thousands of names is compared in milliseconds.
    """
    ones = (1 << len(one)) - 1
    top = 1 << (len(one) - 1) if one else 0
    places: dict[str, int] = {}
    for index, char in enumerate(one):
        places[char] = places.get(char, 0) | (1 << index)
    rising, falling, diagonal, previous = ones, 0, 0, 0
    distance = len(one)
    for char in other:
        match = places.get(char, 0)
        swapped = (((~diagonal) & match) << 1) & previous
        diagonal = (((match & rising) + rising) ^ rising) | match | falling | swapped
        up = falling | ~(diagonal | rising)
        down = diagonal & rising
        distance += 1 if up & top else -1 if down & top else 0
        up = (up << 1) | 1
        down <<= 1
        rising = (down | ~(diagonal | up)) & ones
        falling = (up & diagonal) & ones
        previous = match
    return distance if one else len(other)
