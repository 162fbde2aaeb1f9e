"""Local references: what `#/...` and `#name` mean inside one document."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from attrs import define, field

from ._keywords import Place, places


@define
class Resource:
    """A schema with an identity of its own: the document, or a part of it with an `$id`.

    `nodes` are its subschemas; `#` in a reference of one of them means `root`.
    """

    root: Mapping[str, Any]
    nodes: list[Mapping[str, Any]] = field(factory=list)
    anchors: dict[str, Mapping[str, Any]] = field(factory=dict)

    def find(self, reference: str) -> Any:
        """What a reference that starts with `#` points at, or None."""
        fragment = unquote(reference[1:])
        if not fragment:
            return self.root
        if not fragment.startswith("/"):
            return self.anchors.get(fragment)
        return _pointed(self.root, fragment)

    def beyond(self, target: Mapping[str, Any], seen: Container[int]) -> Iterator[Resource]:
        """The subschemas of a target that no keyword leads to, as they refer to this resource.

        Those in `seen` (by `id`) are left out, with all that is inside them.
        """
        for found in resources(target, seen):
            if found.root is target:
                found.root, found.anchors = self.root, self.anchors | found.anchors
            yield found


def resources(schema: Mapping[str, Any], seen: Container[int] = ()) -> Iterator[Resource]:
    """The document's resources, itself first."""
    first = Resource(schema)
    found = [first]
    visited: set[tuple[int, Place]] = set()
    open_: list[tuple[Any, Place, Resource]] = [(schema, Place.SCHEMA, first)]
    while open_:
        node, place, resource = open_.pop()
        if (id(node), place) in visited:
            continue
        visited.add((id(node), place))
        if place is Place.SCHEMA:
            if id(node) in seen:
                continue
            if node is not schema and _is_embedded(node):
                resource = Resource(node)  # what follows belongs to it
                found.append(resource)
            resource.nodes.append(node)
            resource.anchors.update(_anchors(node))
        open_.extend((value, at, resource) for _, value, at in places(node, place))
    yield from found


def _is_embedded(node: Mapping[str, Any]) -> bool:
    identity = node.get("$id")
    return isinstance(identity, str) and not identity.startswith("#") and "$ref" not in node


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
