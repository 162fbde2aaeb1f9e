"""Values of arguments, written as text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def joined(value: Any, between: str = ",") -> str:
    """A value as one text, a list with `between` between its items."""
    match value:
        case [*items]:
            return between.join(map(scalar, items))
        case Mapping():
            return json.dumps(value)
        case _:
            return scalar(value)


def scalar(value: Any) -> str:
    """One value as text, as JSON where it is none that has a text of its own."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return value.encode(errors="replace").decode()
        case Mapping() | Sequence():
            return json.dumps(value)
        case _:
            return str(value)
