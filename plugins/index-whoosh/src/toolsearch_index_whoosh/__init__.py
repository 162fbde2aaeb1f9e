"""The plugin `index-whoosh`: ranks tools for a query, in any language, on a Whoosh index."""

from __future__ import annotations

from collections.abc import Iterable

from toolsearch_hookspecs import PluginContext, SearchIndex, SettingsSpec, hookimpl

from ._settings import IndexSettings

__all__ = ["IndexSettings", "plugin"]


class plugin:  # noqa: N801 - the entry point names an object called `plugin`
    """Yields the index `index-whoosh`."""

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=IndexSettings)

    @hookimpl
    def toolsearch_search_indexes(self, plugin: PluginContext) -> Iterable[SearchIndex]:
        from ._index import WhooshIndex

        return [WhooshIndex(plugin.settings or IndexSettings(), plugin.state_dir)]
