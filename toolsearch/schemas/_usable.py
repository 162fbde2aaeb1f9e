"""A schema's own copy without what cannot be applied: plain, and safe to hand to a validator."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from ..text import one_line
from ._dialects import Dialect
from ._keywords import MANY, NAMED, ONE, REFERENCES, Place, places
from ._patterns import Pattern
from ._refs import Document, applied, has_identity, references

_TYPES = frozenset(["array", "boolean", "integer", "null", "number", "object", "string"])
_DROPPED = frozenset(
    ["$schema", "contentEncoding", "contentMediaType", "contentSchema", "format", "id"]
)
_COUNTS = frozenset(
    [
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
    ]
)
_NUMBERS = frozenset(["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"])
_WITHOUT_DEPENDENCIES = frozenset({Dialect.DRAFT_2019_09, Dialect.DRAFT_2020_12})
_NOTHING = {"not": True}  # as `false`, but jsonschema says where it failed
_SAID = 20  # notes kept


@define
class Usable:
    """Makes the copy.

    A keyword whose value is malformed is left out, and so is a pattern that `pattern_of` does not
    give: `notes` says which. Nothing is mended by guessing, so that the copy never refuses what
    the schema allows. Formats and content keywords are annotations here and are left out, too.
    """

    dialect: Dialect
    pattern_of: Callable[[str], Pattern | None]
    notes: list[str] = field(factory=list)
    _targets: frozenset[int] = frozenset()
    _names_by_pattern: bool = False

    def copy(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The copy of a schema in which `scan` found no problem."""
        self._targets = _targets(schema)
        self._names_by_pattern = _names_by_pattern(schema)
        copied = self._copy(schema, Place.SCHEMA, "")
        assert isinstance(copied, dict)  # noqa: S101  # a mapping in gives a mapping out
        return copied

    def _copy(self, node: Any, place: Place, at: str) -> Any:
        """Recursion is as deep as the document, which the scan bounded."""
        if place is Place.DATA and isinstance(node, Mapping) and id(node) in self._targets:
            place = Place.SCHEMA
        match node:
            case Mapping() if place is Place.SCHEMA:
                return self._schema(node, at)
            case Mapping():
                inner = {key: kind for key, _, kind in places(node, place)}
                return {
                    key: _NOTHING
                    if value is False and place is Place.NAMED
                    else self._copy(value, inner.get(key, Place.DATA), f"{at}/{key}")
                    for key, value in node.items()
                }
            case list() | tuple():
                within = Place.SCHEMA if place is Place.SCHEMAS else Place.DATA
                return [
                    _NOTHING
                    if value is False and place is Place.SCHEMAS
                    else self._copy(value, within if isinstance(value, Mapping) else Place.DATA, at)
                    for value in node
                ]
            case _:
                return node

    def _schema(self, node: Mapping[str, Any], at: str) -> dict[str, Any]:
        inner = {key: kind for key, _, kind in places(node, Place.SCHEMA)}
        copied: dict[str, Any] = {}
        for key, value in node.items():
            if key in _DROPPED or (key == "$id" and has_identity(node)):
                continue
            if not self._is_well_formed(key, value):
                self._say(
                    f"{key} at {at or '/'} is no keyword of its draft, or malformed; it is not applied"
                )
                continue
            copied[key] = self._copy(value, inner.get(key, Place.DATA), f"{at}/{key}")
            if key in {"required", "type"} and isinstance(copied[key], list):
                copied[key] = list(dict.fromkeys(copied[key]))
        if "additionalProperties" in copied:
            # Everything is evaluated then; jsonschema overlooks it in some drafts.
            copied.pop("unevaluatedProperties", None)
        self._without_unsafe_patterns(copied, at)
        return copied

    def _without_unsafe_patterns(self, copied: dict[str, Any], at: str) -> None:
        source = copied.get("pattern")
        if source is not None and self.pattern_of(source) is None:
            del copied["pattern"]
            self._say(f"pattern at {at or '/'} cannot be matched within bounds; it is not applied")
        named = copied.get("patternProperties", {})
        unsafe = [source for source in named if self.pattern_of(source) is None]
        if unsafe:
            for source in unsafe:
                del named[source]
            # What those patterns cover is not known, so nothing may be called additional.
            copied.pop("additionalProperties", None)
            self._say(f"patternProperties at {at or '/'} cannot be matched within bounds")

        if self._names_by_pattern and "unevaluatedProperties" in copied:
            # jsonschema matches the patterns by `re` to find out what was evaluated.
            del copied["unevaluatedProperties"]
            self._say(f"unevaluatedProperties at {at or '/'} beside patterns is not applied")

    def _say(self, note: str) -> None:
        if len(self.notes) < _SAID:
            self.notes.append(one_line(note, 200))

    def _is_well_formed(self, key: str, value: Any) -> bool:
        if key == "dependencies" and self.dialect in _WITHOUT_DEPENDENCIES:
            return False  # jsonschema goes by its draft here, jsonschema-rs does not
        if key in ONE and isinstance(value, bool | Mapping):
            return True
        if key in MANY and _is_list(value):
            tuple_form = key != "items" or self.dialect is not Dialect.DRAFT_2020_12
            return tuple_form and bool(value) and all(map(_is_schema, value))
        if key in ONE or key in MANY:
            return False
        if key in NAMED:
            return _is_named(key, value)
        match key:
            case "type":
                kinds = value if _is_list(value) else [value]
                return bool(kinds) and all(isinstance(k, str) and k in _TYPES for k in kinds)
            case "enum":
                return _is_list(value)
            case "required":
                return _is_names(value)
            case "dependentRequired":
                return isinstance(value, Mapping) and all(map(_is_names, value.values()))
            case "pattern" | "$anchor" | "$dynamicAnchor" | "$id":
                return isinstance(value, str)
            case "uniqueItems":
                return isinstance(value, bool)
            case "multipleOf":
                return _is_number(value) and value > 0
            case "exclusiveMinimum" | "exclusiveMaximum" if self.dialect is Dialect.DRAFT_4:
                return isinstance(value, bool)
            case _ if key in _NUMBERS:
                return _is_number(value)
            case _ if key in _COUNTS:
                return _is_number(value) and value >= 0 and value == int(value)
            case _ if key in REFERENCES:
                return isinstance(value, str)
            case _:
                return True


def _targets(schema: Mapping[str, Any]) -> frozenset[int]:
    """What references point at, wherever it stands."""
    document = Document(schema)
    return frozenset(
        id(document.find(reference)) for node in applied(schema) for reference in references(node)
    )


def _names_by_pattern(schema: Mapping[str, Any]) -> bool:
    open_: list[Any] = [schema]
    while open_:
        node = open_.pop()
        if isinstance(node, Mapping):
            if "patternProperties" in node:
                return True
            open_.extend(node.values())
        elif _is_list(node):
            open_.extend(node)
    return False


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_schema(value: Any) -> bool:
    return isinstance(value, bool | Mapping)


def _is_names(value: Any) -> bool:
    return _is_list(value) and all(isinstance(name, str) for name in value)


def _is_named(key: str, value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    names_too = key == "dependencies"
    return all(_is_schema(each) or (names_too and _is_names(each)) for each in value.values())


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
