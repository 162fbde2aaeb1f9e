"""Why there is nothing to find or call, and what would change that: said to the operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..plugins import PluginState
from ..text import fold, one_line

if TYPE_CHECKING:
    from ..catalog import SourceDown
    from ..host import Host
    from ..runs import Run

SHOWN = 12
LONGEST = 80
SERVERS = "mcpServers"
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
    if run.state.down or any(each.level == "error" for each in host.diagnostics()):
        return None
    # Policy may keep from a run that a source is down; a person is told.
    down = await host.sources_down()
    return f"No source has any tools: {unavailable(down)}." if down else no_tools(host)


def unavailable(down: Sequence[SourceDown]) -> str:
    """Which sources are down, and why."""
    return "; ".join(f"{each.title} is unavailable ({each.detail or each.reason})" for each in down)


async def perhaps_down(host: Host, asked: str) -> str:
    """A sentence on the sources that may have a tool which no other has; empty where all are up.

    Where the tool is asked for by an id, only its own source may.
    """
    down = await host.sources_down()
    starts = {f"{each.provenance.kind}:{each.provenance.owner}:": each for each in down}
    own = [each for start, each in starts.items() if fold(asked).startswith(fold(start))]
    if asked.count(":") > 1 and not own:
        return ""
    said = unavailable(own or down)
    return f" {said[:1].upper()}{said[1:]}; it may be there." if said else ""


async def missing(host: Host, run: Run, asked: str) -> str:
    """What a person is told of a tool that an agent does not have, in place of the model's words."""
    word = one_line(asked, LONGEST)
    near = run.catalog.near.nearest(word, 3)
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    perhaps = "" if near and word.count(":") < 2 else await perhaps_down(host, word)
    return (
        f"there is no tool {word!r} for this agent.{meant}{perhaps} `toolsearch search` finds "
        "tools by what they do, `toolsearch policy explain` says whether policy hides one"
    )


def no_tools(host: Host) -> str:
    """What is said where no source has any tools, with the likeliest cure."""
    said = ["No source has any tools."]
    if host.config.path is None:
        said.append("There is no configuration file: `toolsearch config path` says where it goes.")
    if host.config.trusted:
        servers = any(claims.get(SERVERS) for claims in host.config.claimed.values())
        said.append(
            "None of the mcpServers has any: they have none of their own, or are disabled."
            if servers
            else "Add mcpServers, modules for source-python, or a plugin with a source."
        )
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
