"""One executed tool, ours or the model's, as the conventions have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolsearch_hookspecs import Event
from toolsearch_hookspecs.text import Redactor

from ._values import Attributes, content, number, ours, text
from ._words import (
    ERROR,
    EXECUTE_TOOL,
    MCP_CALL,
    MCP_METHOD,
    OPERATION,
    OURS,
    TOOL_ARGUMENTS,
    TOOL_CALL_ID,
    TOOL_NAME,
    TOOL_RESULT,
    TOOL_TYPE,
)

UNKNOWN = "unknown"


@dataclass(frozen=True)
class ToolSpan:
    """A span to be, and what is measured of it. `error` is the low-cardinality class of failure."""

    tool: str
    call: str
    seconds: float
    attributes: Attributes
    error: str | None = None
    mcp: bool = False
    measured_type: str = "function"

    @property
    def name(self) -> str:
        return f"{EXECUTE_TOOL} {self.tool}"

    @property
    def measured(self) -> Attributes:
        about: Attributes = {
            OPERATION: EXECUTE_TOOL,
            TOOL_NAME: self.tool,
            TOOL_TYPE: self.measured_type,
        }
        return about if self.error is None else about | {ERROR: self.error}


def of_call(event: Event, redactor: Redactor | None) -> ToolSpan:
    """A final call. One of an MCP server has the attributes of the MCP convention as well, instead
    of a second span.
    """
    data = event.data
    mcp = data.get("source") == "mcp"
    kind = "extension" if mcp else "function"
    about = _common(data, _name(data), kind) | ours("call", data, "call", "ms", "ok", "code")
    if mcp:
        about[MCP_METHOD] = MCP_CALL
    if redactor is not None:
        for key, name in (("arguments", TOOL_ARGUMENTS), ("result", TOOL_RESULT)):
            if event.content.get(key) is not None:
                about[name] = content(redactor, event.content[key])
    error = None if data.get("ok", True) is True else text(data.get("code"), UNKNOWN)
    return _span(data, _name(data), about, error=error, mcp=mcp, kind=kind)


def of_search(event: Event, redactor: Redactor | None) -> ToolSpan:
    about = _common(event.data, "tool_search") | ours("search", event.data, "call", "ms")
    if redactor is not None and event.content.get("query") is not None:
        about[f"{OURS}.search.query"] = content(redactor, event.content["query"])
    return _span(event.data, "tool_search", about)


def of_describe(event: Event) -> ToolSpan:
    about = _common(event.data, "tool_describe") | ours("describe", event.data, "call", "ms", "ok")
    error = None if event.data.get("ok", True) is True else "unknown_tool"
    return _span(event.data, "tool_describe", about, error=error)


def of_read(event: Event, redactor: Redactor | None) -> ToolSpan:
    """A piece of a result that had been cut."""
    data = event.data
    about = _common(data, "read_result") | ours("read", data, "call", "ms", "ok", "code")
    if redactor is not None and event.content.get("result") is not None:
        about[TOOL_RESULT] = content(redactor, event.content["result"])
    error = None if data.get("ok", True) is True else text(data.get("code"), UNKNOWN)
    return _span(data, "read_result", about, error=error)


def of_code(event: Event, redactor: Redactor | None) -> ToolSpan:
    about = _common(event.data, "tool_search_code") | ours("code", event.data, "call", "ms", "ok")
    if redactor is not None and event.content.get("code") is not None:
        about[f"{OURS}.code.body"] = content(redactor, event.content["code"])
    outcome = text(event.data.get("outcome"), UNKNOWN)
    error = None if outcome == "ok" else outcome
    return _span(event.data, "tool_search_code", about, error=error)


def _common(data: Mapping[str, Any], tool: str, kind: str = "function") -> Attributes:
    about: Attributes = {OPERATION: EXECUTE_TOOL, TOOL_NAME: tool, TOOL_TYPE: kind}
    call = text(data.get("call"))
    return about | {TOOL_CALL_ID: call} if call else about


def _span(
    data: Mapping[str, Any],
    tool: str,
    attributes: Attributes,
    *,
    error: str | None = None,
    mcp: bool = False,
    kind: str = "function",
) -> ToolSpan:
    call = data.get("call")
    return ToolSpan(
        tool=tool,
        call=call if isinstance(call, str) else "",
        seconds=number(data.get("ms")) / 1000,
        attributes=attributes,
        error=error,
        mcp=mcp,
        measured_type=kind,
    )


def _name(data: Mapping[str, Any]) -> str:
    """The tool's own name, of its id `source:owner:name`."""
    return text(str(data.get("tool") or "").split(":", 2)[-1], UNKNOWN)
