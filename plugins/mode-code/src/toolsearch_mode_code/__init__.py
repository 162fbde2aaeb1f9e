"""Shows the model one tool, `tool_search_code`, and runs the JavaScript that it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolsearch_hookspecs import ModeRenderer, PluginContext, hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["plugin"]


class plugin:  # noqa: N801 -- the entry point's name
    """The plugin; one instance a host."""

    @hookimpl
    def toolsearch_mode_renderers(self, plugin: PluginContext) -> Iterable[ModeRenderer]:
        from ._mode import CodeMode

        yield CodeMode()
