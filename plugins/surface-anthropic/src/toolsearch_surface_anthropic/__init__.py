"""Anthropic's form of tools, calls and results: Messages."""

from __future__ import annotations

from collections.abc import Iterable

from toolsearch_hookspecs import PluginContext, Surface, hookimpl

from ._messages import MessagesSurface

__all__ = ["MessagesSurface", "plugin"]


class Plugin:
    """Yields the surface."""

    @hookimpl
    def toolsearch_surfaces(self, plugin: PluginContext) -> Iterable[Surface]:
        return (MessagesSurface(),)


plugin = Plugin
