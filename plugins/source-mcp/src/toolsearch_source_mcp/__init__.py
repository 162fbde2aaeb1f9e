"""The plugin `source-mcp`: the tools of MCP servers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolsearch_hookspecs import (
    Command,
    ConfigError,
    PluginContext,
    SettingsSpec,
    ToolSource,
    hookimpl,
)

from ._eras import EraMemory
from ._identity import owner_name
from ._settings import McpSettings, ServerSettings

__all__ = ["McpSettings", "ServerSettings", "SourceMcp", "plugin"]

CLAIMED = "mcpServers"


class SourceMcp:
    """One tool source for each server of `mcpServers` that is not disabled."""

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=McpSettings, claims={CLAIMED: dict[str, ServerSettings]})

    @hookimpl
    def toolsearch_commands(self, plugin: PluginContext) -> Iterable[Command]:
        from ._import import import_command

        yield import_command(plugin)

    @hookimpl
    def toolsearch_tool_sources(self, plugin: PluginContext) -> Iterable[ToolSource]:
        from ._sdk import load
        from ._source import McpSource, Surroundings

        servers: Mapping[str, ServerSettings] = plugin.claimed.get(CLAIMED, {})
        if used := [settings for settings in servers.values() if settings.on]:
            load(http=any(settings.url is not None for settings in used))
        around = Surroundings(
            environ=plugin.environ,
            base_dir=plugin.base_dir,
            state_dir=plugin.state_dir,
            eras=EraMemory(plugin.state_dir),
            bounds=plugin.settings or McpSettings(),
            limits=plugin.limits,
        )
        owners: dict[str, str] = {}
        for alias, settings in servers.items():
            owner = owner_name(alias)
            if owner in owners:
                raise ConfigError(
                    f"{CLAIMED}: {owners[owner]!r} and {alias!r} both become {owner!r}; rename one"
                )
            owners[owner] = alias
            if settings.on:
                yield McpSource(owner, settings, around)


plugin = SourceMcp
