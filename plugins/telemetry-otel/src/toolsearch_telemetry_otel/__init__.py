"""OpenTelemetry spans and metrics of what runs do, by the GenAI and MCP conventions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolsearch_hookspecs import Event, PluginContext, SettingsSpec, hookimpl

from ._settings import OtelSettings

if TYPE_CHECKING:
    from ._export import Providers
    from ._telling import Telling

__all__ = ["OtelSettings", "plugin"]


class Plugin:
    """Turns events into spans and metrics, of the program's own providers or of one's own."""

    def __init__(self) -> None:
        self._providers: Providers | None = None
        self._telling: Telling | None = None

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=OtelSettings)

    @hookimpl
    def toolsearch_configure(self, plugin: PluginContext) -> None:
        from toolsearch_hookspecs.text import Redactor

        from ._export import Providers
        from ._telling import Telling

        settings = plugin.settings or OtelSettings()
        self._providers = Providers.of(settings)
        self._telling = Telling(
            tracer=self._providers.tracer(),
            meter=self._providers.meter(),
            redactor=Redactor.from_environ(plugin.environ) if settings.content else None,
        )

    @hookimpl
    def toolsearch_event(self, event: Event) -> None:
        if self._telling is not None:
            self._telling.tell(event)

    @hookimpl
    def toolsearch_shutdown(self) -> None:
        if self._telling is not None:
            self._telling.close()
        if self._providers is not None:
            self._providers.close()


plugin = Plugin
