"""The instruments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._values import Attributes, number, text
from ._words import MCP_CALL, MCP_DURATION, MCP_METHOD, OURS, TOOL_DURATION

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram, Meter

SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
BYTES = tuple(1024 * 4**power for power in range(9))
TOOLS = (1, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000)


class Metrics:
    """Durations by the conventions; sizes and counts in our own namespace."""

    def __init__(self, meter: Meter) -> None:
        def histogram(name: str, unit: str, what: str, edges: tuple[float, ...]) -> Histogram:
            return meter.create_histogram(
                name, unit, what, explicit_bucket_boundaries_advisory=edges
            )

        self._tool = histogram(TOOL_DURATION, "s", "How long tools were executed", SECONDS)
        self._mcp = histogram(MCP_DURATION, "s", "How long MCP servers took for a call", SECONDS)
        self._sizes = {
            key: histogram(f"{OURS}.{name}", "By", what, BYTES)
            for key, name, what in (
                ("surfaceBytes", "surface.size", "Tool definitions that a run's model was given"),
                ("promptBytes", "prompt.size", "What was added to the prompt"),
                ("directBytes", "direct.size", "What all tools would have cost directly"),
            )
        }
        self._catalog = histogram(
            f"{OURS}.catalog.size", "{tool}", "Tools that runs may use", TOOLS
        )
        self._searches = meter.create_counter(f"{OURS}.searches", "{search}", "Searches")
        self._denials = meter.create_counter(f"{OURS}.denials", "{call}", "Calls that were blocked")
        self._approvals = meter.create_counter(
            f"{OURS}.approvals", "{approval}", "Approvals that were answered"
        )

    def planned(self, data: Mapping[str, Any]) -> None:
        about: Attributes = {f"{OURS}.mode": text(data.get("mode"), "unknown")}
        for key, sizes in self._sizes.items():
            sizes.record(number(data.get(key)), about)
        self._catalog.record(number(data.get("catalogSize")), about)

    def executed(self, seconds: float, about: Attributes, *, mcp: bool) -> None:
        self._tool.record(seconds, about)
        if mcp:
            self._mcp.record(seconds, {**about, MCP_METHOD: MCP_CALL})

    def searched(self, about: Attributes) -> None:
        self._searches.add(1, about)

    def denied(self, about: Attributes) -> None:
        self._denials.add(1, about)

    def approved(self, data: Mapping[str, Any]) -> None:
        decision = text(data.get("decision"), "unknown")
        self._approvals.add(1, {f"{OURS}.approval.decision": decision})
