"""How much work a schema may ask of a validator, counted before it is given one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

from ._keywords import IN_PLACE, Place, places
from ._refs import Document, applied, references

Schema = dict[str, Any]

_TALLEST_STACK = 150  # subschemas above one another, for a native stack
_TALLEST_PLACE = 64  # subschemas above one another that hold for the same value
_END: Final[Schema] = {}


def evaluations(schema: Schema, most: int) -> int | None:
    """The steps that one value may cost, each subschema counted as often as it is reached.

    None if that is more than `most`, or if the schema is recursive or towers too high: such a
    schema needs a validator that counts while it works.
    """
    below = partial(_below, document=Document(schema), in_place=False)
    return _total([schema], below, most, _TALLEST_STACK)


def is_endless(schema: Schema) -> bool:
    """Whether a subschema leads back to itself, or over too many others, for one and the same
    value: a validator in Python would run out of stack, in places where that cannot be caught.
    """
    below = partial(_below, document=Document(schema), in_place=True)
    nodes = (node for node in applied(schema) if isinstance(node, dict))
    return _total(nodes, below, math.inf, _TALLEST_PLACE) is None


def _total(
    starts: Iterable[Schema],
    below: Callable[[Schema], Iterator[Schema | None]],
    most: float,
    tallest: int,
) -> int | None:
    """What the last of `starts` adds up to; None for a cycle, or where a bound is passed."""
    totals: dict[int, tuple[int, int]] = {}
    total = 0
    for start in starts:
        if id(start) in totals:
            continue
        open_, entered = [_Tally(start, below)], {id(start)}
        while open_:
            tally = open_[-1]
            if tally.total > most or tally.height > tallest:
                return None
            match next(tally.below, _END):
                case None:
                    return None
                case ended if ended is _END:
                    open_.pop()
                    totals[id(tally.node)] = tally.total, tally.height
                    if open_:
                        open_[-1].add(tally.total, tally.height)
                case known if id(known) in totals:
                    tally.add(*totals[id(known)])
                case again if id(again) in entered:
                    return None
                case deeper:
                    entered.add(id(deeper))
                    open_.append(_Tally(deeper, below))
        total = totals[id(start)][0]
    return total


class _Tally:
    """The count for one subschema, while those below it are counted."""

    __slots__ = ("below", "height", "node", "total")

    def __init__(self, node: Schema, below: Callable[[Schema], Iterator[Schema | None]]) -> None:
        self.node = node
        self.below = below(node)
        self.total = 1 + sum(len(value) for value in node.values() if isinstance(value, list))
        self.height = 1

    def add(self, total: int, height: int) -> None:
        self.total += total
        self.height = max(self.height, height + 1)


def _below(node: Schema, *, document: Document, in_place: bool) -> Iterator[Schema | None]:
    """The schemas that evaluating this one may evaluate; None for one that is not found.

    `in_place`: only those that hold for the same value.
    """
    for reference in references(node):
        target = document.find(reference)
        if not isinstance(target, bool):
            yield target if isinstance(target, dict) else None
    open_: list[tuple[Any, Place]] = [
        (value, place)
        for key, value, place in places(node, Place.SCHEMA)
        if (key in IN_PLACE if in_place else key not in {"$defs", "definitions"})
    ]
    while open_:
        value, place = open_.pop()
        if place is Place.SCHEMA:
            yield value
        elif place is not Place.DATA:
            open_.extend((inner, at) for _, inner, at in places(value, place))
