"""The plugin `index-fts5`: ranks tools with SQLite's full-text search."""

from __future__ import annotations

from collections.abc import Iterable

from toolsearch_hookspecs import PluginContext, SearchIndex, SettingsSpec, hookimpl

from ._settings import Fts5Settings

__all__ = ["Fts5Settings", "plugin"]


class plugin:  # noqa: N801 - the entry point names an object called `plugin`
    """Yields the index `index-fts5`."""

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=Fts5Settings)

    @hookimpl
    def toolsearch_search_indexes(self, plugin: PluginContext) -> Iterable[SearchIndex]:
        from ._index import Fts5Index

        return [Fts5Index(plugin.settings or Fts5Settings(), plugin.state_dir)]
