"""The plugin `index-semantic`: blends the likeness of meaning into any index."""

from __future__ import annotations

from collections.abc import Iterable

from toolsearch_hookspecs import PluginContext, SearchIndex, SettingsSpec, hookimpl

from ._settings import OnnxSettings, SemanticSettings

__all__ = ["OnnxSettings", "SemanticSettings", "plugin"]


class plugin:  # noqa: N801 - the entry point names an object called `plugin`
    """Yields the index `index-semantic`."""

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=SemanticSettings)

    @hookimpl
    def toolsearch_search_indexes(self, plugin: PluginContext) -> Iterable[SearchIndex]:
        from ._encoders import require
        from ._index import SemanticIndex
        from ._lexical import lexical_index

        settings = plugin.settings or SemanticSettings()
        require(settings, plugin.base_dir)
        lexical = lexical_index(settings, plugin)
        return [SemanticIndex(settings, plugin.base_dir, plugin.state_dir, lexical)]
