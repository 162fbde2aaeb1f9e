"""What an HTTP header can carry: a key or a name that it cannot would fail every request."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def is_sendable(value: str) -> bool:
    """Whether a header can have this value as it is."""
    return value.isascii() and value.isprintable() and value == value.strip()


def checked_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Headers that can be sent. Raises ValueError naming one that cannot, never its value."""
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a header; give letters, digits and dashes")
        if not is_sendable(value):
            raise ValueError(
                f"the value of {name} has something that no header can carry; give printable "
                "ASCII characters without a space at either end"
            )
    return headers
