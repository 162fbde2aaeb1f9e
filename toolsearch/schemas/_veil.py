"""Values as the validator sees them: bounded, and without anything to quote from."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ._problems import SchemaProblem

DEEPEST = 128  # JSON containers inside one another
LARGEST = 500_000  # values, each scalar and container counted
_SMALL = 10_000


class _Text(str):
    """A string that does not show itself in messages."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "a string"


class _Object(dict[str, Any]):
    def __repr__(self) -> str:
        return "an object"


class _Array(list[Any]):
    def __repr__(self) -> str:
        return "an array"


def is_small(value: Any) -> bool:
    """Whether looking at the whole of it takes no time to speak of."""
    try:
        return size(value, _SMALL) <= _SMALL
    except SchemaProblem:
        return False


def size(value: Any, most: int = LARGEST) -> int:
    """The number of values inside, itself included.

    Raises `SchemaProblem` for more than `most`, and for more than 128 levels: native and Python
    validators alike use the stack for them.
    """
    count = 0
    open_: list[tuple[Any, int]] = [(value, 1)]
    while open_:
        each, depth = open_.pop()
        count += 1
        if depth > DEEPEST:
            raise SchemaProblem(f"the value is nested deeper than {DEEPEST} levels")
        inner: Collection[Any]
        match each:
            case dict():
                inner = each.values()
            case list():
                inner = each
            case _:
                continue
        if count + len(inner) > most:
            raise SchemaProblem(f"the value has more than {most} parts")
        open_.extend((one, depth + 1) for one in inner)
    return count


def veiled(value: Any) -> Any:
    """The value in containers and strings whose `repr` is a word.

    jsonschema writes the value into every message that it makes, wanted or not: that is a copy
    of the payload for each failed branch. The depth must have been judged by `size`.
    """
    root: _Array = _Array([value])
    open_: list[Any] = [root]
    while open_:
        made = open_.pop()
        for key, each in made.items() if isinstance(made, _Object) else enumerate(made):
            match each:
                case str():
                    made[key] = _Text(each)
                case dict():
                    made[key] = _Object(each)
                    open_.append(made[key])
                case list():
                    made[key] = _Array(each)
                    open_.append(made[key])
    return root[0]
