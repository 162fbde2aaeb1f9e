"""The surface of a run as MCP tools, with annotations that let a client ask a person sensibly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import attrs

from toolsearch_hookspecs import ModelSurface, Tool, ToolAnnotations, ToolDefinition

if TYPE_CHECKING:
    import mcp_types as types

Effect = Literal["read", "write", "destructive"]

SEARCH, DESCRIBE, CALL, CODE = "tool_search", "tool_describe", "tool_call", "tool_search_code"
SPLIT: Mapping[str, Effect] = {
    "tool_call_read": "read",
    "tool_call_write": "write",
    "tool_call_destructive": "destructive",
}
"""The names under which `tool_call` is shown when calls are split by effect."""

_SAID: Mapping[Effect, str] = {
    "read": "Only for tools that read and change nothing.",
    "write": "Only for tools that change things without destroying any, or that read.",
    "destructive": "For any tool, also those that may destroy or replace things.",
}
_HINTS: Mapping[Effect, ToolAnnotations] = {
    "read": ToolAnnotations(read_only=True, open_world=True),
    "write": ToolAnnotations(read_only=False, destructive=False, open_world=True),
    "destructive": ToolAnnotations(read_only=False, destructive=True, open_world=True),
}
_LOOKS = ToolAnnotations(read_only=True, idempotent=True, open_world=False)


def effect_of(tool: Tool) -> Effect:
    """What a tool may do, by what it says: an untrusted one is taken at its word for nothing."""
    said = tool.annotations
    if not tool.trusted:
        return "destructive"
    if said.read_only:
        return "read"
    return "write" if said.destructive is False else "destructive"


def covers(shown: Effect, effect: Effect) -> bool:
    """Whether a call tool shown for one effect may call a tool of the other."""
    order: Sequence[Effect] = ("read", "write", "destructive")
    return order.index(effect) <= order.index(shown)


def told_annotations(tool: Tool) -> ToolAnnotations:
    """What a client is told of a visible tool: of an untrusted one only what makes it careful."""
    if tool.trusted:
        return tool.annotations
    return ToolAnnotations(
        read_only=False,
        destructive=tool.annotations.destructive,
        open_world=tool.annotations.open_world,
    )


@attrs.frozen
class Showing:
    """Turns a surface into the tools of `tools/list`: the same surface gives the same list."""

    split: bool
    visible: Mapping[str, Tool]

    def tools(self, surface: ModelSurface) -> list[types.Tool]:
        listed: list[types.Tool] = []
        for definition in surface.tools:
            if definition.name == CALL and self.split:
                listed += self._calls(definition)
            else:
                listed.append(self._tool(definition, surface.prompt))
        return listed

    def _calls(self, definition: ToolDefinition) -> Iterator[types.Tool]:
        for name, effect in SPLIT.items():
            description = f"{definition.description}\n\n{_SAID[effect]}"
            yield _tool(name, description, definition.input_schema, _HINTS[effect])

    def _tool(self, definition: ToolDefinition, prompt: str | None) -> types.Tool:
        description = definition.description
        match definition.name:
            case "tool_search":
                hints = _LOOKS
                if prompt is not None:
                    # Not every client shows a server's instructions to its model.
                    description = f"{description}\n\n{prompt}"
            case "tool_describe":
                hints = _LOOKS
            case "tool_call" | "tool_search_code":
                hints = _HINTS["destructive"]
            case name:
                known = self.visible.get(name)
                hints = _HINTS["destructive"] if known is None else told_annotations(known)
        return _tool(definition.name, description, definition.input_schema, hints)


def _tool(
    name: str, description: str, schema: Mapping[str, Any], hints: ToolAnnotations
) -> types.Tool:
    import mcp_types as types

    return types.Tool(
        name=name,
        description=description,
        input_schema={"type": "object", **schema},
        annotations=types.ToolAnnotations.model_validate(
            hints.model_dump(by_alias=True, exclude_none=True)
        ),
    )
