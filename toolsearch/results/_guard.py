"""A stop for calls that fail again and again in the same way."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from typing import Any

from attrs import define, field

from ._json import json_value

_REMEMBERED = 1000


@define
class LoopGuard:
    """Counts identical failing calls of one run; after `limit` of them the next is stopped.

    Identical means the same tool and the same arguments, in whatever order of keys. A call of the
    tool that succeeds, with whatever arguments, clears what was counted for it.
    """

    limit: int
    _failures: OrderedDict[tuple[str, str], int] = field(factory=OrderedDict)

    def stops(self, tool: str, arguments: Any) -> bool:
        """Whether this call has failed so often that it must not be made again."""
        return self._failures.get((tool, _digest(arguments)), 0) >= self.limit

    def note(self, tool: str, arguments: Any, *, failed: bool) -> None:
        """Count how a call ended; a stopped one counts as failed."""
        if not failed:
            for key in [key for key in self._failures if key[0] == tool]:
                del self._failures[key]
            return
        key = tool, _digest(arguments)
        self._failures[key] = self._failures.get(key, 0) + 1
        self._failures.move_to_end(key)
        if len(self._failures) > _REMEMBERED:
            self._failures.popitem(last=False)


def _digest(arguments: Any) -> str:
    written = json.dumps(json_value(arguments), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()
