"""The one tool that the model is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolsearch_hookspecs import PlannedCatalog, SourceKind, ToolDefinition

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "tool_search_code"

_TEACHING = """\
Find and call tools with JavaScript: the body of an async function.

const hits = await openclaw.tools.search("create a GitHub issue");
const tool = await openclaw.tools.describe(hits[0].id);
return await openclaw.tools.call(tool.id, { title: "Crash on startup", body: "Steps to reproduce" });

search(query, {limit}) gives [{id, name, description, input}], best first: use several short queries, \
one capability each. describe(id) adds the exact input schema. call(id, args) gives {tool, result}. \
A failed call throws, with code and message. Independent calls: Promise.all. Return only what is \
needed. Plain JavaScript; console.log, warn and error; no import, require, fetch, files or timers."""

_KINDS: dict[SourceKind, str] = {
    "openclaw": "the host's own",
    "plugin": "plugins",
    "mcp": "servers",
    "client": "the calling app's",
}
_SCHEMA = {
    "type": "object",
    "properties": {"code": {"type": "string", "description": "The body of the function."}},
    "required": ["code"],
    "additionalProperties": False,
}
_MOST_NAMES = 90  # characters for one kind


def definition(catalog: PlannedCatalog) -> ToolDefinition:
    """The definition for this catalog: of bounded size, and the same for the same tools.

    Owners are names that the deployment gave; nothing that a server or a client wrote is shown.
    """
    owners: dict[SourceKind, set[str]] = {}
    for tool in catalog.tools:
        owners.setdefault(tool.source, set()).add(tool.owner)
    kinds = "; ".join(
        _kind(kind, label, sorted(owners[kind])) for kind, label in _KINDS.items() if kind in owners
    )
    description = f"{_TEACHING}\n\nTools here: {kinds}." if kinds else _TEACHING
    return ToolDefinition(name=NAME, description=description, input_schema=_SCHEMA)


def _kind(kind: SourceKind, label: str, owners: Sequence[str]) -> str:
    if kind == "client":
        return label
    room = _MOST_NAMES
    shown: list[str] = []
    for owner in owners:
        room -= len(owner) + 2
        if room < 0:
            break
        shown.append(owner)
    if not shown:
        return label
    left = len(owners) - len(shown)
    more = f" and {left} more" if left else ""
    return f"{label} ({', '.join(shown)}{more})"
