"""What the session log says of one run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs


@attrs.define
class LoggedRun:
    """One run, from its lines alone."""

    planned: Mapping[str, Any] = attrs.field(factory=dict)
    ended: Mapping[str, Any] = attrs.field(factory=dict)
    calls: list[Mapping[str, Any]] = attrs.field(factory=list)
    bodies: list[Mapping[str, Any]] = attrs.field(factory=list)
    approvals: list[Mapping[str, Any]] = attrs.field(factory=list)
    searches: int = 0
    describes: int = 0
    started: int = 0

    def take(self, type: str, data: Mapping[str, Any]) -> None:
        match type:
            case "run.planned":
                self.planned = data
            case "run.ended":
                self.ended = data
            case "search":
                self.searches += data.get("queries", 1)
            case "describe":
                self.describes += 1
            case "call.started":
                self.started += 1
            case "call.ended":
                self.calls.append(data)
            case "code.ended":
                self.bodies.append(data)
            case "approval.answered":
                self.approvals.append(data)

    @property
    def mode(self) -> str:
        return str(self.planned.get("mode", ""))

    @property
    def final(self) -> Mapping[str, Any]:
        """The last call."""
        return self.calls[-1] if self.calls else {}


def logged_runs(path: Path) -> Mapping[str, LoggedRun]:
    """The runs of a log, by the session that the app named; each session has one."""
    runs: dict[str, LoggedRun] = {}
    for event in _events(path):
        session = str(event.get("session", "")).rpartition("/")[2]
        runs.setdefault(session, LoggedRun()).take(event["type"], event.get("data", {}))
    return runs


def _events(path: Path) -> Iterator[Mapping[str, Any]]:
    if path.is_file():
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)
