"""The three structured control tools: what the model is told of them, and their answers (S5)."""

from __future__ import annotations

from collections.abc import Mapping

from toolsearch_hookspecs import ToolDefinition, ToolSearchSettings

from ..catalog import Catalog
from ..text import clean

SEARCH, DESCRIBE, CALL, CODE = "tool_search", "tool_describe", "tool_call", "tool_search_code"
CONTROL_NAMES = frozenset({SEARCH, DESCRIBE, CALL, CODE})
OWNERS_NAMED = 12


def definitions(catalog: Catalog, settings: ToolSearchSettings) -> Mapping[str, ToolDefinition]:
    """The definitions by name; the same catalog gives the same bytes."""
    return {
        SEARCH: _search_definition(catalog, settings),
        DESCRIBE: _describe_definition(),
        CALL: _call_definition(),
    }


def kinds_of_tools(catalog: Catalog) -> str:
    """Which owners there are, by what the deployment calls them, never by a server's text."""
    by_size = sorted(catalog.owners.items(), key=lambda item: (-item[1], item[0]))
    named = [clean(owner) for (_, owner), _ in by_size[:OWNERS_NAMED]]
    if not named:
        return "No tools are behind it in this run."
    more = len(by_size) - len(named)
    rest = f" and {more} more" if more else ""
    return f"Tools come from: {', '.join(sorted(named))}{rest}."


def _search_definition(catalog: Catalog, settings: ToolSearchSettings) -> ToolDefinition:
    limit = {
        "type": "integer",
        "minimum": 1,
        "maximum": settings.max_search_limit,
        "description": f"Hits wanted; {settings.default_limit} unless given.",
    }
    query = {
        "type": "string",
        "description": "A few words for ONE capability. Also: select:id_or_name,…  +required_word "
        " source:mcp  owner:name  hint:readOnly",
    }
    return ToolDefinition(
        name=SEARCH,
        description="Find tools by what they do. Search for one capability at a time; for several, "
        "give several short queries in `queries`. A hit has the tool's id and the signature of its "
        f"input. {kinds_of_tools(catalog)}",
        input_schema={
            "type": "object",
            "properties": {
                "query": query,
                "limit": limit,
                "queries": {
                    "type": "array",
                    "description": "Several searches at once, answered in order.",
                    "items": {
                        "type": "object",
                        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
                        "required": ["query"],
                        "additionalProperties": False,
                    },
                },
            },
            "additionalProperties": False,
        },
    )


def _describe_definition() -> ToolDefinition:
    return ToolDefinition(
        name=DESCRIBE,
        description="Get the exact input schema of one tool, by the id of a hit. Needed only where "
        "the signature of the hit does not say enough.",
        input_schema={
            "type": "object",
            "properties": {"id": {"type": "string", "description": "The id of a hit."}},
            "required": ["id"],
            "additionalProperties": False,
        },
    )


def _call_definition() -> ToolDefinition:
    return ToolDefinition(
        name=CALL,
        description="Call one tool by the id of a hit, with arguments that fit its input.",
        input_schema={
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "The id of a hit."},
                "args": {"type": "object", "description": "The tool's own arguments."},
            },
            "required": ["id"],
        },
    )


def is_control(name: str) -> bool:
    return name.casefold() in CONTROL_NAMES
