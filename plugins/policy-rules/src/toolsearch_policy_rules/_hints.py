"""Why an entry for a hint names a tool that says otherwise of itself, or does not name it."""

from __future__ import annotations

from toolsearch_hookspecs import Tool, ToolAnnotations

from ._compiled import Verdict
from ._names import folded

SILENT = {
    "hint:destructive": "nothing says that it is harmless, which counts as destructive",
    "hint:openworld": "nothing says that it is closed to the world, which counts as open",
}


def why_hinted(tool: Tool, verdict: Verdict) -> str | None:
    """What a person has to know of hints to see why a verdict is what it is; else None."""
    if verdict.rule is not None:
        return _why(tool, folded(verdict.rule.tool), admits=verdict.word == "allow")
    allowed = [folded(rule.tool) for rule in verdict.layer.rules.allow or ()]
    return next(filter(None, (_why(tool, label, admits=True) for label in allowed)), None)


def _why(tool: Tool, label: str, *, admits: bool) -> str | None:
    if not label.startswith("hint:"):
        return None
    told = (_counting if admits else _harmless)(tool.annotations, label)
    if told is None:
        says_so = admits or _counting(tool.annotations, label) is not None
        return None if says_so else SILENT.get(label)
    if tool.trusted:
        return None
    if tool.source == "mcp":
        return (
            f"the server calls it {told}, but is not trusted: `trusted: true` at "
            f"mcpServers.{tool.owner} lets its hints count"
        )
    return f"its source calls it {told}, but is not trusted, so that this does not count"


def _counting(said: ToolAnnotations, label: str) -> str | None:
    """The hint that a label names, where a tool gives it of itself."""
    match label:
        case "hint:readonly":
            return "read-only" if said.read_only else None
        case "hint:destructive":
            return "destructive" if said.destructive else None
        case _:
            return "open to the world" if said.open_world else None


def _harmless(said: ToolAnnotations, label: str) -> str | None:
    """The hint by which a tool denies what a label names."""
    match label:
        case "hint:destructive" if said.read_only:
            return "read-only"
        case "hint:destructive" if said.destructive is False:
            return "not destructive"
        case "hint:openworld" if said.open_world is False:
            return "closed to the world"
        case _:
            return None
