"""Regular expressions of strangers: matched in linear time, or within a budget, or not at all."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import partial

from attrs import frozen

from ._backtracking import Effort, effort

Matches = Callable[[str], bool]

_LONGEST = 4096  # characters of a pattern
_BACKTRACKS = 10_000


@frozen
class Pattern:
    """A pattern that can be asked; `effort` is None for an engine that is bounded by itself."""

    matches: Matches
    effort: Effort | None

    def steps(self, text: str) -> int:
        """The worst number of steps to match a text, in those of `re` (some nanoseconds)."""
        if self.effort is None:
            return len(text)
        power, choices = self.effort.power, math.ceil(self.effort.choices)
        return int(max(len(text), 1) ** power) << choices


def pattern_of(source: str, *, fast: bool) -> Pattern | None:
    """The pattern, or None where it is not one, or cannot be matched within bounds.

    `fast` allows the Rust engines of `jsonschema-rs`. Without them, only patterns whose
    backtracking is at most polynomial are matched, by `re`.
    """
    if len(source) > _LONGEST:
        return None
    if fast and (matches := _by_rust(source)) is not None:
        return Pattern(matches, None)
    if (bound := effort(source)) is None:
        return None
    try:
        return Pattern(partial(_search, re.compile(_for_python(source), re.ASCII)), bound)
    except (re.error, OverflowError, RecursionError):
        return None


def _for_python(source: str) -> str:
    """The pattern with its final `$` as ECMAScript means it: the end, with no newline after."""
    body = source.removesuffix("$")
    backslashes = len(body) - len(body.rstrip("\\"))
    if body != source and backslashes % 2 == 0:
        return body + r"\Z"
    return source


def _search(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def _by_rust(source: str) -> Matches | None:
    """The linear engine, or for look-around and back-references the one with a limit."""
    import jsonschema_rs as rs

    schema = {"pattern": source}
    for engine in (rs.RegexOptions(), rs.FancyRegexOptions(backtrack_limit=_BACKTRACKS)):
        try:
            validator = rs.Draft202012Validator(schema, pattern_options=engine, offline=True)
        except (rs.ValidationError, ValueError):
            continue
        if isinstance(engine, rs.RegexOptions):
            return validator.is_valid
        return partial(_within_limit, validator)
    return None


def _within_limit(validator: object, text: str) -> bool:
    """Whether it matches; true where the engine gave up, since the tool checks for itself."""
    errors = validator.iter_errors(text)  # type: ignore[attr-defined]
    return all(error.kind.name != "pattern" for error in errors)
