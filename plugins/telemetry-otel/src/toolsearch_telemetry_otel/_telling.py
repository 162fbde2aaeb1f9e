"""Events told as spans and metrics."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from toolsearch_hookspecs import Event, EventType
from toolsearch_hookspecs.text import Redactor

from ._metrics import Metrics
from ._tools import ToolSpan, of_call, of_code, of_describe, of_read, of_search
from ._values import Attributes, ours, text
from ._words import AGENT, CONVERSATION, ERROR, OURS, RUN

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Span, Tracer

RUNS_OPEN = 1_000
HELD = 2_000  # spans of one run that wait for the body they belong to, and notes for their calls
_IN_BODY = re.compile(r"(.+)\.\d+\Z")
_NOTES = frozenset(
    {
        EventType.SOURCE_FAILED,
        EventType.TOOL_QUARANTINED,
        EventType.CATALOG_CHANGED,
        EventType.PLUGIN_FAILED,
    }
)


@dataclass
class OpenRun:
    """A run that has not ended: its span, and what waits in it.

    `held` are the spans of calls that a body of code made: the body's own span, which is their
    parent, is known when the body has ended. `notes` are the events of calls under way.
    """

    span: Span
    mode: str
    held: dict[str, list[tuple[Event, ToolSpan]]] = field(default_factory=dict)
    notes: dict[str, list[Event]] = field(default_factory=dict)

    @property
    def waiting(self) -> int:
        return sum(map(len, self.held.values())) + sum(map(len, self.notes.values()))


class Telling:
    """Tells events, from any thread. Content goes along only with a redactor.

    A span is the child of the span that was current where its event arose, or else of its run's.
    """

    def __init__(self, tracer: Tracer, meter: Meter, redactor: Redactor | None) -> None:
        self._tracer = tracer
        self._metrics = Metrics(meter)
        self._redactor = redactor
        self._runs: OrderedDict[str, OpenRun] = OrderedDict()
        self._lock = threading.Lock()

    def tell(self, event: Event) -> None:
        with self._lock:
            self._tell(event)

    def close(self) -> None:
        """End the spans of runs that never ended."""
        with self._lock:
            while self._runs:
                self._abandon(*self._runs.popitem(last=False))

    def _tell(self, event: Event) -> None:
        match event.type:
            case EventType.RUN_PLANNED:
                self._begin(event)
            case EventType.RUN_ENDED:
                self._end(event)
            case EventType.SEARCH:
                self._metrics.searched({OURS + ".mode": self._mode(event)})
                self._execute(event, of_search(event, self._redactor))
            case EventType.DESCRIBE:
                self._execute(event, of_describe(event))
            case EventType.CALL_ENDED:
                self._execute(event, of_call(event, self._redactor))
            case EventType.RESULT_READ:
                self._execute(event, of_read(event, self._redactor))
            case EventType.CODE_ENDED:
                self._execute(event, of_code(event, self._redactor))
            case EventType.APPROVAL_REQUESTED | EventType.APPROVAL_ANSWERED:
                if event.type is EventType.APPROVAL_ANSWERED:
                    self._metrics.approved(event.data)
                self._note(event)
            case _ if event.type in _NOTES:
                self._note(event)

    def _begin(self, event: Event) -> None:
        run = event.run or ""
        if run in self._runs:
            self._abandon(run, self._runs.pop(run))
        about = self._about(event) | ours("run", event.data)
        span = self._tracer.start_span(f"{OURS}.run", attributes=about, start_time=_ns(event.at))
        self._runs[run] = OpenRun(span, text(event.data.get("mode"), "unknown"))
        self._metrics.planned(event.data)
        while len(self._runs) > RUNS_OPEN:
            self._abandon(*self._runs.popitem(last=False))

    def _end(self, event: Event) -> None:
        run = event.run or ""
        opened = self._runs.pop(run, None)
        if opened is None:
            return
        opened.span.set_attributes(ours("run", event.data, "ms"))
        self._abandon(run, opened, event.at)

    def _abandon(self, run: str, opened: OpenRun, at: datetime | None = None) -> None:
        for held in opened.held.values():
            for event, span in held:
                self._span(event, span, self._parent(opened))
        opened.span.end(None if at is None else _ns(at))

    def _execute(self, event: Event, span: ToolSpan) -> None:
        self._metrics.executed(span.seconds, span.measured, mcp=span.mcp)
        if span.error == "blocked":
            self._metrics.denied(span.measured)
        opened = self._runs.get(event.run or "")
        body = self._body_of(event, opened)
        if opened is not None and body is not None and opened.waiting < HELD:
            opened.held.setdefault(body, []).append((event, span))
            return
        ended = self._span(event, span, self._parent(opened), end=False)
        if opened is not None:
            children = opened.held.pop(span.call, ())
            within = _within(ended)
            for inner, child in children:
                self._span(inner, child, within)
        ended.end(_ns(event.at))

    def _span(
        self, event: Event, span: ToolSpan, parent: Context | None, *, end: bool = True
    ) -> Span:
        from opentelemetry.trace import Status, StatusCode

        began = event.at - timedelta(seconds=span.seconds)
        told = self._tracer.start_span(
            span.name,
            context=parent,
            attributes=self._about(event) | span.attributes,
            start_time=_ns(began),
        )
        opened = self._runs.get(event.run or "")
        for note in opened.notes.pop(span.call, ()) if opened is not None else ():
            told.add_event(note.type.value, ours("approval", note.data, "call"), _ns(note.at))
        if span.error is not None:
            told.set_attribute(ERROR, span.error)
            told.set_status(Status(StatusCode.ERROR))
        if end:
            told.end(_ns(event.at))
        return told

    def _note(self, event: Event) -> None:
        opened = self._runs.get(event.run or "")
        if opened is None:
            return
        call = event.data.get("call")
        if isinstance(call, str) and opened.waiting < HELD:
            opened.notes.setdefault(call, []).append(event)
        else:
            about = ours(event.type.value.partition(".")[0], event.data)
            opened.span.add_event(event.type.value, about, _ns(event.at))

    def _parent(self, opened: OpenRun | None) -> Context | None:
        """None leaves it to what is current where the event arose."""
        from opentelemetry.trace import get_current_span

        if opened is None or get_current_span().get_span_context().is_valid:
            return None
        return _within(opened.span)

    @staticmethod
    def _body_of(event: Event, opened: OpenRun | None) -> str | None:
        body = event.data.get("body")
        if isinstance(body, str):
            return body
        call = event.data.get("call")
        inside = _IN_BODY.match(call) if isinstance(call, str) else None
        in_code = opened is not None and opened.mode == "code"
        return inside[1] if inside is not None and in_code else None

    def _mode(self, event: Event) -> str:
        opened = self._runs.get(event.run or "")
        return "unknown" if opened is None else opened.mode

    @staticmethod
    def _about(event: Event) -> Attributes:
        given = {RUN: event.run, CONVERSATION: event.session, AGENT: event.agent}
        return {name: text(value) for name, value in given.items() if value}


def _within(span: Span) -> Context:
    from opentelemetry.trace import set_span_in_context

    return set_span_in_context(span)


def _ns(at: datetime) -> int:
    """Nanoseconds since the epoch."""
    return int(at.timestamp() * 1_000_000) * 1_000
