"""OpenAI's forms of tools, calls and results: chat completions, and Responses."""

from __future__ import annotations

from collections.abc import Iterable

from toolsearch_hookspecs import PluginContext, Surface, hookimpl

from ._chat import ChatSurface
from ._responses import ResponsesSurface

__all__ = ["ChatSurface", "ResponsesSurface", "plugin"]


class Plugin:
    """Yields both surfaces."""

    @hookimpl
    def toolsearch_surfaces(self, plugin: PluginContext) -> Iterable[Surface]:
        return (ChatSurface(), ResponsesSurface())


plugin = Plugin
