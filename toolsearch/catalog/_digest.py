"""Digests: per tool, then per source, then per catalog."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from toolsearch_hookspecs import ToolSpec


def digest(*parts: Any) -> str:
    """32 hexadecimal digits over JSON values, whatever the order of their keys."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def joined(digests: Iterable[str]) -> str:
    """One digest over others, in the order given."""
    return hashlib.blake2b("\n".join(digests).encode(), digest_size=16).hexdigest()


def tool_digest(spec: ToolSpec) -> str:
    """What a grant is bound to (S9): name, texts, schemas and annotations."""
    return digest(
        spec.name,
        spec.label,
        spec.description,
        spec.input_schema,
        spec.output_schema,
        spec.annotations.model_dump(),
    )
