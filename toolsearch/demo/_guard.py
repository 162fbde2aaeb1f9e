"""The demo's own plugin: a hook that blocks, and one that sees each call end."""

from __future__ import annotations

import time

import attrs

from toolsearch_hookspecs import BeforeDecision, Deny, ToolCall, ToolResult, hookimpl

NAME = "demo-guard"


@attrs.frozen
class Span:
    """One real call: seconds on the monotonic clock."""

    tool: str
    source: str
    started: float
    ended: float


class Guard:
    """Blocks what would change something, or tells what identifies this machine."""

    def __init__(self) -> None:
        self._started: dict[str, float] = {}
        self._spans: dict[str, list[Span]] = {}

    @hookimpl(inline=True)
    def toolsearch_before_tool_call(self, call: ToolCall) -> BeforeDecision | None:
        if not call.tool.annotations.read_only:
            return Deny(reason=f"the demo only looks, and {call.tool.name} may change something")
        if call.tool.owner == "platform":
            return Deny(reason="what system this machine runs is nobody's business")
        self._started[call.id] = time.monotonic()
        return None

    @hookimpl(inline=True)
    def toolsearch_after_tool_call(self, call: ToolCall, result: ToolResult) -> None:
        started = self._started.pop(call.id, None)
        if started is not None:
            span = Span(call.tool.id, call.tool.source, started, time.monotonic())
            self._spans.setdefault(call.run.run_id, []).append(span)

    def spans(self, run: str) -> list[Span]:
        """The calls of a run that ended, in the order in which they started."""
        return sorted(self._spans.get(run, []), key=lambda span: span.started)
