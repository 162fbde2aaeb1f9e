"""Events: what happened, one object a step."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from ._model import Record

EVENT_VERSION = 1


class EventType(StrEnum):
    """The steps that are told; `data` of each is listed in docs/reference/events.md."""

    RUN_PLANNED = "run.planned"
    RUN_ENDED = "run.ended"
    SOURCE_FAILED = "source.failed"
    TOOL_QUARANTINED = "tool.quarantined"
    CATALOG_CHANGED = "catalog.changed"
    SEARCH = "search"
    DESCRIBE = "describe"
    CALL_STARTED = "call.started"
    CALL_ENDED = "call.ended"
    RESULT_READ = "result.read"
    CODE_ENDED = "code.ended"
    APPROVAL_REQUESTED = "approval.requested"
    APPROVAL_ANSWERED = "approval.answered"
    PLUGIN_FAILED = "plugin.failed"


class Event(Record):
    """One step of a run.

    `data` holds ids, sizes, counts and durations only. Arguments, results, queries and code stand
    in `content`, which a sink may keep only where the deployment opted in (`log.content`).
    """

    v: int = EVENT_VERSION
    type: EventType
    at: datetime
    seq: int
    run: str | None = None
    session: str | None = None
    agent: str | None = None
    data: Mapping[str, Any] = {}
    content: Mapping[str, Any] = {}


class Diagnostic(Record):
    """Something a person should know: what is wrong, with what, and how to mend it."""

    level: Literal["info", "warning", "error"]
    code: str
    message: str
    subject: str | None = None
    cure: str | None = None
