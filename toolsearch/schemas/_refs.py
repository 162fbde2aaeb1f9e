"""Local references: what `#/...` and `#name` mean inside one document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from attrs import define

from ._keywords import REFERENCES, Place, places


@define
class Document:
    """A schema document. References are found in it as a whole: `scan` refuses a document that
    has both references and parts with an identity of their own.
    """

    root: Any
    _anchors: dict[str, Any] | None = None

    def find(self, reference: str) -> Any:
        """What a reference within the document points at, or None."""
        if not reference.startswith("#"):
            return None
        fragment = unquote(reference[1:])
        if not fragment:
            return self.root
        if fragment.startswith("/"):
            return _pointed(self.root, fragment)
        if self._anchors is None:
            nodes = (node for node, _ in subschemas(self.root))
            self._anchors = dict(anchor for node in nodes for anchor in _anchors(node))
        return self._anchors.get(fragment)


def subschemas(
    schema: Any, seen: set[int] | None = None
) -> Iterator[tuple[Mapping[str, Any], int]]:
    """The subschemas that keywords lead to, itself first, each once, with its level.

    Those in `seen` (by `id`) are left out with all that is inside them; it is added to.
    """
    seen = set() if seen is None else seen
    open_: list[tuple[Any, Place, int]] = [(schema, Place.SCHEMA, 1)]
    while open_:
        node, place, level = open_.pop()
        if place is Place.SCHEMA:
            if id(node) in seen or not isinstance(node, Mapping):
                continue
            seen.add(id(node))
            yield node, level
        inner = level + 1 if place is Place.SCHEMA else level
        open_.extend((value, at, inner) for _, value, at in places(node, place))


def applied(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The subschemas that may be applied: those that keywords or references lead to."""
    document, seen = Document(schema), set[int]()
    open_: list[Any] = [schema]
    while open_:
        for node, _ in subschemas(open_.pop(), seen):
            yield node
            open_.extend(document.find(reference) for reference in references(node))


def references(node: Mapping[str, Any]) -> Iterator[str]:
    """The references of one subschema."""
    for keyword in REFERENCES:
        if isinstance(reference := node.get(keyword), str):
            yield reference


def has_identity(node: Mapping[str, Any]) -> bool:
    """Whether references inside mean this subschema by `#` (an `$id` that is no mere anchor)."""
    identity = node.get("$id")
    return isinstance(identity, str) and not identity.startswith("#")


def _anchors(node: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for keyword in ("$anchor", "$dynamicAnchor"):
        if isinstance(name := node.get(keyword), str):
            yield name, node
    if isinstance(name := node.get("$id"), str) and name.startswith("#"):
        yield name[1:], node


def _pointed(root: Any, pointer: str) -> Any:
    value = root
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        match value:
            case Mapping() if key in value:
                value = value[key]
            case list() | tuple() if re.fullmatch("[0-9]{1,6}", key) and int(key) < len(value):
                value = value[int(key)]
            case _:
                return None
    return value
