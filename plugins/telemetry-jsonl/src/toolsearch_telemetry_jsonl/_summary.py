"""What a log says of each run: the questions of a session log, answered from its events alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import attrs

from ._reading import Logged

Origin = Literal["host", "MCP", "client"]

ORIGINS: dict[str, Origin] = {
    "openclaw": "host",
    "plugin": "host",
    "mcp": "MCP",
    "client": "client",
}


@attrs.define
class RunSummary:
    """One run: what the model saw up front (counts and bytes), what it did, and the final call."""

    run: str
    session: str | None = None
    agent: str | None = None
    began: str = ""
    mode: str = ""
    visible_tools: int = 0
    surface_bytes: int = 0
    prompt_bytes: int = 0
    direct_bytes: int = 0
    catalog_size: int = 0
    searches: int = 0
    describes: int = 0
    code_runs: int = 0
    calls: int = 0
    reads: int = 0
    denials: int = 0
    approvals: int = 0
    errors: int = 0
    chosen: list[str] = attrs.field(factory=list)
    final_tool: str | None = None
    final_from: Origin | None = None
    final_ok: bool | None = None
    ms: float | None = None

    @property
    def sent_bytes(self) -> int:
        return self.surface_bytes + self.prompt_bytes

    @property
    def idle(self) -> bool:
        """Whether it searched and called nothing, as the runs of `toolsearch doctor`."""
        did = (self.searches, self.describes, self.code_runs, self.calls, self.approvals)
        return not any((*did, self.denials, self.errors))

    def take(self, event: Logged) -> None:
        data = event.data
        self.began = self.began or event.at
        self.session = self.session or event.session
        self.agent = self.agent or event.agent
        match event.type:
            case "run.planned":
                self._planned(data)
            case "search":
                self.searches += 1
            case "describe":
                self.describes += 1
            case "code.ended":
                self.code_runs += 1
            case "result.read":
                self.reads += 1
            case "approval.requested":
                self.approvals += 1
            case "call.ended":
                self._call_ended(data)
            case "run.ended":
                self.ms = _number(data.get("ms"))

    def _planned(self, data: Any) -> None:
        self.mode = str(data.get("mode", ""))
        self.visible_tools = _count(data.get("visibleTools"))
        self.surface_bytes = _count(data.get("surfaceBytes"))
        self.prompt_bytes = _count(data.get("promptBytes"))
        self.direct_bytes = _count(data.get("directBytes"))
        self.catalog_size = _count(data.get("catalogSize"))

    def _call_ended(self, data: Any) -> None:
        match data:
            case {"ok": True}:
                pass
            case {"code": "blocked"}:
                self.denials += 1
            case _:
                self.errors += 1
        match data:
            case {"executed": True, "tool": str(tool), "source": str(source)}:
                self.calls += 1
                if tool not in self.chosen:
                    self.chosen.append(tool)
                self.final_tool, self.final_from = tool, ORIGINS.get(source)
                self.final_ok = data.get("ok") is True


def summaries(events: Iterable[Logged]) -> list[RunSummary]:
    """One summary a run, in the order in which the runs began."""
    runs: dict[str, RunSummary] = {}
    for event in events:
        if event.run is not None:
            runs.setdefault(event.run, RunSummary(event.run)).take(event)
    return list(runs.values())


@attrs.frozen
class Totals:
    """The sums over many runs; `by_origin` counts executed calls, `by_mode` holds bytes."""

    runs: int
    searches: int
    describes: int
    calls: int
    denials: int
    approvals: int
    errors: int
    sent_bytes: int
    direct_bytes: int
    by_origin: dict[str, int]
    by_mode: dict[str, tuple[int, int]]


def totals(runs: list[RunSummary], events: Iterable[Logged]) -> Totals:
    by_origin: dict[str, int] = {}
    for event in events:
        match event:
            case Logged(type="call.ended", data={"executed": True, "source": str(source)}):
                origin = ORIGINS.get(source, source)
                by_origin[origin] = by_origin.get(origin, 0) + 1
    by_mode: dict[str, tuple[int, int]] = {}
    for run in runs:
        if run.mode:
            sent, direct = by_mode.get(run.mode, (0, 0))
            by_mode[run.mode] = (sent + run.sent_bytes, direct + run.direct_bytes)
    return Totals(
        runs=len(runs),
        searches=sum(run.searches for run in runs),
        describes=sum(run.describes for run in runs),
        calls=sum(run.calls for run in runs),
        denials=sum(run.denials for run in runs),
        approvals=sum(run.approvals for run in runs),
        errors=sum(run.errors for run in runs),
        sent_bytes=sum(run.sent_bytes for run in runs),
        direct_bytes=sum(run.direct_bytes for run in runs),
        by_origin=dict(sorted(by_origin.items())),
        by_mode=dict(sorted(by_mode.items())),
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
