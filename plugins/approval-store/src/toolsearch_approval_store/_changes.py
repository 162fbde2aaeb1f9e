"""What has changed of a tool since a person approved it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

SHOWN = 200
"""How many characters of an old or new text are shown."""


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """One line a change, between two snapshots."""
    return [line for key in after for line in _changed(key, before.get(key), after[key])]


def _changed(key: str, before: Any, after: Any) -> Iterator[str]:
    if before == after:
        return
    match key, before, after:
        case ("input" | "output", dict(), dict()):
            yield from _fields(key, before, after)
        case ("annotations", dict(), dict()):
            for name in sorted(before.keys() | after.keys()):
                if before.get(name) != after.get(name):
                    yield f"{name}: was {_said(before.get(name))}, now {_said(after.get(name))}"
        case ("description", str(), str()):
            yield f"description: was {_window(before, after)}, now {_window(after, before)}"
        case _:
            yield f"{key}: was {_said(before)}, now {_said(after)}"


def _fields(key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    old, new = _properties(before), _properties(after)
    told = False
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            told = True
            yield f"{key} field {name}: new, {_said(new[name])}"
        elif name not in new:
            told = True
            yield f"{key} field {name}: gone"
        elif old[name] != new[name]:
            told = True
            yield f"{key} field {name}: was {_said(old[name])}, now {_said(new[name])}"
    if before.get("required") != after.get("required"):
        told = True
        yield f"{key} required: was {_said(before.get('required'))}, now {_said(after.get('required'))}"
    if not told:
        yield f"{key} schema: was {_said(before)}, now {_said(after)}"


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _said(value: Any) -> str:
    if value is None:
        return "not said"
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _window(text: str, other: str) -> str:
    """A long text from a little before the place where it differs from the other."""
    same = next(
        (place for place, pair in enumerate(zip(text, other, strict=False)) if pair[0] != pair[1]),
        min(len(text), len(other)),
    )
    start = max(same - 40, 0) if len(text) > SHOWN else 0
    return f"{'…' if start else ''}{_said(text[start:])}"
