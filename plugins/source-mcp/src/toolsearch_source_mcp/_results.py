"""From what a call gave to a JSON value or a failure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from toolsearch_hookspecs import CallFailure, ErrorCode, ToolResult
from toolsearch_hookspecs.text import clean, one_line

MAX_ERROR_CHARACTERS = 4_000


def tool_result(
    raw: Mapping[str, Any], *, tool: str, whole: bool = False, parsed_bytes: int = 5_242_880
) -> ToolResult:
    """The value of a raw `tools/call` result.

    Structured content is preferred. Otherwise the content: one block is its value, several are a
    list; text that is a JSON object or array is parsed (up to `parsed_bytes`). Images, audio and files become short
    stand-ins, unless `whole` asks for the content as it is (a direct-only tool). A tool's own
    failure (`isError`) is an error result with the tool's words.
    """
    content = _blocks(raw.get("content"))
    if raw.get("resultType") not in {None, "complete"}:
        return _failed(tool, _unfinished(raw))
    if raw.get("isError") is True:
        return _failed(tool, _words(content), raw.get("structuredContent"))
    if whole:
        return ToolResult(value={"content": content})
    if raw.get("structuredContent") is not None:
        return ToolResult(value=raw["structuredContent"], note=_unshown(content))
    values = [_value(block, parsed_bytes) for block in content]
    match values:
        case [only]:
            return ToolResult(value=only)
        case []:
            return ToolResult(value=None)
    return ToolResult(value=values)


def _failed(tool: str, message: str, value: Any = None) -> ToolResult:
    failure = CallFailure(code=ErrorCode.TOOL_ERROR, message=message, tool=tool, executed=True)
    return ToolResult(value=value, error=failure)


def _unfinished(raw: Mapping[str, Any]) -> str:
    if raw.get("resultType") == "input_required":
        return "the tool asks for input that nobody here can give; give it in the arguments"
    return "the tool's server answered with something other than a result"


def _words(content: list[Any]) -> str:
    texts = [block["text"] for block in content if isinstance(block.get("text"), str)]
    return bounded("\n".join(texts), MAX_ERROR_CHARACTERS).strip() or "the tool failed"


def bounded(text: str, limit: int) -> str:
    """A stranger's text of several lines, cleaned; a cut is said."""
    text = clean(text)
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit} characters more)"


def _blocks(content: Any) -> list[dict[str, Any]]:
    """The content as blocks: none where it is missing, other JSON as one of text."""
    match content:
        case None:
            return []
        case list():
            return [item if isinstance(item, dict) else _text_block(item) for item in content]
        case dict():
            return [content]
    return [_text_block(content)]


def _text_block(value: Any) -> dict[str, Any]:
    return {"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}


def _value(block: Mapping[str, Any], parsed_bytes: int) -> Any:
    match block:
        case {"type": "text", "text": str(text)}:
            return _parsed(text) if len(text) <= parsed_bytes else text
        case {"type": "image" | "audio" as kind, "data": str(data)}:
            return _stand_in(kind, block, data)
        case {"type": "resource", "resource": {"text": str(text)} as resource}:
            return {"type": "resource", **_named(resource), "text": text}
        case {"type": "resource", "resource": {"blob": str(data)} as resource}:
            return _stand_in("resource", resource, data)
        case {"type": "resource_link"}:
            return {"type": "resource_link", **_named(block)}
    return dict(block)


def _parsed(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text


def _stand_in(kind: str, block: Mapping[str, Any], data: str) -> dict[str, Any]:
    return {"type": kind, **_named(block), "bytes": len(data) * 3 // 4, "omitted": True}


def _named(block: Mapping[str, Any]) -> dict[str, str]:
    """What may be said of a resource: never its contents, and nothing is fetched."""
    keys = ("uri", "name", "title", "mimeType")
    return {key: one_line(block[key], 2_000) for key in keys if isinstance(block.get(key), str)}


def _unshown(content: list[dict[str, Any]]) -> str | None:
    kinds = [str(block.get("type")) for block in content if block.get("type") != "text"]
    if not kinds:
        return None
    return f"beside this the tool gave {len(kinds)} part(s) not shown here: {', '.join(kinds[:8])}"
