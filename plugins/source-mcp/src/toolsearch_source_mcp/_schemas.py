"""Schemas as servers really write them, brought to where JSON Schema begins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolsearch_hookspecs import EMPTY_SCHEMA, Limits

TYPE_NAMES = {
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "str": "string",
    "text": "string",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "dict": "object",
    "map": "object",
    "none": "null",
}
"""What people write for a type, and what JSON Schema calls it. `any` is no constraint at all."""

_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_ONE = frozenset(
    {
        "items",
        "additionalItems",
        "additionalProperties",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contains",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
    }
)
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTED = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})


class SchemaError(Exception):
    """A schema that cannot stand for a tool's arguments; the text is the reason."""


_MISSPELT = re.compile(
    r'"type":(?:null|"(?!(?:string|number|integer|boolean|object|array|null)")'
    r'|\[(?!(?:"(?:string|number|integer|boolean|object|array|null)",?)*\]))'
)


def needs_mending(text: str) -> bool:
    """Whether compact JSON text may hold a misspelt type. Cheap; it may err on the side of yes."""
    return _MISSPELT.search(text) is not None


def may_be_big(text: str, limits: Limits) -> bool:
    """Whether compact JSON text may break a bound. Cheap; it may err on the side of yes."""
    brackets = text.count("{") + text.count("[")
    smallest = min(limits.max_schema_depth, limits.max_subschemas)
    return brackets > smallest or len(text) > limits.max_schema_bytes


def input_schema(raw: Any, limits: Limits, text: str) -> Mapping[str, Any]:
    """The schema of a tool's arguments: always an object's. Raises `SchemaError`.

    `text` is the compact JSON of the whole tool. Nothing, null and `{}` mean "no arguments"; misspelt type names are put right.
    """
    match raw:
        case None:
            return EMPTY_SCHEMA
        case dict():
            mended = brought_to_form(raw, limits, text)
        case _:
            raise SchemaError(f"its input schema is {_kind(raw)}, not an object")
    if not mended:
        return EMPTY_SCHEMA
    match mended.get("type"):
        case None:
            return {"type": "object", **mended}
        case "object":
            return mended
        case list() as types if "object" in types:
            return {**mended, "type": "object"}
    raise SchemaError(f"its input schema is for {json.dumps(raw['type'])}, not for an object")


def output_schema(raw: Any, limits: Limits, text: str) -> Mapping[str, Any] | None:
    """The schema of a tool's results, where it declares a usable one. Raises `SchemaError`."""
    if not isinstance(raw, dict) or not raw:
        return None
    return brought_to_form(raw, limits, text)


def brought_to_form(schema: dict[str, Any], limits: Limits, text: str) -> dict[str, Any]:
    """The schema within bounds and with its types put right. Raises `SchemaError`.

    Both are looked for in the text of the whole tool first: of ten thousand tools nearly all are
    in order.
    """
    if may_be_big(text, limits):
        check_bounds(schema, limits)
    return mend_types(schema) if needs_mending(text) else schema


def check_bounds(schema: Mapping[str, Any], limits: Limits) -> None:
    """Raise `SchemaError` for one too deep, too manifold or too long to be worth compiling."""
    objects = 0
    for value, depth in _nodes(schema):
        if depth > limits.max_schema_depth:
            raise SchemaError(f"its schema is nested deeper than {limits.max_schema_depth} levels")
        objects += isinstance(value, dict)
        if objects > limits.max_subschemas:
            raise SchemaError(f"its schema has more than {limits.max_subschemas} parts")
    size = len(json.dumps(schema, separators=(",", ":")))
    if size > limits.max_schema_bytes:
        raise SchemaError(f"its schema has {size} bytes, over {limits.max_schema_bytes}")


def mend_types(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema with the type names of other languages replaced; itself when it has none."""
    mended = {key: _mended(key, value) for key, value in schema.items()}
    if mended.get("type", "") is None:
        del mended["type"]
    return mended if mended != schema else schema


def _mended(key: str, value: Any) -> Any:
    match value:
        case str() if key == "type":
            return _type_name(value)
        case list() if key == "type":
            names = [_type_name(item) if isinstance(item, str) else item for item in value]
            return None if None in names else names
        case dict() if key in _NAMED:
            return {
                name: mend_types(item) if isinstance(item, dict) else item
                for name, item in value.items()
            }
        case dict() if key in _ONE:
            return mend_types(value)
        case list() if key in _LISTED:
            return [mend_types(item) if isinstance(item, dict) else item for item in value]
    return value


def _type_name(name: str) -> str | None:
    lowered = name.strip().lower()
    if lowered in {"any", ""}:
        return None
    known = TYPE_NAMES.get(lowered, lowered)
    return known if known in _TYPES else name


def _nodes(root: Any) -> Iterator[tuple[Any, int]]:
    waiting = [(root, 1)]
    while waiting:
        value, depth = waiting.pop()
        yield value, depth
        match value:
            case dict():
                waiting.extend((item, depth + 1) for item in value.values() if _holds(item))
            case list():
                waiting.extend((item, depth + 1) for item in value if _holds(item))


def _holds(value: Any) -> bool:
    return isinstance(value, dict | list)


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case int() | float():
            return "a number"
    return "a list"
