"""How much work a schema may ask of a validator, counted before it is given one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._keywords import REFERENCES, Place, places
from ._refs import Resource

_HIGHEST = 150  # subschemas and references above one another, for a native stack


def evaluations(schema: dict[str, Any], most: int) -> int | None:
    """The subschemas that one value may be held against, each counted as often as it is reached.

    None if that is more than `most`, or if the schema is recursive or towers too high to be
    counted: such a schema needs a validator that counts while it works.
    """
    document = Resource(schema)
    totals: dict[int, tuple[int, int]] = {}
    entered: set[int] = set()
    open_: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []

    def enter(node: dict[str, Any]) -> None:
        entered.add(id(node))
        open_.append((node, list(_below(node, document))))

    enter(schema)
    while open_:
        node, below = open_[-1]
        waiting = next((each for each in below if id(each) not in totals), None)
        if waiting is not None:
            if id(waiting) in entered:
                return None
            enter(waiting)
            continue
        open_.pop()
        total = 1 + sum(totals[id(each)][0] for each in below)
        height = 1 + max((totals[id(each)][1] for each in below), default=0)
        if total > most or height > _HIGHEST:
            return None
        totals[id(node)] = total, height
    return totals[id(schema)][0]


def _below(node: dict[str, Any], document: Resource) -> Iterator[dict[str, Any]]:
    """The schemas that evaluating this one may evaluate."""
    for keyword in REFERENCES:
        reference = node.get(keyword)
        if reference is not None:
            target = document.find(reference)
            if isinstance(target, dict):
                yield target
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
