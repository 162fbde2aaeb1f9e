"""What entries can match of a tool."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import attrs

from toolsearch_hookspecs import Tool, ToolAnnotations

from ._groups import NAMES
from ._names import folded

NO_GROUPS: tuple[str, ...] = ()


@attrs.frozen
class Labels:
    """What a tool shares with others: `mcp:github`, `plugin:source-mcp`, `group:fs`, `hint:…`.

    `restricting` are the labels that count for deny and ask, `admitting` those that count for
    allow. What an untrusted tool says of itself (annotations, groups, a name of a built-in group)
    never counts for it, and what it denies of itself is not believed.
    """

    restricting: frozenset[str]
    admitting: frozenset[str]


@attrs.frozen
class Traits:
    """A tool as entries see it, folded: owner, names and aliases, the same as ids, and labels."""

    tool: Tool
    owner: str
    names: tuple[str, ...]
    ids: tuple[str, ...]
    labels: Labels


def traits(tool: Tool) -> Traits:
    if tool.aliases:
        names = tuple(dict.fromkeys(map(folded, (tool.name, *tool.aliases))))
    else:
        names = (folded(tool.name),)
    owner = _owner(tool.source, tool.owner)
    said = tool.annotations
    labels = _labels(
        (owner, tool.source, tool.plugin, tool.trusted),
        (said.read_only, said.destructive, said.open_world),
        (tool.groups, tuple(NAMES.get(name, NO_GROUPS) for name in names)),
    )
    return Traits(tool, owner, names, tuple(f"{owner}:{name}" for name in names), labels)


@lru_cache(maxsize=4096)
def _owner(source: str, owner: str) -> str:
    return folded(f"{source}:{owner}")


@lru_cache(maxsize=16_384)
def _labels(
    origin: tuple[str, str, str, bool],
    hints: tuple[bool | None, bool | None, bool | None],
    groups: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]],
) -> Labels:
    """Most tools have the labels of many others: these are made once, and are one object."""
    owner, source, plugin, trusted = origin
    told, by_name = groups
    kind = "group:plugins" if source == "plugin" else f"group:{source}"
    sure = frozenset((owner, f"plugin:{folded(plugin)}", kind))
    mentioned = (*map(folded, told), *(group for named in by_name for group in named))
    annotations = ToolAnnotations(read_only=hints[0], destructive=hints[1], open_world=hints[2])
    said = frozenset((*(f"group:{group}" for group in mentioned), *_hints(annotations, trusted)))
    return Labels(restricting=sure | said, admitting=sure | said if trusted else sure)


def _hints(said: ToolAnnotations, trusted: bool) -> Iterator[str]:
    """The hints of a tool. MCP's defaults hold for what is not said: destructive, open world."""
    if said.read_only is True:
        yield "hint:readonly"
    if not trusted or (said.read_only is not True and said.destructive is not False):
        yield "hint:destructive"
    if not trusted or said.open_world is not False:
        yield "hint:openworld"
