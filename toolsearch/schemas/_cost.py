"""How much work a schema may ask of a validator, counted before it is given one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ._keywords import REFERENCES, Place, places
from ._refs import Resource, resources

_END: Final[dict[str, Any]] = {}
_HIGHEST = 150  # subschemas and references above one another, for a native stack


def evaluations(schema: dict[str, Any], most: int) -> int | None:
    """The steps that one value may cost, each subschema counted as often as it is reached.

    None if that is more than `most`, or if the schema is recursive, in parts of their own
    identity, or towers too high: such a schema needs a validator that counts while it works.
    """
    document, *parts = resources(schema)
    if parts:
        return None
    totals: dict[int, tuple[int, int]] = {}
    entered = {id(schema)}
    open_ = [_Tally(schema, document)]
    while open_:
        tally = open_[-1]
        below = next(tally.below, _END)
        if below is None:
            return None
        if below is _END:
            open_.pop()
            totals[id(tally.node)] = tally.total, tally.height
            if open_:
                open_[-1].add(tally.total, tally.height)
        elif id(below) in totals:
            tally.add(*totals[id(below)])
        elif id(below) in entered:
            return None
        else:
            entered.add(id(below))
            open_.append(_Tally(below, document))
        if open_ and (open_[-1].total > most or open_[-1].height > _HIGHEST):
            return None
    return totals[id(schema)][0]


class _Tally:
    """The count for one subschema, while those below it are counted."""

    __slots__ = ("below", "height", "node", "total")

    def __init__(self, node: dict[str, Any], document: Resource) -> None:
        self.node = node
        self.below = _below(node, document)
        self.total = 1 + sum(len(value) for value in node.values() if isinstance(value, list))
        self.height = 1

    def add(self, total: int, height: int) -> None:
        self.total += total
        self.height = max(self.height, height + 1)


def _below(node: dict[str, Any], document: Resource) -> Iterator[dict[str, Any] | None]:
    """The schemas that evaluating this one may evaluate; None for one that is not found."""
    for keyword in REFERENCES:
        reference = node.get(keyword)
        if reference is not None:
            target = document.find(reference)
            if not isinstance(target, bool):
                yield target if isinstance(target, dict) else None
    open_: list[tuple[Any, Place]] = [
        (value, place)
        for key, value, place in places(node, Place.SCHEMA)
        if key not in {"$defs", "definitions"}
    ]
    while open_:
        value, place = open_.pop()
        if place is Place.SCHEMA:
            yield value
        elif place is not Place.DATA:
            open_.extend((inner, at) for _, inner, at in places(value, place))
