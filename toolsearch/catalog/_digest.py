"""Digests: per tool, then per source, then per catalog."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

# Made once: a new encoder for each text takes as long as the text.
CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(*parts: Any) -> str:
    """32 hexadecimal digits over JSON values, whatever the order of their keys."""
    return text_digest(canonical(parts))


def canonical(value: Any) -> str:
    """A value as JSON with sorted keys. Raises TypeError, ValueError or RecursionError for what
    JSON cannot hold.
    """
    return CANONICAL.encode(value)


def text_digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def joined(digests: Iterable[str]) -> str:
    """One digest over others, in the order given."""
    return text_digest("\n".join(digests))
