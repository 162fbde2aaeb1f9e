"""Messages: `tools`, `tool_use` blocks, and one user message with all `tool_result` blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolsearch_hookspecs import (
    ModelCall,
    ModelSurface,
    RenderedSurface,
    Surface,
    SurfaceLimits,
    ToolDefinition,
    ToolResult,
)

from ._plain import plain
from ._stream import message_of

MAX_NAME = 128
MAX_PARAMETER = 64
MAX_TOOLS = 10_000  # those that are deferred included
NOT_FOUND = "No tool matched. Say what it does in other words."


class MessagesSurface(Surface):
    """`POST /v1/messages`.

    Where a run leaves searching to the provider, all tools are sent deferred, and our own search
    tool answers with references to those it found, which the provider then loads.
    """

    name = "anthropic"
    provider = "anthropic"
    limits = SurfaceLimits(
        max_tools=MAX_TOOLS,
        max_name=MAX_NAME,
        parameter_chars="A-Za-z0-9_.-",
        max_parameter=MAX_PARAMETER,
        searches=True,
    )

    def render(self, surface: ModelSurface) -> RenderedSurface:
        deferred = {tool.name: {**_tool(tool), "defer_loading": True} for tool in surface.deferred}
        first = [] if surface.search is None else [_tool(surface.search)]
        return RenderedSurface(
            tools=[*first, *(_tool(tool) for tool in surface.tools), *deferred.values()],
            prompt=surface.prompt,
            search=None if surface.search is None else surface.search.name,
            deferred=deferred,
        )

    def joined(self, chunks: Sequence[Any]) -> Any:
        return message_of(map(plain, chunks))

    def calls(self, message: Any, rendered: RenderedSurface) -> Sequence[ModelCall]:
        return [
            ModelCall(
                id=block.get("id") or "",
                name=block["name"],
                arguments=block.get("input") or {},
                search=rendered.search is not None and block["name"] == rendered.search,
            )
            for block in _content(message)
            if block.get("type") == "tool_use"
        ]

    def history(self, message: Any) -> Sequence[Any]:
        """The blocks as they came, thinking and its signature included, so that it may go on."""
        return [{"role": "assistant", "content": [_kept(block) for block in _content(message)]}]

    def results(
        self, results: Sequence[tuple[ModelCall, ToolResult]], rendered: RenderedSurface
    ) -> Sequence[Any]:
        return [{"role": "user", "content": [_result(call, result) for call, result in results]}]


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    drawn: dict[str, Any] = {"name": tool.name}
    if tool.description:
        drawn["description"] = tool.description
    return drawn | {"input_schema": tool.input_schema}


def _content(message: Any) -> Sequence[Mapping[str, Any]]:
    """The blocks of an assistant's message. Raises ValueError for what is none."""
    match plain(message):
        case {"role": "assistant", "content": str(text)}:
            return [{"type": "text", "text": text}]
        case {"role": "assistant", "content": [*blocks]}:
            return [plain(block) for block in blocks]
        case _:
            said = "this is no message of the role assistant"
            raise ValueError(said)


def _kept(block: Mapping[str, Any]) -> dict[str, Any]:
    """A block as a request takes it: a call whose input was no JSON object is given an empty one."""
    kept = {key: value for key, value in block.items() if key != "parsed_output"}
    if kept.get("type") == "tool_use" and not isinstance(kept.get("input"), Mapping):
        kept["input"] = {}
    return kept


def _result(call: ModelCall, result: ToolResult) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call.id}
    if result.is_error:
        return block | {"content": result.text, "is_error": True}
    if call.search and isinstance(result.value, list):
        found = [{"type": "tool_reference", "tool_name": name} for name in result.value]
        return block | {"content": found or [{"type": "text", "text": NOT_FOUND}]}
    return block | {"content": result.text}
