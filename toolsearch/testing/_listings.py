"""What a source lists, as the host takes it in."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from toolsearch.catalog import SourcePart, provenance_of, source_part
from toolsearch_hookspecs import SourceListing, ToolResult, ToolSource, ToolSpec

from ._samples import make_run


async def listed(source: ToolSource) -> SourceListing:
    await source.start(lambda: None)
    return await source.list_tools(make_run())


def source_part_of(source: ToolSource, listing: SourceListing) -> SourcePart:
    return source_part(provenance_of(source, "conformance"), listing)


async def taken_in(source: ToolSource) -> SourcePart:
    return source_part_of(source, await listed(source))


def fingerprint(source: ToolSource, listing: SourceListing) -> str:
    return source_part_of(source, listing).digest


def name_of(tool: ToolSpec | Mapping[str, Any]) -> str:
    return tool.name if isinstance(tool, ToolSpec) else str(tool.get("name"))


def faults_of(schema: Mapping[str, Any]) -> list[str]:
    """What a schema has that its draft of JSON Schema does not; at most five."""
    import jsonschema

    from toolsearch.schemas import Dialect, dialect_of

    draft = dialect_of(schema.get("$schema")) or Dialect.DRAFT_2020_12
    kind = getattr(jsonschema, draft)
    found = islice(kind(kind.META_SCHEMA).iter_errors(schema), 5)
    return [f"{error.json_path}: {error.message[:120]}" for error in found]


def is_error(value: Any) -> bool:
    return isinstance(value, ToolResult) and value.is_error
