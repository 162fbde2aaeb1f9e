"""Contents: function declarations, `functionCall` parts, and one content with all responses."""

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

from ._partial import add_piece
from ._plain import plain

MAX_TOOLS = 512
MAX_NAME = 64  # 128 by the newest documents, which not every endpoint follows
# The keywords that `parametersJsonSchema` is documented to take, but those for references.
KEYWORDS = frozenset(
    {"additionalProperties", "anyOf", "description", "enum", "format", "items", "maxItems"}
    | {"maximum", "minItems", "minimum", "oneOf", "prefixItems", "properties", "propertyOrdering"}
    | {"required", "title", "type"}
)
FORMATS = frozenset({"date", "date-time", "double", "float", "int32", "int64", "time"})


class GeminiSurface(Surface):
    """`generateContent` and `streamGenerateContent`."""

    name = "gemini"
    provider = "gemini"
    limits = SurfaceLimits(
        max_tools=MAX_TOOLS,
        max_name=MAX_NAME,
        parameter_chars="A-Za-z0-9_",
        keywords=KEYWORDS,
        formats=FORMATS,
    )

    def render(self, surface: ModelSurface) -> RenderedSurface:
        declared = [_declaration(tool) for tool in surface.tools]
        tools = [{"functionDeclarations": declared}] if declared else []
        return RenderedSurface(tools=tools, prompt=surface.prompt)

    def joined(self, chunks: Sequence[Any]) -> Any:
        """The parts of all chunks in one content; a call may come in pieces."""
        parts: list[dict[str, Any]] = []
        unfinished = False
        for chunk in chunks:
            for part in _parts(chunk, partial=True):
                call = part.get("functionCall")
                if call is None:
                    parts.append(dict(part))
                    continue
                if not unfinished:
                    parts.append({**part, "functionCall": {"args": {}}})
                _add(parts[-1]["functionCall"], call)
                unfinished = bool(call.get("willContinue"))
        return {"role": "model", "parts": parts}

    def calls(self, message: Any, rendered: RenderedSurface) -> Sequence[ModelCall]:
        return [
            ModelCall(
                id=call.get("id") or "",
                name=call.get("name") or "",
                arguments=call.get("args") or {},
            )
            for part in _parts(message)
            if (call := part.get("functionCall")) is not None
        ]

    def history(self, message: Any) -> Sequence[Any]:
        """The parts as they came, thought signatures included, so that the model may go on."""
        parts = _parts(message)
        return [{"role": "model", "parts": list(parts)}] if parts else []

    def results(
        self, results: Sequence[tuple[ModelCall, ToolResult]], rendered: RenderedSurface
    ) -> Sequence[Any]:
        return [{"role": "user", "parts": [_response(call, result) for call, result in results]}]


def _declaration(tool: ToolDefinition) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": tool.input_schema,
    }


def _parts(message: Any, *, partial: bool = False) -> Sequence[Mapping[str, Any]]:
    """The parts of an answer's first candidate, or of a content.

    A candidate may lack content (a call that could not be read, a filter), a chunk a candidate.
    Raises ValueError for what is no answer.
    """
    match plain(message):
        case {"candidates": [candidate, *_]}:
            return (candidate.get("content") or {}).get("parts") or ()
        case {"role": "model"} as content:
            return [plain(part) for part in content.get("parts") or ()]
        case {"parts": [*parts]}:
            return [plain(part) for part in parts]
        case Mapping() as answer if partial or "promptFeedback" in answer:
            return ()
        case _:
            said = "this is no answer of Gemini and no content of the role model"
            raise ValueError(said)


def _add(call: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Add a piece of a call, or a whole one."""
    for key in ("id", "name"):
        if piece.get(key):
            call.setdefault(key, piece[key])
    call["args"] |= piece.get("args") or {}
    for part in piece.get("partialArgs") or ():
        add_piece(call["args"], part)


def _response(call: ModelCall, result: ToolResult) -> dict[str, Any]:
    if result.error is None:
        response: dict[str, Any] = {"output": result.value}
    else:
        response = {"error": result.error.model_dump(mode="json", exclude_defaults=True)}
        if result.value is not None:
            response["output"] = result.value
    if result.note is not None:
        response["note"] = result.note
    answered = {"name": call.name, "response": response}
    return {"functionResponse": answered | ({"id": call.id} if call.id else {})}
