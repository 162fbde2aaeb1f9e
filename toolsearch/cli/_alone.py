"""Which source a call needs: where a tool is named by its exact id, its own and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..host import Host

BY_THE_WHOLE_CATALOG = frozenset({"toolsearch_tool_policy", "toolsearch_catalog_built"})
"""Hooks that are shown all tools of a run, and may go by a tool's neighbours."""


def source_alone(asked: str, host: Host) -> tuple[str, str] | None:
    """Kind and owner of the source that is enough for a tool, by its id as it is written.

    None where another source could make a difference: what was asked is no id (a name is unique
    only among all), or a third party's plugin is shown the whole catalog. Our own judge each tool
    by itself.
    """
    match asked.split(":", 2):
        case ["openclaw" | "plugin" | "mcp" as kind, owner, name] if owner and name:
            pass
        case _:
            return None
    for plugin in host.plugins.loaded:
        if not plugin.battery and BY_THE_WHOLE_CATALOG & set(host.plugins.hooks_of(plugin.name)):
            return None
    return kind, owner
