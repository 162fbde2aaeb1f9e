"""The events, from the schema of the session log."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from toolsearch_hookspecs import ConfigError

from ._types import type_of


def events() -> str:
    """Every type of event, from the schema of the session log."""
    sections = []
    for each in event_schema()["oneOf"]:
        data = each["properties"].get("data", {})
        needed = set(data.get("required", ()))
        rows = [
            f"| `{name}` | {type_of(kind)} | {'always' if name in needed else 'where it applies'} |"
            for name, kind in data.get("properties", {}).items()
        ]
        table = ["| data | type | there |", "|---|---|---|", *rows] if rows else []
        sections.append(f"## {each['title']}\n\n{each['description']}\n\n" + "\n".join(table))
    return "\n\n".join(sections)


def event_schema() -> dict[str, Any]:
    """The schema that the session log is published with."""
    try:
        folder = resources.files("toolsearch_telemetry_jsonl")
    except ModuleNotFoundError as missing:
        raise ConfigError("the events are described by toolsearch-telemetry-jsonl") from missing
    file = folder / "event.schema.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found
