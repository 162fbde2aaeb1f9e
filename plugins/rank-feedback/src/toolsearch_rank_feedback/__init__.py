"""The plugin `rank-feedback`: ranks by what was called after like requests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolsearch_hookspecs import (
    Event,
    EventType,
    PluginContext,
    RankedTool,
    RunContext,
    SettingsSpec,
    hookimpl,
)

from ._settings import FeedbackSettings

if TYPE_CHECKING:
    from ._experience import Experience

__all__ = ["FeedbackSettings", "plugin"]


class plugin:  # noqa: N801 - the entry point names an object called `plugin`
    """Notes which hit of a search was called with success, and ranks later searches by it."""

    def __init__(self) -> None:
        self._experience: Experience | None = None

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=FeedbackSettings)

    @hookimpl
    def toolsearch_configure(self, plugin: PluginContext) -> None:
        from ._experience import Experience

        self._experience = Experience(plugin.settings or FeedbackSettings(), plugin.state_dir)

    @hookimpl
    async def toolsearch_rank(
        self, run: RunContext, query: str, hits: Sequence[RankedTool]
    ) -> Sequence[RankedTool] | None:
        if self._experience is None or not hits:
            return None
        return await asyncio.to_thread(self._experience.ranked, run, query, list(hits))

    @hookimpl
    def toolsearch_event(self, event: Event) -> None:
        if self._experience is None or event.run is None:
            return
        match event.type:
            case EventType.CALL_ENDED if event.data.get("ok") and "tool" in event.data:
                self._experience.succeeded(event.run, str(event.data["tool"]))
            case EventType.RUN_ENDED:
                self._experience.ended(event.run)

    @hookimpl
    async def toolsearch_shutdown(self) -> None:
        if self._experience is not None:
            await asyncio.to_thread(self._experience.close)
