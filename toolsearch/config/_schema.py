"""The JSON Schema of the configuration, for editors: the host's keys and the loaded plugins'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError

from ._claims import claims_of
from ._models import HOST_SECTIONS, TOOL_SEARCH_LEVELS, TOOLS_KEYS

if TYPE_CHECKING:
    from ._resolve import Specs

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def config_schema(specs: Specs) -> Schema:
    """The schema of a whole configuration file, with what the loaded plugins declare."""
    definitions: Schema = {}
    tools = {key: _schema(type_, key, definitions) for key, type_ in TOOLS_KEYS.items()}
    top = {key: _schema(model, key, definitions) for key, model in HOST_SECTIONS.items()}
    tool_search = tools["toolSearch"]
    for path, claim in claims_of(specs).items():
        schema = _schema(claim.type, claim.key, definitions)
        schema.setdefault("description", f"read by the plugin {claim.plugin}")
        (tools if len(path) == 2 else top)[str(path[-1])] = schema
    for level in TOOL_SEARCH_LEVELS:
        top[level] = _with_tool_search(top.get(level), tool_search, definitions)
    _resolved(top["plugins"], definitions)["properties"]["settings"] = {
        "type": "object",
        "properties": {
            name: _schema(spec.model, f"settings.{name}", definitions)
            for name, spec in specs.items()
            if spec is not None and spec.model is not None
        },
    }
    return {
        "$schema": DIALECT,
        "title": "toolsearch configuration",
        "type": "object",
        "properties": {
            "$schema": {"type": "string"},
            "tools": {"type": "object", "properties": tools, "additionalProperties": False},
            **top,
        },
        "additionalProperties": False,
        "$defs": definitions,
    }


def _schema(type_: Any, prefix: str, definitions: Schema) -> Schema:
    """The schema of one type; its own definitions are added under the key's name."""
    try:
        schema = TypeAdapter[Any](type_).json_schema(
            by_alias=True, ref_template=f"#/$defs/{prefix}.{{model}}"
        )
    except (PydanticInvalidForJsonSchema, PydanticSchemaGenerationError):
        return {}
    for name, definition in schema.pop("$defs", {}).items():
        definitions[f"{prefix}.{name}"] = definition
    return schema


def _resolved(schema: Schema, definitions: Schema) -> Schema:
    reference = schema.get("$ref")
    return schema if reference is None else definitions[reference.removeprefix("#/$defs/")]


def _with_tool_search(level: Schema | None, tool_search: Schema, definitions: Schema) -> Schema:
    """`toolSearch` may stand in each entry of this level, beside what its plugin reads."""
    if level is None:
        level = {"type": "object", "additionalProperties": {"type": "object"}}
        level["additionalProperties"]["additionalProperties"] = False
    section = _resolved(level, definitions)
    entry = section.get("additionalProperties")
    if isinstance(entry, dict):
        resolved = _resolved(entry, definitions)
        resolved["properties"] = {**resolved.get("properties", {}), "toolSearch": tool_search}
    return level
