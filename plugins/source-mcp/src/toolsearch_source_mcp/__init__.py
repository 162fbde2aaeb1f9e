"""The plugin `source-mcp`: the tools of MCP servers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolsearch_hookspecs import (
    Command,
    PluginContext,
    SettingsSpec,
    ToolSource,
    hookimpl,
)

from ._eras import EraMemory
from ._identity import free_name, origin, owner_name
from ._refused import RefusedServer
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
        from ._source import McpSource
        from ._surroundings import Surroundings

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
        named = {alias: settings for alias, settings in servers.items() if settings.on}
        first: dict[str, str] = {}
        for alias, settings in named.items():
            owner = owner_name(alias)
            if first.setdefault(owner, alias) == alias:
                yield McpSource(owner, settings, around)
                continue
            where = plugin.places.get(f"{CLAIMED}.{alias}", CLAIMED)
            why = (
                f"{alias!r} ({where}) and {first[owner]!r} both become {owner!r}; {alias!r} is not "
                "started until one of the two has another name"
            )
            name = free_name(owner, {*map(owner_name, named), *first})
            first[name] = alias
            yield RefusedServer(name, origin(settings), why)


plugin = SourceMcp
