"""The mode `directory`: three control tools, and a bounded directory in the prompt (S4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolsearch_hookspecs import (
    ModelSurface,
    ModeRenderer,
    PlannedCatalog,
    PluginContext,
    RunApi,
    Tool,
    ToolDefinition,
    ToolResult,
    hookimpl,
)
from toolsearch_hookspecs.text import clean

from ._directory import directory

SHOWN = ("tool_search", "tool_describe", "tool_call")


class Directory(ModeRenderer):
    """Shows the three control tools, the directory, and last the required and likely schemas."""

    name = "mode-directory"
    mode = "directory"
    controls = SHOWN
    needs_runner = False
    shows_client_tools = True
    shows_schemas = True

    def render(self, catalog: PlannedCatalog) -> ModelSurface:
        controls = tuple(catalog.controls[name] for name in SHOWN)
        last = {tool.id: tool for tool in (*catalog.required, *catalog.likely)}
        schemas = tuple(_definition(tool) for tool in last.values())
        prompt = directory(catalog.tools, catalog.context_chars) if catalog.tools else None
        return ModelSurface(tools=controls + schemas, prompt=prompt or None)

    async def handle(self, run: RunApi, name: str, arguments: Any, call_id: str) -> ToolResult:
        return await run.control(name, arguments, call_id=call_id)


def _definition(tool: Tool) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name, description=clean(tool.description), input_schema=tool.input_schema
    )


class Plugin:
    """Yields the renderer."""

    @hookimpl
    def toolsearch_mode_renderers(self, plugin: PluginContext) -> Iterable[ModeRenderer]:
        return (Directory(),)


plugin = Plugin
