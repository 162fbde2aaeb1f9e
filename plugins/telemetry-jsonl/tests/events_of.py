"""Events, and a plugin that logs them into a folder of the test."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from toolsearch_hookspecs import Event, EventType, LogSettings, PluginContext
from toolsearch_telemetry_jsonl import plugin

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)

CALL = {"call": "c1", "via": "tool_call"}
ISSUE = {"tool": "mcp:github:create_issue", "source": "mcp", "owner": "github"}
MEAN = {"tool": "plugin:statistics:mean", "source": "plugin", "owner": "statistics"}

A_RUN: list[tuple[str, dict[str, Any]]] = [
    (
        "run.planned",
        {
            "mode": "tools",
            "requestedMode": "code",
            "surfaceBytes": 2000,
            "promptBytes": 48,
            "directBytes": 300_000,
            "visibleTools": 3,
            "catalog": {"mcp": 90, "plugin": 10},
            "catalogSize": 100,
            "fallback": "no_isolated_runtime",
        },
    ),
    ("source.failed", {"source": "mcp", "owner": "calendar", "reason": "did not start"}),
    ("tool.quarantined", {"source": "mcp", "owner": "github", "name": "x", "reason": "no schema"}),
    ("search", {"call": "c1", "queries": 1, "hits": 8, "limit": 8, "ms": 1.5}),
    ("describe", {"call": "c2", "tool": ISSUE["tool"], "ok": True, "ms": 0.2}),
    ("call.started", CALL | MEAN),
    ("call.ended", CALL | MEAN | {"ok": True, "executed": True, "ms": 3.0, "resultBytes": 12}),
    ("approval.requested", {"call": "c3", "tool": ISSUE["tool"], "request": "r", "by": ["policy"]}),
    (
        "approval.answered",
        {
            "call": "c3",
            "request": "r",
            "decision": "approve",
            "scope": "once",
            "by": "me",
            "ms": 9.0,
        },
    ),
    ("call.started", CALL | ISSUE),
    ("call.ended", CALL | ISSUE | {"ok": False, "code": "blocked", "executed": False, "ms": 1.0}),
    ("call.ended", CALL | ISSUE | {"ok": False, "code": "tool_error", "executed": True, "ms": 1.0}),
    ("code.ended", {"call": "c4", "outcome": "ok", "ms": 40.0, "bridgeCalls": 2}),
    (
        "run.ended",
        {
            "searches": 1,
            "describes": 1,
            "calls": 2,
            "denials": 1,
            "approvals": 1,
            "errors": 1,
            "chosen": [{"id": MEAN["tool"], "source": "plugin"}],
            "ms": 70.0,
        },
    ),
]


def event(
    type_: str,
    data: Mapping[str, Any] | None = None,
    content: Mapping[str, Any] | None = None,
    *,
    seq: int = 1,
    run: str | None = "run-1",
    days: int = 0,
) -> Event:
    return Event(
        type=EventType(type_),
        at=NOON + timedelta(days=days, milliseconds=seq),
        seq=seq,
        run=run,
        session="s1",
        agent="clerk",
        data=data or {},
        content=content or {},
    )


def a_run(run: str = "run-1") -> list[Event]:
    return [event(type_, data, seq=seq, run=run) for seq, (type_, data) in enumerate(A_RUN, 1)]


class Log:
    """The plugin as a host has it, and what it wrote."""

    def __init__(
        self, folder: Path, environ: dict[str, str] | None = None, **settings: Any
    ) -> None:
        self.context = PluginContext(
            name="telemetry-jsonl",
            log=LogSettings(**settings),
            base_dir=folder,
            state_dir=folder / "state",
            environ=environ or {},
        )
        self.plugin = plugin()
        self.plugin.toolsearch_configure(self.context)
        self.folder = folder / "state" / "log"

    def write(self, *events: Event) -> None:
        for one in events:
            self.plugin.toolsearch_event(one)

    @property
    def file(self) -> Path:
        return self.folder / "toolsearch-2026-12-01.jsonl"

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]


class Shown:
    """A command's context that keeps what was shown."""

    json = False

    def __init__(self) -> None:
        self.data: list[Any] = []
        self.texts: list[str] = []

    def host(self):
        raise AssertionError("the commands of the log need no host")

    def show(self, data: Any, *, text: str | None = None) -> None:
        self.data.append(data)
        self.texts.append(text if text is not None else str(data))


async def ran(log: Log, name: str, **given: Any) -> Shown:
    (command,) = [one for one in log.plugin.toolsearch_commands(log.context) if one.name == name]
    defaults = {one.name: one.default for one in command.parameters}
    shown = Shown()
    assert await command.run(shown, defaults | given) in {0, None}
    return shown
