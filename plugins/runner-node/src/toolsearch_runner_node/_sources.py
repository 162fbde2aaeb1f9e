"""The JavaScript of this package, as text."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path


@cache
def source(name: str) -> str:
    return (Path(__file__).parent / "js" / name).read_text(encoding="utf-8")


@cache
def setup(canary: str) -> bytes:
    """The first line that a child is sent: what it needs to get ready for a body."""
    parts = {
        "canary": canary,
        "realm": source("realm.js"),
        "markers": source("markers.js"),
        "acorn": source("vendor/acorn.js"),
    }
    return json.dumps(parts).encode() + b"\n"
