"""How badly a backtracking engine can take a pattern, judged without running it."""

from __future__ import annotations

import math
import re
from typing import Final

from attrs import frozen

_REPEAT = re.compile(r"[*+?]|\{(\d*)(,?)(\d*)\}")
_OPENING = re.compile(r"^\((?:\?:)?")
_PART = re.compile(r"(\\.|\[(?:\\.|[^\]\\])+\]|[^\\()\[\]|^$*+?{}])([*+?]|\{[0-9,]+\})?")
_LITERAL = re.compile(r"\\?([^\w\s\\.^$|()\[\]{}*+?]|(?<=\\)[.^$|()\[\]{}*+?])")
_MANY: Final = 32  # a bounded repeat of more than this counts as unbounded
_DEEPEST: Final = 40
_MOST_CHOICES: Final = 16


@frozen
class Effort:
    """A bound on backtracking: about n to the `power`, times 2 to the `choices`, steps."""

    power: int
    choices: float


def effort(pattern: str) -> Effort | None:
    """What matching may take; None if it may be exponential, or is not understood.

    Careful rather than exact. Each open-ended repeat adds one to the power, and so does not being
    anchored at the start; each alternative and each optional part adds to the choices. A group
    repeated without end that holds either, and every back-reference, count as exponential.
    """
    try:
        found = _Reader(pattern).read()
    except _Exponential:
        return None
    if found.choices > _MOST_CHOICES:
        return None
    return Effort(max(found.power + (0 if pattern.startswith("^") else 1), 1), found.choices)


class _Exponential(Exception):
    """The pattern may take exponential time, or is not understood."""


class _Reader:
    """Reads a pattern once, from left to right."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0

    def read(self) -> Effort:
        found = self._alternatives()
        if self.at < len(self.pattern):
            raise _Exponential
        return found

    def _alternatives(self) -> Effort:
        branches = [self._sequence()]
        while self._peek() == "|":
            self.at += 1
            branches.append(self._sequence())
        power = sum(branch.power for branch in branches)
        choices = sum(branch.choices for branch in branches)
        return Effort(power, choices + math.log2(len(branches)))

    def _sequence(self) -> Effort:
        power, choices = 0, 0.0
        while self._peek() not in {"", "|", ")"}:
            start = self.at
            inner = self._atom()
            atom = self.pattern[start : self.at]
            low, high = self._repeat()
            turns = 1 if high > 1 and _is_separated(atom) else high
            if (turns > 1 and inner.power) or (turns > _MANY and inner.choices):
                raise _Exponential
            power += inner.power + (1 if high > _MANY and high != low else 0)
            choices += inner.choices * turns
            choices += math.log2(high - low + 1) if high <= _MANY else 0
        return Effort(power, choices)

    def _atom(self) -> Effort:
        char = self._peek()
        self.at += 1
        match char:
            case "(":
                return self._group()
            case "[":
                self._skip_class()
            case "\\":
                if self._peek() in set("123456789gkP"):
                    raise _Exponential
                self.at += 1
            case _:
                pass
        return Effort(0, 0)

    def _group(self) -> Effort:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _Exponential
        if self._peek() == "?":
            opening = re.compile(r"\?(?::|=|!|<=|<!|P?<\w+>)").match(self.pattern, self.at)
            if opening is None:
                raise _Exponential
            self.at = opening.end()
        found = self._alternatives()
        if self._peek() != ")":
            raise _Exponential
        self.at += 1
        self.depth -= 1
        return found

    def _skip_class(self) -> None:
        if self._peek() == "^":
            self.at += 1
        if self._peek() == "]":
            self.at += 1
        while self._peek() not in {"", "]"}:
            self.at += 2 if self._peek() == "\\" else 1
        self.at += 1

    def _repeat(self) -> tuple[int, int]:
        """How often the atom before may stand."""
        found = _REPEAT.match(self.pattern, self.at)
        if found is None or found.group() in {"{}", "{,}"}:
            return 1, 1
        self.at = found.end()
        if self._peek() in {"?", "+"}:
            self.at += 1
        match found.group()[0]:
            case "*":
                return 0, _MANY + 1
            case "+":
                return 1, _MANY + 1
            case "?":
                return 0, 1
            case _:
                low = _count(found.group(1), 0)
                if not found.group(2):
                    return low, low
                return low, _count(found.group(3), _MANY + 1)

    def _peek(self) -> str:
        return self.pattern[self.at : self.at + 1]


def _is_separated(group: str) -> bool:
    """Whether each turn of a repeated group starts or ends with a sign that is in no other place.

    Then a text can be cut into turns in one way only, whatever repeats inside of a turn.
    """
    body = _OPENING.sub("", group.removesuffix(")"))
    parts = _PART.findall(body)
    if len(parts) < 2 or "".join(atom + often for atom, often in parts) != body:
        return False
    for edge, others in ((parts[0], parts[1:]), (parts[-1], parts[:-1])):
        sign = _LITERAL.fullmatch(edge[0])
        if sign is not None and not edge[1] and not _any_matches(others, sign.group(1)):
            return True
    return False


def _any_matches(parts: list[tuple[str, str]], sign: str) -> bool:
    try:
        return any(re.fullmatch(atom, sign, re.IGNORECASE) for atom, _ in parts)
    except re.error:
        return True


def _count(digits: str, default: int) -> int:
    return min(int(digits[:6]), 10_000) if digits else default
