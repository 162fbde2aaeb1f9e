"""Gemini's form of tools, calls and results: generateContent."""

from __future__ import annotations

from collections.abc import Iterable

from toolsearch_hookspecs import PluginContext, Surface, hookimpl

from ._content import GeminiSurface

__all__ = ["GeminiSurface", "plugin"]


class Plugin:
    """Yields the surface."""

    @hookimpl
    def toolsearch_surfaces(self, plugin: PluginContext) -> Iterable[Surface]:
        return (GeminiSurface(),)


plugin = Plugin
