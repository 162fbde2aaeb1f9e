"""The plugin `command-bench`: `toolsearch bench`, how well search finds the tools you have."""

from __future__ import annotations

from collections.abc import Iterable

from toolsearch_hookspecs import Command, PluginContext, hookimpl

__all__ = ["plugin"]


class plugin:  # noqa: N801 - the entry point names an object called `plugin`
    """Yields the command."""

    @hookimpl
    def toolsearch_commands(self, plugin: PluginContext) -> Iterable[Command]:
        from ._command import bench_command

        return [bench_command()]
