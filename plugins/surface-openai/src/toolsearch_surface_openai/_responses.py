"""Responses: `function_call` items and their outputs, and tool search that the client executes."""

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

from ._chat import MAX_DESCRIPTION
from ._plain import plain

SEARCH = "tool_search"
ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


class ResponsesSurface(Surface):
    """`POST /responses`.

    `strict` is false throughout: unsaid, the provider tries to be strict, which changes what it
    takes of a schema.
    """

    name = "openai-responses"
    provider = "openai"
    limits = SurfaceLimits(max_description=MAX_DESCRIPTION, searches=True)

    def render(self, surface: ModelSurface) -> RenderedSurface:
        tools = [_tool(tool) for tool in surface.tools]
        if surface.search is not None:
            tools.insert(0, _search(surface.search))
        return RenderedSurface(
            tools=tools,
            prompt=surface.prompt,
            search=None if surface.search is None else SEARCH,
            deferred={t.name: {**_tool(t), "defer_loading": True} for t in surface.deferred},
        )

    def joined(self, chunks: Sequence[Any]) -> Any:
        """The response of the last event; where the stream broke off, the items that were done."""
        done: dict[int, Any] = {}
        for event in map(plain, chunks):
            match event:
                case {"type": str(kind), "response": Mapping() as response} if (
                    kind in ENDS and response.get("output")
                ):
                    return response
                case {"type": "response.output_item.done", "item": item}:
                    done[event.get("output_index", len(done))] = item
        return {"object": "response", "output": [done[index] for index in sorted(done)]}

    def calls(self, message: Any, rendered: RenderedSurface) -> Sequence[ModelCall]:
        return [call for item in _output(message) if (call := _call(item)) is not None]

    def history(self, message: Any) -> Sequence[Any]:
        """The items of the output, reasoning included, as the next request's input takes them."""
        return [{k: v for k, v in item.items() if k != "created_by"} for item in _output(message)]

    def results(
        self, results: Sequence[tuple[ModelCall, ToolResult]], rendered: RenderedSurface
    ) -> Sequence[Any]:
        return [_result(call, result, rendered) for call, result in results]


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    drawn: dict[str, Any] = {"type": "function", "name": tool.name}
    if tool.description:
        drawn["description"] = tool.description
    return drawn | {"parameters": tool.input_schema, "strict": False}


def _search(tool: ToolDefinition) -> dict[str, Any]:
    return {
        "type": SEARCH,
        "execution": "client",
        "description": tool.description,
        "parameters": tool.input_schema,
    }


def _output(message: Any) -> Sequence[Mapping[str, Any]]:
    """The items of a response. Raises ValueError for what is none."""
    match plain(message):
        case {"output": [*items]}:
            return [plain(item) for item in items]
        case _:
            said = "this is no response: it has no list of output items"
            raise ValueError(said)


def _call(item: Mapping[str, Any]) -> ModelCall | None:
    match item:
        case {"type": "function_call", "call_id": str(id_), "name": str(name)}:
            return ModelCall(id=id_, name=name, arguments=item.get("arguments") or {})
        case {"type": "tool_search_call", "execution": "client"}:
            return ModelCall(
                id=item.get("call_id") or "",
                name=SEARCH,
                arguments=item.get("arguments") or {},
                search=True,
            )
        case _:
            return None


def _result(call: ModelCall, result: ToolResult, rendered: RenderedSurface) -> dict[str, Any]:
    if not call.search:
        return {"type": "function_call_output", "call_id": call.id, "output": result.text}
    names = result.value if isinstance(result.value, list) else ()
    return {
        "type": "tool_search_output",
        "call_id": call.id or None,
        "execution": "client",
        "status": "incomplete" if result.is_error else "completed",
        "tools": [rendered.deferred[name] for name in names],
    }
