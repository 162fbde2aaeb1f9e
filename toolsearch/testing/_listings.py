"""What a source lists, as the host takes it in."""

from __future__ import annotations

from collections.abc import Mapping
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


def is_error(value: Any) -> bool:
    return isinstance(value, ToolResult) and value.is_error
