"""Arguments that arrive piece by piece, each with the path where it belongs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d{1,4})\]|\[(['"])(.*?)\3\]""")
_VALUES = ("stringValue", "numberValue", "boolValue")


def add_piece(arguments: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Put one piece in its place; a piece of text is added to the text that stands there.

    A path that cannot be followed is passed over: validation then tells the model what is missing.
    """
    steps = [
        int(index) if index else name or quoted
        for name, index, _, quoted in _STEP.findall(piece.get("jsonPath") or "")
    ]
    if not steps:
        return
    holder: Any = arguments
    for step, following in pairwise(steps):
        inner = _at(holder, step)
        if not isinstance(inner, dict | list):
            inner = [] if isinstance(following, int) else {}
            if not _put(holder, step, inner):
                return
        holder = inner
    value = next((piece[key] for key in _VALUES if key in piece), None)
    standing = _at(holder, steps[-1])
    if isinstance(value, str) and isinstance(standing, str):
        value = standing + value
    _put(holder, steps[-1], value)


def _at(holder: Any, step: int | str) -> Any:
    match holder, step:
        case dict(), str():
            return holder.get(step)
        case list(), int() if step < len(holder):
            return holder[step]
        case _:
            return None


def _put(holder: Any, step: int | str, value: Any) -> bool:
    match holder, step:
        case dict(), str():
            holder[step] = value
        case list(), int():
            holder.extend([None] * (step + 1 - len(holder)))
            holder[step] = value
        case _:
            return False
    return True
