"""Runs the code of `code` mode in single-use Deno children that can reach nothing but their tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolsearch_hookspecs import CodeRunner, PluginContext, SettingsSpec, hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._runner import DenoRunner

__all__ = ["plugin"]


class plugin:  # noqa: N801 -- the entry point's name
    """The plugin; one instance a host."""

    def __init__(self) -> None:
        self._runner: DenoRunner | None = None

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        from ._settings import RunnerSettings

        return SettingsSpec(model=RunnerSettings)

    @hookimpl
    def toolsearch_code_runners(self, plugin: PluginContext) -> Iterable[CodeRunner]:
        from ._runner import DenoRunner
        from ._settings import RunnerSettings

        settings = plugin.settings or RunnerSettings()
        self._runner = DenoRunner(settings, memory_mb=plugin.limits.child_memory_mb)
        yield self._runner

    @hookimpl
    async def toolsearch_shutdown(self) -> None:
        if self._runner is not None:
            await self._runner.aclose()
