"""The keys of a configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ._meanings import ENTRY, meaning_of
from ._types import type_of


def configuration() -> str:
    """Every key of the host and of the batteries, with its type, default and meaning."""
    schema = configuration_schema()
    sections = []
    for name, section in schema["properties"].items():
        if name != "$schema":
            rows = list(_keys(name, section, schema["$defs"]))
            described = _resolved(section, schema["$defs"]).get("description", "")
            said = meaning_of(name) or described
            table = ["| key | type | default | meaning |", "|---|---|---|---|", *rows]
            sections.append(f"## {name}\n\n{said}\n\n" + "\n".join(table))
    return "\n\n".join(sections)


def configuration_schema() -> dict[str, Any]:
    """The JSON Schema of the configuration with all batteries."""
    from toolsearch.config import config_schema
    from toolsearch.plugins import PluginHost, PluginSelection, discover, select

    host = PluginHost.load(select(discover(), PluginSelection()))
    return config_schema({plugin.name: plugin.settings_spec for plugin in host.loaded})


def _keys(path: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[str]:
    schema = _resolved(schema, definitions)
    properties = schema.get("properties", {})
    entry = schema.get("additionalProperties")
    if isinstance(entry, Mapping) and _resolved(entry, definitions).get("properties"):
        yield from _keys(f"{path}.{ENTRY}", entry, definitions)
    if not properties and not entry:
        yield _row(path, schema, schema)
    for key, value in properties.items():
        inner = _resolved(value, definitions)
        if inner.get("properties") and len(path.split(".")) < 5:
            yield from _keys(f"{path}.{key}", inner, definitions)
        else:
            yield _row(f"{path}.{key}", inner, value)


def _row(key: str, schema: Mapping[str, Any], written: Mapping[str, Any]) -> str:
    """One setting. What its own model says of it goes before what is said here."""
    meaning = written.get("description") or meaning_of(key) or schema.get("description", "")
    said = " ".join(meaning.replace("|", "\\|").split())
    return f"| `{key}` | {type_of(schema)} | {_shown(written)} | {said} |"


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    options = [each for each in schema.get("anyOf", ()) if "$ref" in each]
    if reference is None and len(options) == 1:
        reference = options[0]["$ref"]
    if reference is None:
        return schema
    found: Mapping[str, Any] = definitions[reference.removeprefix("#/$defs/")]
    return found


def _shown(schema: Mapping[str, Any]) -> str:
    return f"`{json.dumps(schema['default'])}`" if "default" in schema else ""
