"""The plugin `gateway-openai`: `toolsearch gateway`, `ask` and `qa`."""

from __future__ import annotations

from collections.abc import Iterable

from toolsearch_hookspecs import (
    ApprovalDecision,
    ApprovalRequest,
    Command,
    Event,
    PluginContext,
    SettingsSpec,
    hookimpl,
)

from ._settings import AppKey, GatewaySettings, UpstreamSettings
from ._watch import Watch

__all__ = ["AppKey", "GatewayOpenai", "GatewaySettings", "UpstreamSettings", "plugin"]


class GatewayOpenai:
    """The commands, and the hooks through which they ask for approvals and see events."""

    def __init__(self) -> None:
        self._watch = Watch()

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=GatewaySettings)

    @hookimpl
    def toolsearch_commands(self, plugin: PluginContext) -> Iterable[Command]:
        from ._ask import ask_command
        from ._command import gateway_command
        from .qa import qa_command

        yield gateway_command(plugin, self._watch)
        yield ask_command(plugin, self._watch)
        yield qa_command()

    @hookimpl
    async def toolsearch_approve(self, request: ApprovalRequest) -> ApprovalDecision | None:
        decide = self._watch.decide
        return None if decide is None else await decide(request)

    @hookimpl
    def toolsearch_event(self, event: Event) -> None:
        see = self._watch.see
        if see is not None:
            see(event)


plugin = GatewayOpenai
