"""Patterns in which `*` is any text and `?` one character."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

import attrs

WILD = re.compile(r"[*?]")
LAST = "\U0010ffff"


def is_glob(text: str) -> bool:
    return WILD.search(text) is not None


@attrs.frozen(slots=False)
class Glob:
    """A pattern for a whole text; matching is linear in the text, whatever a model wrote.

    `start`, `middle` and `end` are fixed texts that whatever fits must have; `plain` says that
    having them is enough.
    """

    pattern: str
    start: str
    middle: str
    end: str
    plain: bool

    @classmethod
    @lru_cache(maxsize=4096)
    def of(cls, pattern: str) -> Glob:
        fixed = WILD.split(pattern)
        plain = "*" in pattern and "?" not in pattern and len(list(filter(None, fixed))) <= 1
        return cls(pattern, fixed[0], max(fixed[1:-1], key=len, default=""), fixed[-1], plain)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        return tuple(re.split(r"\*+", self.pattern))

    def fits(self, text: str) -> bool:
        if len(self.parts) == 1:
            return _at(text, self.pattern, 0, len(text)) and len(text) == len(self.pattern)
        first, *middle, last = self.parts
        place, stop = len(first), len(text) - len(last)
        if stop < place or not (
            _at(text, first, 0, len(text)) and _at(text, last, stop, len(text))
        ):
            return False
        for part in middle:
            found = _find(text, part, place, stop)
            if found < 0:
                return False
            place = found + len(part)
        return True


@attrs.frozen(slots=False)
class IdGlob:
    """A pattern for a tool id: each of source, owner and name by itself."""

    pattern: str
    start: str
    middle: str
    end: str
    plain: bool = False

    @classmethod
    def of(cls, pattern: str) -> IdGlob:
        """A pattern of two parts, such as `mcp:git*`, stands for all names."""
        whole = pattern if pattern.count(":") > 1 else f"{pattern}:*"
        fixed = Glob.of(whole)
        return cls(whole, fixed.start, fixed.middle, fixed.end)

    @cached_property
    def parts(self) -> tuple[Glob, ...]:
        return tuple(map(Glob.of, self.pattern.split(":", 2)))

    def fits(self, text: str) -> bool:
        return all(
            glob.fits(part) for glob, part in zip(self.parts, text.split(":", 2), strict=True)
        )

    def fits_owner(self, text: str) -> bool:
        """Whether it fits ids that begin with a source and an owner, `mcp:github`."""
        return all(glob.fits(part) for glob, part in zip(self.parts, text.split(":"), strict=False))


class Words:
    """Many words, sorted both ways, for finding those that a pattern fits."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = sorted(words)

    @cached_property
    def _backwards(self) -> Sequence[str]:
        return sorted(word[::-1] for word in self.words)

    def fitting(self, glob: Glob | IdGlob) -> Sequence[str]:
        near = self._near(glob)
        if glob.start and glob.end:
            near = [word for word in near if word.endswith(glob.end)]
        if glob.middle:
            near = [word for word in near if glob.middle in word]
        return near if glob.plain else [word for word in near if glob.fits(word)]

    def _near(self, glob: Glob | IdGlob) -> Sequence[str]:
        if glob.start:
            return _beginning(self.words, glob.start)
        if glob.end:
            return [word[::-1] for word in _beginning(self._backwards, glob.end[::-1])]
        return self.words


def _beginning(words: Sequence[str], start: str) -> Sequence[str]:
    first = bisect_left(words, start)
    stop = bisect_left(words, start + LAST, first)
    while stop < len(words) and words[stop].startswith(start):
        stop += 1
    return words[first:stop]


def _at(text: str, part: str, start: int, stop: int) -> bool:
    """Whether `part`, in which `?` is any character, stands at `start`."""
    if "?" not in part:
        return text.startswith(part, start, stop)
    return _regex(part).match(text, start, stop) is not None


def _find(text: str, part: str, start: int, stop: int) -> int:
    if "?" not in part:
        return text.find(part, start, stop)
    found = _regex(part).search(text, start, stop)
    return -1 if found is None else found.start()


@lru_cache(maxsize=1024)
def _regex(part: str) -> re.Pattern[str]:
    return re.compile(".".join(map(re.escape, part.split("?"))), re.DOTALL)
