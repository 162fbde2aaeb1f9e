"""Counts and tells what a run did; each step once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from time import monotonic
from typing import Any

import attrs

from toolsearch_hookspecs import CallFailure, ErrorCode, Event, EventType, RunContext, Tool


@attrs.define
class Counters:
    """The numbers of S11, for one run."""

    searches: int = 0
    describes: int = 0
    calls: int = 0
    reads: int = 0
    denials: int = 0
    approvals: int = 0
    errors: int = 0
    code_runs: int = 0
    chosen: list[dict[str, str]] = attrs.Factory(list)


class Recorder:
    """Tells the events of one run, in order, and keeps its counters."""

    def __init__(self, context: RunContext, emit: Callable[[Event], None]) -> None:
        self.context = context
        self.counters = Counters()
        self.began = monotonic()
        self._emit = emit
        self._seq = itertools.count(1)

    def tell(
        self,
        type: EventType,
        data: Mapping[str, Any],
        content: Mapping[str, Any] | None = None,
    ) -> None:
        """Tell one event: ids, sizes and counts in `data`, everything else in `content`."""
        self._emit(
            Event(
                type=type,
                at=datetime.now(UTC),
                seq=next(self._seq),
                run=self.context.run_id,
                session=self.context.session,
                agent=self.context.agent,
                data={key: value for key, value in data.items() if value is not None},
                content=content or {},
            )
        )

    def call_ended(
        self,
        data: Mapping[str, Any],
        tool: Tool | None,
        failure: CallFailure | None,
        executed: bool,
        content: Mapping[str, Any],
    ) -> None:
        """Count one finished call; `calls` and `chosen` are those that the host executed."""
        if executed and tool is not None:
            self.counters.calls += 1
            self.counters.chosen.append({"id": tool.id, "source": tool.source})
        match failure:
            case None:
                pass
            case CallFailure(code=ErrorCode.BLOCKED):
                self.counters.denials += 1
            case _:
                self.counters.errors += 1
        self.tell(EventType.CALL_ENDED, data, content)

    def run_ended(self) -> None:
        counters = attrs.asdict(self.counters)
        counters["codeRuns"] = counters.pop("code_runs")
        self.tell(EventType.RUN_ENDED, counters | {"ms": milliseconds_since(self.began)})


def milliseconds_since(began: float) -> float:
    """Elapsed milliseconds, to a hundredth."""
    return round((monotonic() - began) * 1000, 2)
