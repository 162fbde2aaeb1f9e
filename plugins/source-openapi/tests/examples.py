"""Values that a schema allows, made up for the tests."""

from __future__ import annotations

from functools import cache

from hypothesis import Phase, find, settings
from hypothesis.strategies import characters, from_regex

FORMATS = {
    "date-time": "2026-01-02T03:04:05Z",
    "date": "2026-01-02",
    "uri": "https://example.com/",
    "email": "ada@example.com",
    "uuid": "12345678-1234-4234-8234-123456789012",
}
DEEP = 2


def example(schema, definitions, depth=0):
    """A value with every property down to a depth, and with the needed ones alone below it."""
    match schema:
        case {"$ref": str(place)}:
            return example(definitions[place.removeprefix("#/$defs/")], definitions, depth + 1)
        case {"properties": {"filename": _, "base64": _}}:
            return {"filename": "notes.txt", "text": "hello"}
        case {"const": value}:
            return value
        case {"enum": [*values]}:
            return next(value for value in values if value is not None)
        case {"allOf": [*parts], **rest}:
            return merged([example(part, definitions, depth) for part in (*parts, rest) if part])
        case {"anyOf": [{"required": [*one]}, *_], "properties": names, **rest} | {
            "oneOf": [{"required": [*one]}, *_],
            "properties": names,
            **rest,
        }:
            needed = [*rest.get("required", ()), *one]
            return {name: example(names[name], definitions, depth + 1) for name in needed}
        case {"anyOf": [*options], **rest} | {"oneOf": [*options], **rest}:
            given = [each for each in options if each != {"type": "null"}]
            first = {**{k: v for k, v in rest.items() if k in {"type", "items"}}, **given[0]}
            made = example(first, definitions, depth)
            own = {k: v for k, v in rest.items() if k in {"properties", "required"}}
            return merged([example(own, definitions, depth), made]) if own else made
        case {"type": [*kinds], **rest}:
            kind = next(kind for kind in kinds if kind != "null")
            return example({**rest, "type": kind}, definitions, depth)
        case dict():
            return plain(schema, definitions, depth)
        case _:
            return "text"


def plain(schema, definitions, depth):
    implied = "object" if "properties" in schema else "array" if "items" in schema else "string"
    match schema.get("type", implied):
        case "object":
            names = schema.get("properties", {})
            needed = schema.get("required", ())
            wanted = names if depth < DEEP else [name for name in needed if name in names]
            return {name: example(names[name], definitions, depth + 1) for name in wanted}
        case "array":
            item = example(schema.get("items", {}), definitions, depth + 1)
            return [item] * max(1, schema.get("minItems", 0))
        case "integer" | "number":
            low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
            return min(max(low, 1), schema.get("maximum", low + 1))
        case "boolean":
            return True
        case _:
            return text(schema)


def text(schema):
    if "pattern" in schema:
        return matching(schema["pattern"])
    made = FORMATS.get(schema.get("format"), "text")
    return made.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength", 1_000)]


@cache
def matching(pattern):
    """Some text of printable characters that a pattern matches, the same each time."""
    quick = settings(phases=[Phase.generate], derandomize=True, database=None)
    strategy = from_regex(pattern, fullmatch=True, alphabet=characters(codec="ascii"))
    return find(strategy, lambda made: made.isprintable() and made.strip(), settings=quick)


def merged(parts):
    if all(isinstance(part, dict) for part in parts):
        return {name: value for part in parts for name, value in part.items()}
    return next(part for part in parts if not isinstance(part, dict) or part)
