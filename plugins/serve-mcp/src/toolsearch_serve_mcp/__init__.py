"""The plugin `serve-mcp`: `toolsearch serve`, the compact surface for any MCP client."""

from __future__ import annotations

from collections.abc import Iterable

from toolsearch_hookspecs import (
    ApprovalDecision,
    ApprovalRequest,
    Command,
    PluginContext,
    SettingsSpec,
    caller,
    hookimpl,
)

from ._settings import ServeSettings

__all__ = ["ServeMcp", "ServeSettings", "plugin"]


class ServeMcp:
    """The command, and the hook through which clients are asked for approvals."""

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=ServeSettings)

    @hookimpl
    def toolsearch_commands(self, plugin: PluginContext) -> Iterable[Command]:
        from ._command import serve_command

        yield serve_command(plugin)

    @hookimpl
    async def toolsearch_approve(self, request: ApprovalRequest) -> ApprovalDecision | None:
        from ._far_end import FarEnd

        who = caller()
        return await who.approval(request) if isinstance(who, FarEnd) else None


plugin = ServeMcp
