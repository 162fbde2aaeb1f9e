"""Why there is nothing to find or call, and what would change that: said to the operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..plugins import PluginState

if TYPE_CHECKING:
    from ..host import Host
    from ..runs import Run

SHOWN = 12
OURS = "toolsearch-"
"""How our own distributions begin: those of them that have to be enabled bring no tools."""


async def why_empty(host: Host, run: Run) -> str | None:
    """Why this agent has no tools, with the likeliest cure; None where it has some, or where the
    failure that leaves it without is said elsewhere.
    """
    if run.catalog.tools:
        return None
    denied = len(await host.all_tools())
    if denied:
        return (
            f"Policy denies this agent all tools ({denied}): "
            "`toolsearch policy explain TOOL` says by what."
        )
    failed = run.state.down or any(each.level == "error" for each in host.diagnostics())
    return None if failed else no_tools(host)


def no_tools(host: Host) -> str:
    """What is said where no source has any tools, with the likeliest cure."""
    said = ["No source has any tools."]
    if host.config.path is None:
        said.append("There is no configuration file: `toolsearch config path` says where it goes.")
    if host.config.trusted:
        said.append("Add mcpServers, modules for source-python, or a plugin with a source.")
    else:
        said.append("The configuration was found and is not trusted: `toolsearch config trust`.")
    if idle := not_enabled(host):
        listed = ", ".join(idle[:SHOWN]) + (", …" if len(idle) > SHOWN else "")
        said.append(
            f"Installed, but not enabled: {listed} (name it in plugins.enabled, or with --enable)."
        )
    return " ".join(said)


def not_enabled(host: Host) -> list[str]:
    """The names of the installed plugins of third parties that nobody enabled."""
    return [
        planned.name
        for planned in host.plugins.plan.plugins
        if planned.state is PluginState.NOT_ENABLED
        and not planned.found.distribution.startswith(OURS)
    ]
