"""A stop for calls that fail again and again in the same way."""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from attrs import define, field

from ._json import json_value

_REMEMBERED = 1000
FORGIVEN_AFTER_S = 60.0  # a server may be back by then, and a run may live for days


@define
class LoopGuard:
    """Counts identical failing calls of one run; after `limit` of them the next is stopped.

    Identical means the same tool and the same arguments, in whatever order of keys. A call of the
    tool that succeeds, with whatever arguments, clears what was counted for it; what failed a
    minute ago for the last time is forgiven.
    """

    limit: int
    clock: Callable[[], float] = time.monotonic
    _failures: OrderedDict[tuple[str, str], tuple[int, float]] = field(factory=OrderedDict)

    def stops(self, tool: str, arguments: Any) -> bool:
        """Whether this call has failed so often that it must not be made again."""
        return bool(self._failures) and self._count((tool, _digest(arguments))) >= self.limit

    def note(self, tool: str, arguments: Any, *, failed: bool) -> None:
        """Count how a call ended that was not stopped."""
        if not failed:
            for key in [key for key in self._failures if key[0] == tool]:
                del self._failures[key]
            return
        key = tool, _digest(arguments)
        self._failures[key] = self._count(key) + 1, self.clock()
        self._failures.move_to_end(key)
        if len(self._failures) > _REMEMBERED:
            self._failures.popitem(last=False)

    def _count(self, key: tuple[str, str]) -> int:
        count, last = self._failures.get(key, (0, 0.0))
        return count if self.clock() - last < FORGIVEN_AFTER_S else 0


def _digest(arguments: Any) -> str:
    written = json.dumps(json_value(arguments), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()
