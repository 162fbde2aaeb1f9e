"""The plugin `source-openapi`: the operations of OpenAPI 3 documents as tools."""

from __future__ import annotations

from collections.abc import Iterable

from toolsearch_hookspecs import PluginContext, SettingsSpec, ToolSource, hookimpl

__all__ = ["SourceOpenapi", "plugin"]


class SourceOpenapi:
    """One tool source for each configured document."""

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        from ._settings import OpenapiSettings

        return SettingsSpec(model=OpenapiSettings)

    @hookimpl
    def toolsearch_tool_sources(self, plugin: PluginContext) -> Iterable[ToolSource]:
        from ._settings import OpenapiSettings
        from ._source import OpenapiSource

        settings = plugin.settings or OpenapiSettings()
        for owner, document in settings.documents.items():
            yield OpenapiSource(owner, document, plugin.base_dir, plugin.environ)


plugin = SourceOpenapi
