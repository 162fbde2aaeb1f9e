"""A schema in one line, the way TypeScript writes a type."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define

from ..text import one_line
from ._refs import Document

if TYPE_CHECKING:
    from typing_extensions import TypeIs

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{0,63}")
_IDENTIFIER_LIKE = re.compile(r"[A-Za-z_$@][A-Za-z0-9_$@.-]{0,63}")
_DEPTHS = (3, 2, 1, 0)
_MOST_NODES = 400
_MOST_BRANCHES = 6
_DEEPEST = 32
_LONGEST_WORD = 40
_MORE = "…"


def signature(schema: Any, *, trusted: bool, limit: int = 240) -> str:
    """The schema as a type: `{ title: string; labels?: string[] }`, at most `limit` characters.

    Required fields come first, else the schema's own order holds. What does not fit is shown less
    deeply, then fewer fields with `…` for the rest. Of a schema that is not trusted only types
    and identifier-like names are shown; other names count as `…`. Never raises, follows local
    references only, and takes bounded time.
    """
    shown = ""
    for depth in _DEPTHS:
        shown = _Writer(Document(schema), trusted, _MOST_NODES).type(schema, depth)
        if len(shown) <= limit:
            return shown
    fields = _Writer(Document(schema), trusted, _MOST_NODES).fields(schema, 0)
    return _fitted(fields, limit) if fields else _first_fitting(limit, _kind_of(schema), _MORE)


def _fitted(fields: list[str], limit: int) -> str:
    shown = "{ "
    for each in fields:
        if len(shown) + len(each) + len("; … }") > limit:
            break
        shown += each + "; "
    return _first_fitting(limit, f"{shown}{_MORE} }}", _MORE)


def _first_fitting(limit: int, *lines: str) -> str:
    return next((line for line in lines if len(line) <= limit), "")


@define
class _Writer:
    """Writes one schema; `left` bounds the subschemas that are looked at."""

    document: Document
    trusted: bool
    left: int
    _open: tuple[int, ...] = ()

    def type(self, schema: Any, depth: int) -> str:
        self.left -= 1
        if self.left < 0 or len(self._open) > _DEEPEST or not isinstance(schema, Mapping):
            return "never" if schema is False else "unknown"
        if id(schema) in self._open:
            return _kind_of(schema)
        outer, self._open = self._open, (*self._open, id(schema))
        try:
            return self._type(schema, depth)
        finally:
            self._open = outer

    def _type(self, schema: Mapping[str, Any], depth: int) -> str:
        if isinstance(reference := schema.get("$ref"), str):
            return self.type(self._target(reference), depth)
        for keyword in ("anyOf", "oneOf"):
            if _is_list(branches := schema.get(keyword)) and branches and not _has_fields(schema):
                return self._union(branches, depth)
        if "const" in schema:
            return self._choices([schema["const"]])
        if _is_list(choices := schema.get("enum")):
            return self._choices(choices)
        kinds = schema.get("type")
        kinds = list(kinds) if _is_list(kinds) else [kinds]
        shown = [self._kind(kind, schema, depth) for kind in kinds]
        if schema.get("nullable") is True:
            shown.append("null")
        return " | ".join(dict.fromkeys(shown))

    def _kind(self, kind: Any, schema: Mapping[str, Any], depth: int) -> str:
        match kind:
            case "string" | "integer" | "number" | "boolean" | "null":
                return str(kind)
            case "array":
                return self._array(schema, depth)
            case "object":
                return self._object(schema, depth)
            case None if _has_fields(schema) or _is_list(schema.get("allOf")):
                return self._object(schema, depth)
            case None if "items" in schema or "prefixItems" in schema:
                return self._array(schema, depth)
            case _:
                return "unknown"

    def _union(self, branches: Any, depth: int) -> str:
        shown = [self.type(branch, depth) for branch in branches[:_MOST_BRANCHES]]
        if len(branches) > _MOST_BRANCHES:
            shown.append(_MORE)
        return " | ".join(dict.fromkeys(shown))

    def _choices(self, choices: Any) -> str:
        if not self.trusted:
            return " | ".join(dict.fromkeys(_type_name(each) for each in choices)) or "never"
        shown = [_literal(each) for each in choices[:_MOST_BRANCHES]]
        if len(choices) > _MOST_BRANCHES:
            shown.append(_MORE)
        return " | ".join(dict.fromkeys(shown)) or "never"

    def _array(self, schema: Mapping[str, Any], depth: int) -> str:
        items = schema.get("items", True)
        tuple_form = schema.get("prefixItems", items if _is_list(items) else None)
        if _is_list(tuple_form):
            shown = [self.type(each, depth) for each in tuple_form[:_MOST_BRANCHES]]
            more = [_MORE] if len(tuple_form) > _MOST_BRANCHES else []
            return f"[{', '.join(shown + more)}]"
        inner = self.type(items, depth)
        return f"({inner})[]" if " | " in inner else f"{inner}[]"

    def _object(self, schema: Mapping[str, Any], depth: int) -> str:
        if depth <= 0 and len(self._open) > 1:
            return "object"
        fields = self.fields(schema, depth - 1)
        if fields:
            return f"{{ {'; '.join(fields)} }}"
        extra = schema.get("additionalProperties")
        if isinstance(extra, Mapping) and extra:
            return f"{{ [key: string]: {self.type(extra, depth - 1)} }}"
        return "{}" if isinstance(schema.get("properties"), Mapping) else "object"

    def fields(self, schema: Any, depth: int) -> list[str]:
        """The fields of an object, those of its parts (`allOf`, `$ref`) included."""
        known: dict[str, Any] = {}
        needed: set[str] = set()
        for part in self._parts(schema):
            properties = part.get("properties")
            for name, inner in properties.items() if isinstance(properties, Mapping) else ():
                known.setdefault(name, inner)
            required = part.get("required")
            needed |= (
                {name for name in required if isinstance(name, str)}
                if _is_list(required)
                else set()
            )
        ordered = sorted(known.items(), key=lambda item: item[0] not in needed)
        shown: list[str] = []
        hidden = 0
        for name, inner in ordered:
            word = self._name(name)
            if word is None:
                hidden += 1
            elif self.left > 0:
                mark = "" if name in needed else "?"
                shown.append(f"{word}{mark}: {self.type(inner, depth)}")
            else:
                hidden += 1
        return [*shown, _MORE] if hidden else shown

    def _parts(self, schema: Any) -> Iterator[Mapping[str, Any]]:
        open_, seen = [schema], set()
        while open_ and self.left > 0:
            part = open_.pop()
            if not isinstance(part, Mapping) or id(part) in seen:
                continue
            seen.add(id(part))
            self.left -= 1
            yield part
            if isinstance(reference := part.get("$ref"), str):
                open_.append(self._target(reference))
            if _is_list(parts := part.get("allOf")):
                open_.extend(reversed(parts))

    def _name(self, name: Any) -> str | None:
        if not isinstance(name, str):
            return None
        if _IDENTIFIER.fullmatch(name):
            return name
        if self.trusted or _IDENTIFIER_LIKE.fullmatch(name):
            return json.dumps(one_line(name, _LONGEST_WORD), ensure_ascii=False)
        return None

    def _target(self, reference: str) -> Any:
        return self.document.find(reference)


def _is_list(value: Any) -> TypeIs[list[Any] | tuple[Any, ...]]:
    return isinstance(value, list | tuple)


def _has_fields(schema: Mapping[str, Any]) -> bool:
    return isinstance(schema.get("properties"), Mapping) and bool(schema["properties"])


def _kind_of(schema: Any) -> str:
    """What a schema is called where there is no room for it, as inside itself."""
    is_array = isinstance(schema, Mapping) and schema.get("type") == "array"
    return "unknown[]" if is_array else "object"


def _type_name(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list() | tuple():
            return "unknown[]"
        case _:
            return "object"


def _literal(value: Any) -> str:
    match value:
        case str():
            return json.dumps(one_line(value, _LONGEST_WORD), ensure_ascii=False)
        case None | bool() | int() | float():
            return json.dumps(value)[:_LONGEST_WORD]
        case _:
            return _type_name(value)
