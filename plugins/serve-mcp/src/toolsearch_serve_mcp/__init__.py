"""The plugin `serve-mcp`: `toolsearch serve`, the compact surface for any MCP client."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolsearch_hookspecs import (
    ApprovalDecision,
    ApprovalRequest,
    Command,
    Event,
    EventType,
    PluginContext,
    SettingsSpec,
    caller,
    hookimpl,
)

from ._settings import ServeSettings

if TYPE_CHECKING:
    from ._front import Front

__all__ = ["ServeMcp", "ServeSettings", "plugin"]


class ServeMcp:
    """The command, and the hooks through which it learns of changes and asks for approvals."""

    def __init__(self) -> None:
        self.front: Front | None = None

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=ServeSettings)

    @hookimpl
    def toolsearch_commands(self, plugin: PluginContext) -> Iterable[Command]:
        from ._command import serve_command

        yield serve_command(plugin, self.serve)

    @hookimpl
    async def toolsearch_approve(self, request: ApprovalRequest) -> ApprovalDecision | None:
        from ._far_end import FarEnd

        who = caller()
        return await who.approval(request) if isinstance(who, FarEnd) else None

    @hookimpl
    def toolsearch_event(self, event: Event) -> None:
        if self.front is not None and event.type is EventType.CATALOG_CHANGED:
            self.front.catalog_changed(event.run)

    def serve(self, front: Front | None) -> None:
        """Have the hooks serve this front from now on, or none."""
        self.front = front


plugin = ServeMcp
