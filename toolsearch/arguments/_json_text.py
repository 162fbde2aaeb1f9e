"""JSON inside strings, read strictly."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from ._problem import ArgumentProblem

_LONGEST = 5_000_000


class NotJson(ValueError):
    """The text is not JSON, or JSON that could be read in two ways."""


def parsed(text: str) -> Any:
    """The value of a JSON text. Raises `NotJson`.

    `NaN` and `Infinity` are no JSON. A key that stands twice with different values has two
    readings and is refused.
    """
    if len(text) > _LONGEST:
        raise NotJson("too long")
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise NotJson("not JSON") from error


def _no_constant(word: str) -> NoReturn:
    raise NotJson(word)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and not same(made[key], value):
            raise ArgumentProblem("a field stands twice with different values. Not executed.")
        made[key] = value
    return made


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: 1 and true are not, 1 and 1.0 are not either."""
    if type(one) is not type(other):
        return False
    match one:
        case dict():
            return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
        case list():
            return len(one) == len(other) and all(map(same, one, other))
        case _:
            return bool(one == other)
