"""Whether the value of a keyword is one that its draft of JSON Schema has."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from ._dialects import Dialect
from ._keywords import MANY, NAMED, ONE, REFERENCES

TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
WITH_ANY_ID = frozenset({Dialect.DRAFT_4, Dialect.DRAFT_6, Dialect.DRAFT_7})
WITH_LISTS_OF_ITEMS = WITH_ANY_ID | {Dialect.DRAFT_2019_09}
COUNTS = frozenset(
    f"{bound}{what}"
    for bound in ("max", "min")
    for what in ("Contains", "Items", "Length", "Properties")
)
_ID = re.compile(r"[^#]*#?\Z")
_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*\Z")

Check = Callable[[Any, Dialect], bool]


def _is_text(value: Any, _: Dialect) -> bool:
    return isinstance(value, str)


def _is_bool(value: Any, _: Dialect) -> bool:
    return isinstance(value, bool)


def is_list(value: Any, _: Dialect | None = None) -> bool:
    return isinstance(value, list | tuple)


def _is_enum(value: Any, dialect: Dialect) -> bool:
    """A list; in draft 4 of something, and each once, which is not looked for in containers."""
    if dialect is not Dialect.DRAFT_4 or not is_list(value):
        return is_list(value)
    scalars = {str(each) if isinstance(each, bool) else each for each in value if _is_scalar(each)}
    return bool(value) and len(scalars) == len(value)


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def is_number(value: Any, _: Dialect | None = None) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: Any, _: Dialect) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_bound(value: Any, dialect: Dialect) -> bool:
    return isinstance(value, bool) if dialect is Dialect.DRAFT_4 else is_number(value, dialect)


def _is_step(value: Any, dialect: Dialect) -> bool:
    return is_number(value, dialect) and value > 0


def _is_type(value: Any, _: Dialect) -> bool:
    if isinstance(value, str):
        return value in TYPES
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(each, str) and each in TYPES for each in value)
        and len(set(value)) == len(value)
    )


def _is_names(value: Any, _: Dialect) -> bool:
    return (
        isinstance(value, list | tuple)
        and all(isinstance(each, str) for each in value)
        and len(set(value)) == len(value)
    )


def _is_required(value: Any, dialect: Dialect) -> bool:
    return _is_names(value, dialect) and (bool(value) or dialect is not Dialect.DRAFT_4)


def _is_schema(value: Any, _: Dialect) -> bool:
    return isinstance(value, Mapping | bool)


def _is_items(value: Any, dialect: Dialect) -> bool:
    return _is_schema(value, dialect) or (
        dialect in WITH_LISTS_OF_ITEMS and isinstance(value, list) and bool(value)
    )


def _is_schemas(value: Any, dialect: Dialect) -> bool:
    return isinstance(value, list | tuple) and bool(value)


def _is_named(value: Any, dialect: Dialect) -> bool:
    return isinstance(value, Mapping)


def _is_dependencies(value: Any, dialect: Dialect) -> bool:
    return isinstance(value, Mapping) and all(
        _is_names(each, dialect) and bool(each) if is_list(each) else _is_schema(each, dialect)
        for each in value.values()
    )


def _are_names_by_name(value: Any, dialect: Dialect) -> bool:
    return isinstance(value, Mapping) and all(_is_names(each, dialect) for each in value.values())


def _is_id(value: Any, dialect: Dialect) -> bool:
    return isinstance(value, str) and (dialect in WITH_ANY_ID or _ID.match(value) is not None)


def _is_anchor(value: Any, _: Dialect) -> bool:
    return isinstance(value, str) and _ANCHOR.match(value) is not None


WELL_FORMED: Mapping[str, Check] = {
    **dict.fromkeys(ONE, _is_schema),
    **dict.fromkeys(MANY, _is_schemas),
    **dict.fromkeys(NAMED, _is_named),
    **dict.fromkeys(REFERENCES, _is_text),
    **dict.fromkeys(
        ("$comment", "$schema", "contentEncoding", "contentMediaType", "description", "format"),
        _is_text,
    ),
    **dict.fromkeys(("pattern", "title"), _is_text),
    **dict.fromkeys(("deprecated", "readOnly", "uniqueItems", "writeOnly"), _is_bool),
    "enum": _is_enum,
    "examples": is_list,
    **dict.fromkeys(("maximum", "minimum"), is_number),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum"), _is_bound),
    **dict.fromkeys(COUNTS, _is_count),
    "$anchor": _is_anchor,
    "$dynamicAnchor": _is_anchor,
    "$id": _is_id,
    "contentSchema": _is_schema,
    "dependencies": _is_dependencies,
    "dependentRequired": _are_names_by_name,
    "items": _is_items,
    "multipleOf": _is_step,
    "required": _is_required,
    "type": _is_type,
}
"""The check of each keyword that has one; others may have any value."""
