"""The root of a schema as one plain object, where alternatives stood there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

_TAKEN_APART = frozenset({"allOf", "anyOf", "oneOf"})
_REFUSED = frozenset({"enum", "not", "const"})  # refused at the root, with those taken apart
DEEPEST = 16


@frozen
class ObjectRoot:
    """A root without alternatives.

    `merged` are the keywords that were taken apart or left out; `choices` the sets of properties
    of which one was required.
    """

    schema: Mapping[str, Any]
    merged: tuple[str, ...] = ()
    choices: tuple[tuple[str, ...], ...] = ()


def object_root(schema: Any) -> ObjectRoot | None:
    """The root as one object; None where the schema takes no object.

    It needs what every alternative needs, and each property is described as by the alternatives
    that have it: some arguments that only another alternative takes are not shown as possible.
    """
    return _object(schema, 0)


def _object(schema: Any, depth: int) -> ObjectRoot | None:
    if not isinstance(schema, Mapping) or depth > DEEPEST or not _takes_objects(schema):
        return None
    apart = tuple(key for key in schema if key in _TAKEN_APART or key in _REFUSED)
    if not apart and schema.get("type") == "object":
        return ObjectRoot(schema)
    kept = {key: value for key, value in schema.items() if key not in apart}
    if apart:
        kept.pop("unevaluatedProperties", None)
    properties: dict[str, list[Any]] = {name: [part] for name, part in _properties(schema).items()}
    required = dict.fromkeys(_names(schema.get("required")))
    choices: tuple[tuple[str, ...], ...] = ()
    for key in apart:
        if key in _REFUSED:
            continue
        parts = [_object(branch, depth + 1) for branch in _branches(schema[key])]
        branches = [part.schema for part in parts if part is not None]
        both = "allOf" if key == "allOf" else "anyOf"
        _gather(properties, branches, both)
        asked = [tuple(_names(branch.get("required"))) for branch in branches]
        if key == "allOf":
            required |= dict.fromkeys(name for names in asked for name in names)
            choices = choices or next((part.choices for part in parts if part and part.choices), ())
        elif asked:
            common = set(asked[0]).intersection(*asked[1:])
            required |= dict.fromkeys(name for name in asked[0] if name in common)
            if all(set(names) - common for names in asked):
                choices = tuple(
                    dict.fromkeys(tuple(n for n in names if n not in common) for names in asked)
                )
    kept |= {"type": "object", "properties": {n: _one(found) for n, found in properties.items()}}
    kept.pop("required", None)
    if required:
        kept["required"] = list(required)
    return ObjectRoot(kept, apart, choices if len(choices) > 1 else ())


def _gather(
    properties: dict[str, list[Any]], branches: Sequence[Mapping[str, Any]], both: str
) -> None:
    """Take the properties of branches in; one that several describe is in any (or all) of them."""
    found: dict[str, list[Any]] = {}
    for branch in branches:
        for name, part in _properties(branch).items():
            if part not in found.setdefault(name, []):
                found[name].append(part)
    for name, parts in found.items():
        part = parts[0] if len(parts) == 1 else {both: parts}
        known = properties.setdefault(name, [])
        if part not in known:
            known.append(part)


def _one(parts: Sequence[Any]) -> Any:
    """What several keywords at the root say of one property holds together."""
    return parts[0] if len(parts) == 1 else {"allOf": list(parts)}


def _takes_objects(schema: Mapping[str, Any]) -> bool:
    match schema.get("type"):
        case None | "object":
            return True
        case [*kinds]:
            return "object" in kinds
        case _:
            return False


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _branches(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _names(required: Any) -> list[str]:
    listed = required if isinstance(required, list | tuple) else ()
    return [name for name in listed if isinstance(name, str)]
