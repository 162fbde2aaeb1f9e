"""The mode `tools`: the model sees the three structured control tools (S4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolsearch_hookspecs import (
    ModelSurface,
    ModeRenderer,
    PlannedCatalog,
    PluginContext,
    RunApi,
    ToolResult,
    hookimpl,
)

SHOWN = ("tool_search", "tool_describe", "tool_call")


class StructuredTools(ModeRenderer):
    """Shows `tool_search`, `tool_describe` and `tool_call`, as the host defines them."""

    name = "mode-tools"
    mode = "tools"
    controls = SHOWN
    needs_runner = False

    def render(self, catalog: PlannedCatalog) -> ModelSurface:
        return ModelSurface(tools=tuple(catalog.controls[name] for name in SHOWN))

    async def handle(self, run: RunApi, name: str, arguments: Any, call_id: str) -> ToolResult:
        return await run.control(name, arguments, call_id=call_id)


class Plugin:
    """Yields the renderer."""

    @hookimpl
    def toolsearch_mode_renderers(self, plugin: PluginContext) -> Iterable[ModeRenderer]:
        return (StructuredTools(),)


plugin = Plugin
