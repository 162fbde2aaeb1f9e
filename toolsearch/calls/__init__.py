"""The path of a call, and what a run carries along it."""

from ._approval import Approvals
from ._path import CallPath
from ._record import Counters, Recorder, milliseconds_since
from ._resolve import resolved, suggestions
from ._seal import Seals
from ._state import CallRequest, RunState, fail

__all__ = [
    "Approvals",
    "CallPath",
    "CallRequest",
    "Counters",
    "Recorder",
    "RunState",
    "Seals",
    "fail",
    "milliseconds_since",
    "resolved",
    "suggestions",
]
