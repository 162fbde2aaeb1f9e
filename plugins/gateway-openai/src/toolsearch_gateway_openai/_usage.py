"""Usage numbers, added up over the turns of one request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def added(before: Mapping[str, Any] | None, more: Any) -> Mapping[str, Any] | None:
    """Numbers are added, also nested ones; of everything else the latest stays."""
    if not isinstance(more, Mapping):
        return before
    if before is None:
        return dict(more)
    total = dict(before)
    for name, value in more.items():
        known = total.get(name)
        if isinstance(value, Mapping):
            total[name] = added(known if isinstance(known, Mapping) else None, value)
        elif _is_number(value) and _is_number(known):
            total[name] = known + value
        elif value is not None or name not in total:
            total[name] = value
    return total


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
