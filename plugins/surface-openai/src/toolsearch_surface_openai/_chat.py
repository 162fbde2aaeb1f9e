"""Chat completions: `tools`, `tool_calls`, and messages of the role `tool`."""

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

MAX_TOOLS = 128
MAX_DESCRIPTION = 1_024


class ChatSurface(Surface):
    """`POST /chat/completions`, as OpenAI and the many that speak the same have it."""

    name = "openai-chat"
    provider = "openai"
    limits = SurfaceLimits(max_tools=MAX_TOOLS, max_description=MAX_DESCRIPTION)

    def render(self, surface: ModelSurface) -> RenderedSurface:
        return RenderedSurface(tools=[_tool(t) for t in surface.tools], prompt=surface.prompt)

    def joined(self, chunks: Sequence[Any]) -> Any:
        """Deltas of the first choice; a call's id and name come once, its arguments in pieces.

        Some that speak this form give every call the same index, or none: another id is another
        call.
        """
        text: list[str] = []
        refusal: list[str] = []
        calls: list[dict[str, Any]] = []
        open_: dict[int, dict[str, Any]] = {}
        for chunk in map(plain, chunks):
            delta = _delta(chunk)
            text.append(delta.get("content") or "")
            refusal.append(delta.get("refusal") or "")
            for place, piece in enumerate(delta.get("tool_calls") or ()):
                index = piece.get("index", place)
                if _begins(open_.get(index), piece):
                    open_[index] = _no_call()
                    calls.append(open_[index])
                _add(open_[index], piece)
        message: dict[str, Any] = {"role": "assistant", "content": "".join(text) or None}
        if any(refusal):
            message["refusal"] = "".join(refusal)
        if calls:
            message["tool_calls"] = calls
        return message

    def calls(self, message: Any, rendered: RenderedSurface) -> Sequence[ModelCall]:
        return [
            ModelCall(
                id=call.get("id") or "",
                name=call["function"]["name"],
                arguments=call["function"].get("arguments") or {},
            )
            for call in _message(message).get("tool_calls") or ()
            if call.get("type", "function") == "function"
        ]

    def history(self, message: Any) -> Sequence[Any]:
        said = _message(message)
        kept = {key: said[key] for key in ("refusal", "tool_calls") if said.get(key)}
        return [{"role": "assistant", "content": said.get("content"), **kept}]

    def results(
        self, results: Sequence[tuple[ModelCall, ToolResult]], rendered: RenderedSurface
    ) -> Sequence[Any]:
        """There is no flag for errors in this form: the text says so."""
        return [
            {"role": "tool", "tool_call_id": call.id, "content": result.text}
            for call, result in results
        ]


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool.name}
    if tool.description:
        function["description"] = tool.description
    return {"type": "function", "function": function | {"parameters": tool.input_schema}}


def _message(given: Any) -> Mapping[str, Any]:
    """The assistant's message of a whole answer, or the message itself.

    Raises ValueError for what is neither.
    """
    match plain(given):
        case {"choices": [{"message": Mapping() as message}, *_]}:
            return message
        case Mapping() as message if message.get("role") == "assistant":
            return message
        case _:
            said = "this is no chat completion and no message of the role assistant"
            raise ValueError(said)


def _delta(chunk: Mapping[str, Any]) -> Mapping[str, Any]:
    for choice in chunk.get("choices") or ():
        if choice.get("index", 0) == 0:
            delta: Mapping[str, Any] = choice.get("delta") or {}
            return delta
    return {}


def _begins(call: Mapping[str, Any] | None, piece: Mapping[str, Any]) -> bool:
    """Whether a piece is the first of its call."""
    return call is None or bool(piece.get("id") and call["id"] and piece["id"] != call["id"])


def _no_call() -> dict[str, Any]:
    return {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}


def _add(call: dict[str, Any], piece: Mapping[str, Any]) -> None:
    function = piece.get("function") or {}
    call["id"] = call["id"] or piece.get("id") or ""
    call["function"]["name"] = call["function"]["name"] or function.get("name") or ""
    call["function"]["arguments"] += function.get("arguments") or ""
