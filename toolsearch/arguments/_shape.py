"""What a schema says about the fields of an object, as far as it leaves no doubt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from ..schemas import Document

_MOST_PARTS = 500
_NUMBERS = frozenset({"integer", "number"})
_ALL = frozenset(["array", "boolean", "integer", "null", "number", "object", "string"])


@frozen
class Shape:
    """One place of a schema: the subschemas that hold there together.

    `fields` are the declared names, with their subschemas; `needed` the required ones. `closed`
    says that nothing invites other names: neither `additionalProperties` nor patterns, and some
    field (or an empty set of them) is declared.
    """

    document: Document
    fields: Mapping[str, tuple[Any, ...]]
    needed: frozenset[str]
    closed: bool

    @classmethod
    def of(cls, document: Document, *schemas: Any) -> Shape:
        fields: dict[str, tuple[Any, ...]] = {}
        needed: set[str] = set()
        declares = opens = False
        for part in _parts(document, schemas, branches=True):
            properties = part.get("properties")
            if isinstance(properties, Mapping):
                declares = True
                for name, schema in properties.items():
                    fields[name] = (*fields.get(name, ()), schema)
            opens = opens or part.get("additionalProperties", False) is not False
            opens = opens or bool(part.get("patternProperties"))
        for part in _parts(document, schemas, branches=False):
            required = part.get("required")
            if isinstance(required, list | tuple):
                needed |= {name for name in required if isinstance(name, str)}
        return cls(document, fields, frozenset(needed), declares and not opens)

    def inside(self, name: str) -> Shape:
        """The shape of a declared field."""
        return Shape.of(self.document, *self.fields.get(name, ()))


def kinds(document: Document, *schemas: Any) -> frozenset[str] | None:
    """The JSON types that a value may have here; None where the schema leaves that open.

    An integer is a number, so that `number` allows both.
    """
    allowed = _ALL
    said = False
    for schema in schemas:
        found = _kinds(document, schema, _MOST_PARTS)
        if found is not None:
            allowed, said = allowed & found, True
    return allowed if said else None


def _kinds(document: Document, schema: Any, left: int) -> frozenset[str] | None:
    if not isinstance(schema, Mapping) or left <= 0:
        return None
    if isinstance(reference := schema.get("$ref"), str):
        # What stands beside a reference counts only since 2019-09: it is left out of account.
        target = document.find(reference)
        return _kinds(document, target, left // 2)
    found: list[frozenset[str] | None] = [_typed(schema.get("type"))]
    if "const" in schema:
        found.append(_of_values([schema["const"]]))
    if isinstance(choices := schema.get("enum"), list | tuple):
        found.append(_of_values(choices))
    for keyword in ("anyOf", "oneOf"):
        if isinstance(branches := schema.get(keyword), list | tuple) and branches:
            each = [_kinds(document, one, left // (len(branches) + 1)) for one in branches]
            found.append(None if None in each else frozenset().union(*filter(None, each)))
    if isinstance(parts := schema.get("allOf"), list | tuple):
        found.extend(_kinds(document, one, left // (len(parts) + 1)) for one in parts)
    sure = [one for one in found if one is not None]
    return _ALL.intersection(*sure) if sure else None


def items(document: Document, *schemas: Any) -> tuple[Any, ...]:
    """The subschemas of every item of an array, where they are the same for all."""
    found = []
    for part in _parts(document, schemas, branches=True):
        if "prefixItems" in part or isinstance(part.get("items"), list | tuple):
            return ()
        if "items" in part:
            found.append(part["items"])
    return tuple(found)


def choices(document: Document, *schemas: Any) -> list[Any] | None:
    """The values of an `enum` or `const` here, or None."""
    for part in _parts(document, schemas, branches=False):
        if isinstance(found := part.get("enum"), list | tuple):
            return list(found)
        if "const" in part:
            return [part["const"]]
    return None


def _parts(
    document: Document, schemas: tuple[Any, ...], *, branches: bool
) -> Iterator[Mapping[str, Any]]:
    """The subschemas that hold in the same place; with `branches` those that may hold, too.

    Of a choice (`anyOf`, `oneOf`) whose branches are null and one other, the other holds.
    """
    open_: list[Any] = list(reversed(schemas))
    seen: set[int] = set()
    while open_ and len(seen) < _MOST_PARTS:
        part = open_.pop()
        if not isinstance(part, Mapping) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        if isinstance(reference := part.get("$ref"), str):
            open_.append(document.find(reference))
        if isinstance(parts := part.get("allOf"), list | tuple):
            open_.extend(reversed(parts))
        for keyword in ("anyOf", "oneOf") if branches else ():
            if isinstance(parts := part.get(keyword), list | tuple):
                open_.extend(reversed(parts))


def _typed(kind: Any) -> frozenset[str] | None:
    named = kind if isinstance(kind, list | tuple) else [kind]
    if not named or not all(isinstance(each, str) and each in _ALL for each in named):
        return None
    found = frozenset(named)
    return found | _NUMBERS if "number" in found else found


def _of_values(values: Any) -> frozenset[str]:
    return frozenset().union(*map(kinds_of_value, values))


def kinds_of_value(value: Any) -> frozenset[str]:
    """The JSON types that a value has: one, or for a whole number two."""
    match value:
        case None:
            return frozenset({"null"})
        case bool():
            return frozenset({"boolean"})
        case int():
            return _NUMBERS
        case float():
            return _NUMBERS if value.is_integer() else frozenset({"number"})
        case str():
            return frozenset({"string"})
        case list():
            return frozenset({"array"})
        case _:
            return frozenset({"object"})
