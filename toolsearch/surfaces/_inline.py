"""References written out: a schema without `$ref`, of bounded size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field

from ..schemas import Document, Place, places

LEVELS = (8, 4, 2, 1)  # references inside each other that are written out; the most that fits
SPACE = 200  # containers that may be added to those that the schema has, and as many again
DEEPEST = 48  # containers inside each other
_DEFINITIONS = frozenset({"$defs", "definitions"})
_SAYINGS = frozenset({"default", "deprecated", "description", "examples", "title"})
_CUT = object()


@define
class Inlined:
    """A schema with its local references written out.

    A reference that leads outside, nowhere, to where it stands, or beyond the bounds is the schema
    that takes anything, and `cut` says so. `referred` says that there were references.
    """

    schema: Any
    referred: bool
    cut: bool

    @classmethod
    def of(cls, schema: Mapping[str, Any]) -> Inlined:
        """Written out as deep as the bounds allow, evenly over the whole schema."""
        document = Document(schema)
        most = 2 * _containers(schema) + SPACE
        for levels in (*LEVELS, 0):
            writing = _Writing(document, levels, most if levels else most * 2)
            written = writing.node(schema, Place.SCHEMA, 0)
            if writing.left >= 0:
                break
        return cls(written, writing.referred, writing.cut)


@define
class _Writing:
    """One attempt, which stops short when `left` is below zero."""

    document: Document
    levels: int
    left: int
    referred: bool = False
    cut: bool = False
    _open: list[int] = field(factory=list)

    def node(self, node: Any, place: Place, depth: int) -> Any:
        if place is Place.DATA or not isinstance(node, Mapping | list | tuple):
            return node
        self.left -= 1
        if self.left < 0 or depth > DEEPEST:
            self.cut = True
            return {} if place is Place.SCHEMA else _CUT
        inside = {key: kind for key, _, kind in places(node, place)}
        if not isinstance(node, Mapping):
            return [
                self.node(each, inside.get(index, Place.DATA), depth + 1)
                for index, each in enumerate(node)
            ]
        if place is Place.SCHEMA and isinstance(node.get("$ref"), str):
            return self._target(node, node["$ref"], depth)
        written = {
            key: self.node(value, inside.get(key, Place.DATA), depth + 1)
            for key, value in node.items()
            if place is Place.NAMED or key not in _DEFINITIONS
        }
        # Without some of its parts a schema could take less than it did.
        return {} if any(part is _CUT for part in written.values()) else written

    def _target(self, node: Mapping[str, Any], reference: str, depth: int) -> Any:
        self.referred = True
        beside = {key: value for key, value in node.items() if key != "$ref"}
        target = self.document.find(reference)
        beyond = len(self._open) >= self.levels or id(target) in self._open
        if not isinstance(target, Mapping) or beyond:
            self.cut = self.cut or target is not True
            return self.node(beside, Place.SCHEMA, depth)
        self._open.append(id(target))
        both = {"allOf": [target, beside]} if beside.keys() - _SAYINGS else {**target, **beside}
        try:
            return self.node(both, Place.SCHEMA, depth)
        finally:
            self._open.pop()


def _containers(value: Any) -> int:
    """How many objects and lists a JSON value has."""
    count, open_ = 0, [value]
    while open_:
        each = open_.pop()
        if isinstance(each, Mapping):
            open_.extend(each.values())
        elif isinstance(each, list | tuple):
            open_.extend(each)
        else:
            continue
        count += 1
    return count
