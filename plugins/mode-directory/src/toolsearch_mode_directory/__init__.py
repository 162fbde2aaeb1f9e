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

KEPT = 16
SHOWN = ("tool_search", "tool_describe", "tool_call")


class Directory(ModeRenderer):
    """Shows the three control tools, the directory, and last the required and likely schemas."""

    name = "mode-directory"
    mode = "directory"
    controls = SHOWN
    needs_runner = False
    shows_client_tools = True
    shows_schemas = True

    def __init__(self) -> None:
        self._drawn: dict[tuple[str, int | None], str] = {}

    def render(self, catalog: PlannedCatalog) -> ModelSurface:
        controls = tuple(catalog.controls[name] for name in SHOWN)
        last = {tool.id: tool for tool in (*catalog.required, *catalog.likely)}
        schemas = tuple(_definition(tool) for tool in last.values())
        return ModelSurface(tools=controls + schemas, prompt=self._directory(catalog) or None)

    async def handle(self, run: RunApi, name: str, arguments: Any, call_id: str) -> ToolResult:
        return await run.control(name, arguments, call_id=call_id)

    def _directory(self, catalog: PlannedCatalog) -> str:
        """The directory; the last few are kept, since repeated plans ask for them."""
        if not catalog.tools:
            return ""
        key = (catalog.fingerprint or "", catalog.context_chars)
        known = self._drawn.get(key)
        if known is None:
            known = directory(catalog.tools, catalog.context_chars)
            if catalog.fingerprint is not None:
                while len(self._drawn) >= KEPT:
                    del self._drawn[next(iter(self._drawn))]
                self._drawn[key] = known
        return known


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
