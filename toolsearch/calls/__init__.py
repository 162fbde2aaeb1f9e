"""The path of a call, and what a run carries along it."""

from ._approval import Approvals, checked
from ._execute import Execution
from ._path import CallPath, enveloped
from ._record import Counters, Recorder, milliseconds_since
from ._resolve import open_still, resolved, shown, suggestions
from ._seal import Seals
from ._state import CallRequest, RunState, fail

__all__ = [
    "Approvals",
    "CallPath",
    "CallRequest",
    "Counters",
    "Execution",
    "Recorder",
    "RunState",
    "Seals",
    "checked",
    "enveloped",
    "fail",
    "milliseconds_since",
    "open_still",
    "resolved",
    "shown",
    "suggestions",
]
