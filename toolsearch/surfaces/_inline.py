"""References written out: a schema without `$ref`, of bounded size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field

from ..schemas import Document, Place, places

MOST_NODES = 4_000  # containers of a schema with its references written out
DEEPEST = 48  # containers inside each other
_DEFINITIONS = frozenset({"$defs", "definitions"})
_SAYINGS = frozenset({"default", "deprecated", "description", "examples", "title"})
_CUT = object()


@define
class Inlined:
    """Writes the local references of one schema out.

    One that leads outside, nowhere, or to where it stands, and whatever is beyond the bounds,
    becomes the schema that takes anything, and `cut` says so. `referred` says that there were
    references.
    """

    document: Document
    referred: bool = False
    cut: bool = False
    _left: int = MOST_NODES
    _open: list[int] = field(factory=list)

    def written_out(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        written: dict[str, Any] = self._node(schema, Place.SCHEMA, 0)
        return written

    def _node(self, node: Any, place: Place, depth: int) -> Any:
        if place is Place.DATA or not isinstance(node, Mapping | list | tuple):
            return node
        if self._left <= 0 or depth > DEEPEST:
            self.cut = True
            return {} if place is Place.SCHEMA else _CUT
        self._left -= 1
        inside = {key: kind for key, _, kind in places(node, place)}
        if not isinstance(node, Mapping):
            return [
                self._node(each, inside.get(index, Place.DATA), depth + 1)
                for index, each in enumerate(node)
            ]
        if place is Place.SCHEMA and isinstance(node.get("$ref"), str):
            return self._target(node, node["$ref"], depth)
        written = {
            key: self._node(value, inside.get(key, Place.DATA), depth + 1)
            for key, value in node.items()
            if place is Place.NAMED or key not in _DEFINITIONS
        }
        # Without some of its parts a schema could take less than it did.
        return {} if _CUT in written.values() else written

    def _target(self, node: Mapping[str, Any], reference: str, depth: int) -> Any:
        self.referred = True
        beside = {key: value for key, value in node.items() if key != "$ref"}
        target = self.document.find(reference)
        if not isinstance(target, Mapping) or id(target) in self._open:
            self.cut = self.cut or target is not True
            return self._node(beside, Place.SCHEMA, depth)
        self._open.append(id(target))
        both = {"allOf": [target, beside]} if beside.keys() - _SAYINGS else {**target, **beside}
        try:
            return self._node(both, Place.SCHEMA, depth)
        finally:
            self._open.pop()
