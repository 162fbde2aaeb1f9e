"""A third party's plugin: the tables of a SQLite database as tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from toolsearch_hookspecs import PluginContext, Settings, SettingsSpec, ToolSource, hookimpl

__all__ = ["TablesSettings", "plugin"]


class TablesSettings(Settings):
    """`plugins.settings.sqlite-tables`.

    `path` is relative to the configuration file. `tables` are patterns; `maxRows` is what one call
    gives at most.
    """

    path: str
    owner: Annotated[str, Field(pattern=r"^[a-z0-9_.-]+$")] = "database"
    tables: tuple[str, ...] = ("*",)
    max_rows: Annotated[int, Field(ge=1, le=10_000)] = 100


class SqliteTables:
    """What the entry point names: one object for each host."""

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=TablesSettings)

    @hookimpl
    def toolsearch_tool_sources(self, plugin: PluginContext) -> Iterable[ToolSource]:
        from ._source import Tables

        yield Tables(plugin.base_dir / plugin.settings.path, plugin.settings)


plugin = SqliteTables
