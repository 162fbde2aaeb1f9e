"""Values of events as attributes take them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from toolsearch_hookspecs.text import Redactor, one_line

from ._words import OURS

TEXT_CHARS = 256
CONTENT_CHARS = 8_192
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LARGEST = 2**63 - 1

Attribute = str | bool | int | float
Attributes = dict[str, Attribute]


def attribute(value: Any) -> Attribute | None:
    """A value as an attribute; None for what is no single value."""
    match value:
        case bool() | float():
            return value
        case int():
            return value if abs(value) <= _LARGEST else str(value)[:TEXT_CHARS]
        case str():
            return one_line(value, TEXT_CHARS)
        case _:
            return None


def ours(prefix: str, data: Mapping[str, Any], *left_out: str) -> Attributes:
    """The data of an event in our own namespace: `bridgeCalls` as `toolsearch.code.bridge_calls`."""
    given = {
        f"{OURS}.{prefix}.{_HUMP.sub('_', one_line(key, 64)).lower()}": attribute(value)
        for key, value in data.items()
        if key not in left_out
    }
    return {name: value for name, value in given.items() if value is not None}


def text(value: Any, otherwise: str = "") -> str:
    return one_line(value, TEXT_CHARS) if isinstance(value, str) and value else otherwise


def number(value: Any) -> float:
    """Of what is no number, zero: telemetry fails nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return min(max(float(value), 0.0), 1e12) if abs(value) < _LARGEST else 0.0


def content(redactor: Redactor, value: Any) -> str:
    """Content as one JSON text, redacted and bounded."""
    cleaned = redactor.clean(value)
    shown = cleaned if isinstance(cleaned, str) else json.dumps(cleaned, ensure_ascii=False)
    return shown.encode(errors="replace").decode()[:CONTENT_CHARS]
