"""The look at a schema before anything is compiled: bounds, references, dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from toolsearch_hookspecs import Limits

from ..text import one_line
from ._dialects import dialect_of
from ._refs import Document, applied, has_identity, references, subschemas

_NESTING = 4  # JSON containers that one level of schema may take


def scan(
    schema: Any, limits: Limits, *, root: Literal["object", "any"] = "object"
) -> tuple[str, ...]:
    """Why the schema cannot be used, as sentences; none if it can.

    Judged: JSON only, bytes (UTF-8, compact), depth and number of subschemas, references that
    leave the document or lead nowhere, dialects that are not known, and with `root="object"`
    whether it describes an object. Takes any depth and any size in bounded time, and fetches
    nothing. A keyword with a malformed value is no problem here: it is not applied, and the
    validator's `notes` say so.
    """
    if not isinstance(schema, Mapping):
        return ("the schema is not a JSON object",)
    if (size := _size_problem(schema, limits)) is not None:
        return (size,)
    if (shape := _depth_problem(schema, limits)) is not None:
        return (shape,)
    return tuple(dict.fromkeys([*_root(schema, root), *_parts(schema)]))


def _size_problem(schema: Mapping[str, Any], limits: Limits) -> str | None:
    """Whether the document is JSON of at most `max_schema_bytes`; counted without recursion."""
    deepest = limits.max_schema_depth * _NESTING
    left = limits.max_schema_bytes
    open_: list[tuple[Any, int]] = [(schema, 1)]
    while open_:
        value, depth = open_.pop()
        if depth > deepest:
            return f"the schema is nested deeper than {limits.max_schema_depth} levels"
        match value:
            case str():
                left -= len(value.encode(errors="replace")) + 2
            case None | bool() | float():
                left -= 4
            case int():
                left -= value.bit_length() // 4 + 1
            case Mapping():
                if not all(isinstance(key, str) for key in value):
                    return "the schema has a key that is not a string"
                left -= 2 + sum(len(key) + 4 for key in value)
                open_.extend((each, depth + 1) for each in value.values())
            case list() | tuple():
                left -= 2 + len(value)
                open_.extend((each, depth + 1) for each in value)
            case _:
                return f"the schema holds a {type(value).__name__}, which is not JSON"
        if left < 0:
            return f"the schema is larger than {limits.max_schema_bytes} bytes"
    return None


def _depth_problem(schema: Mapping[str, Any], limits: Limits) -> str | None:
    for count, (_, level) in enumerate(subschemas(schema), 1):
        if level > limits.max_schema_depth:
            return f"the schema is nested deeper than {limits.max_schema_depth} levels"
        if count > limits.max_subschemas:
            return f"the schema has more than {limits.max_subschemas} subschemas"
    return None


def _root(schema: Mapping[str, Any], root: str) -> Iterator[str]:
    kind = schema.get("type", "object")
    kinds = kind if isinstance(kind, list | tuple) else [kind]
    if root == "object" and "object" not in kinds:
        yield "the schema does not describe an object"


def _parts(schema: Mapping[str, Any]) -> Iterator[str]:
    """Dialects that are not known, and references that leave the document or lead nowhere."""
    document = Document(schema)
    refers = identified = False
    for node in applied(schema):
        if "$schema" in node and dialect_of(node["$schema"]) is None:
            yield f"the dialect {_shown(node['$schema'])} is not known and is not fetched"
        identified = identified or (node is not schema and has_identity(node))
        for reference in references(node):
            refers = True
            if not reference.startswith("#"):
                yield f"the reference {_shown(reference)} leaves the schema; none is fetched"
            elif not isinstance(document.find(reference), bool | Mapping):
                yield f"the reference {_shown(reference)} leads nowhere"
    if refers and identified:
        yield "the schema has references, and parts with an `$id`; use one document without"


def _shown(text: Any) -> str:
    return repr(one_line(text, 80)) if isinstance(text, str) else f"of type {type(text).__name__}"
