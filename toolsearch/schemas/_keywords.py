"""Where subschemas stand in a JSON Schema, over the drafts 4 to 2020-12."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum, auto
from typing import Any

ONE = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "contains",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
MANY = frozenset(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
NAMED = frozenset(
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]
)
IN_PLACE = frozenset(
    ["allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then"]
)
_SCALARS = frozenset({str, int, float, bool, type(None)})
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class Place(Enum):
    """What a value inside a schema document is."""

    SCHEMA = auto()
    SCHEMAS = auto()  # a list of schemas
    NAMED = auto()  # a mapping of names to schemas
    DATA = auto()  # anything else: enum, default, an unknown keyword


def places(node: Any, place: Place) -> Iterator[tuple[str | int, Any, Place]]:
    """The containers directly inside `node`, each with its key and what it is."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            if type(value) not in _SCALARS and isinstance(value, Mapping | list | tuple):
                yield key, value, _inside(key, value, place)
    elif isinstance(node, list | tuple):
        within = Place.SCHEMA if place is Place.SCHEMAS else Place.DATA
        for index, value in enumerate(node):
            if type(value) not in _SCALARS and isinstance(value, Mapping | list | tuple):
                yield index, value, within if isinstance(value, Mapping) else Place.DATA


def _inside(key: str, value: Any, place: Place) -> Place:
    is_mapping = isinstance(value, Mapping)
    match place:
        case Place.SCHEMA if is_mapping and key in ONE:
            return Place.SCHEMA
        case Place.SCHEMA if is_mapping and key in NAMED:
            return Place.NAMED
        case Place.SCHEMA if not is_mapping and key in MANY:
            return Place.SCHEMAS
        case Place.NAMED if is_mapping:
            return Place.SCHEMA
        case _:
            return Place.DATA
