"""What keeps a value from being JSON, and where in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_MOST = 100_000  # values looked at; a schema that holds more is larger than any that is taken


def not_json(value: Any) -> str | None:
    """`holds a set at /properties/tags/enum`, or None where nothing is found that is not JSON."""
    open_: list[tuple[Any, str]] = [(value, "")]
    above: set[int] = set()
    for _ in range(_MOST):
        if not open_:
            return None
        each, at = open_.pop()
        match each:
            case None | bool() | int() | str():
                pass
            case float():
                if not math.isfinite(each):
                    return f"holds a number that is not finite at {at or '/'}"
            case Mapping() | list() | tuple():
                if id(each) in above:
                    continue
                above.add(id(each))
                items = each.items() if isinstance(each, Mapping) else enumerate(each)
                for key, inner in items:
                    if isinstance(each, Mapping) and not isinstance(key, str):
                        return f"has a key of type {type(key).__name__} at {at or '/'}"
                    open_.append((inner, f"{at}/{key}"))
            case _:
                return f"holds a {type(each).__name__} at {at or '/'}"
    return None
