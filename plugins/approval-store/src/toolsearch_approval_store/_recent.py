"""What the latest calls of this process were about."""

from __future__ import annotations

import threading
from collections import OrderedDict

from toolsearch_hookspecs import ToolCall

from ._records import Subject

KEPT = 1024


class Recent:
    """The subjects of calls that may be asked about: an answer may come from elsewhere at once."""

    def __init__(self) -> None:
        self._subjects: OrderedDict[tuple[str, str], Subject] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, call: ToolCall) -> None:
        with self._lock:
            self._subjects[call.run.run_id, call.id] = Subject.of(call)
            if len(self._subjects) > KEPT:
                self._subjects.popitem(last=False)

    def taken(self, run: object, call: object) -> Subject | None:
        """The subject of a call, which is forgotten."""
        match run, call:
            case str(), str():
                with self._lock:
                    return self._subjects.pop((run, call), None)
            case _:
                return None
