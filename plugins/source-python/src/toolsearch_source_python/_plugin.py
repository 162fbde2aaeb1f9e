"""The plugin: one tool source for each configured module."""

from __future__ import annotations

from collections.abc import Iterable

from toolsearch_hookspecs import PluginContext, SettingsSpec, ToolSource, hookimpl


class PythonSourcePlugin:
    """`source-python`: functions of named modules as tools."""

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        from ._settings import PythonSettings

        return SettingsSpec(model=PythonSettings)

    @hookimpl
    def toolsearch_tool_sources(self, plugin: PluginContext) -> Iterable[ToolSource]:
        from ._module_source import ModuleSource
        from ._settings import PythonSettings
        from ._stubs import Stubs
        from ._worker_source import WorkerSource

        settings = plugin.settings or PythonSettings()
        stubs = Stubs()
        for module in settings.modules:
            if module.workers:
                yield WorkerSource(module, max_items=settings.max_items)
            else:
                yield ModuleSource(
                    module, stubs, threads=settings.threads, max_items=settings.max_items
                )
