"""What entries can match of a tool."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from toolsearch_hookspecs import Tool

from ._groups import NAMES
from ._names import folded


@attrs.frozen
class Traits:
    """A tool as entries see it, folded.

    `names` are its name and aliases, `ids` the same as ids. `told` are the labels that hold
    beyond doubt (owner, plugin); `restricting` adds what counts against the tool and `admitting`
    what counts for it: annotations, groups and the built-in names of groups. What an untrusted
    tool says of itself never counts for it, and what it denies of itself is not believed.
    """

    tool: Tool
    names: tuple[str, ...]
    ids: tuple[str, ...]
    restricting: frozenset[str]
    admitting: frozenset[str]


def traits(tool: Tool) -> Traits:
    names = tuple(dict.fromkeys(map(folded, (tool.name, *tool.aliases))))
    owner = folded(f"{tool.source}:{tool.owner}")
    sure = frozenset((owner, f"plugin:{folded(tool.plugin)}", *_kind(tool)))
    said = frozenset((*_groups(tool, names), *_hints(tool)))
    return Traits(
        tool=tool,
        names=names,
        ids=tuple(f"{owner}:{name}" for name in names),
        restricting=sure | said,
        admitting=sure | said if tool.trusted else sure,
    )


def _kind(tool: Tool) -> Iterator[str]:
    """`group:openclaw`, `group:plugins`, `group:mcp` and `group:client`: where tools come from."""
    yield "group:plugins" if tool.source == "plugin" else f"group:{tool.source}"


def _groups(tool: Tool, names: tuple[str, ...]) -> Iterator[str]:
    for group in tool.groups:
        yield f"group:{folded(group)}"
    for name in names:
        for group in NAMES.get(name, ()):
            yield f"group:{group}"


def _hints(tool: Tool) -> Iterator[str]:
    """The hints of a tool. MCP's defaults hold for what is not said: destructive, open world."""
    said = tool.annotations
    if said.read_only is True:
        yield "hint:readonly"
    if not tool.trusted or (said.read_only is not True and said.destructive is not False):
        yield "hint:destructive"
    if not tool.trusted or said.open_world is not False:
        yield "hint:openworld"
