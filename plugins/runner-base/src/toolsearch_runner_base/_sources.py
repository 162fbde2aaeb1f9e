"""The JavaScript of this package, as text."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Gone from the body's realm: code from data, shared memory, the collector's doings, and what an
# engine adds of its own.
REMOVED = (
    "WebAssembly",
    "SharedArrayBuffer",
    "Atomics",
    "FinalizationRegistry",
    "WeakRef",
    "ShadowRealm",
    "eval",
    "console",
    "queueMicrotask",
)
# In the order in which they build on each other.
_REALM = ("primordials", "encoder", "errors", "outbox", "surface")
# Wide enough for the rehearsal.
_REHEARSED = {
    "maxCalls": 100,
    "maxArguments": 10_000,
    "maxArgumentsTotal": 100_000,
    "maxValue": 100_000,
    "maxParts": 10_000,
    "maxLog": 10_000,
    "maxMessage": 1_000,
}


@cache
def source(name: str) -> str:
    return (Path(__file__).parent / "js" / name).read_text(encoding="utf-8")


@cache
def realm() -> str:
    """The script of the body's realm, put together from its parts."""
    parts = ",\n".join(f"{name}: {source(f'realm/{name}.js')}" for name in _REALM)
    return f"({source('realm/realm.js')})({{ {parts} }})"


def child(host: str) -> str:
    """The script of a child, over what its runtime has for it; see `js/child.js`."""
    return f"({source('child.js')})({host});"


def probe(host: str, tries: str) -> str:
    """The script of a probe, over the roads that its runtime tries; see `js/probe.js`."""
    return f"({source('probe.js')})({host}, {tries});"


def setup(canary: str, compiled: Mapping[str, str] | None) -> bytes:
    """The first line that a child is sent: what it needs to get ready for a body.

    `compiled` is what an earlier child of the same runtime made of the scripts; without it the child
    compiles them, and hands that in with its greeting.
    """
    parts = {
        "canary": canary,
        "removed": json.dumps(REMOVED),
        "limits": json.dumps(_REHEARSED),
        "realm": realm(),
        "markers": source("markers.js"),
        "acorn": source("vendor/acorn.js"),
        "rehearsal": source("rehearsal.js"),
        "compiled": compiled,
    }
    return json.dumps(parts).encode() + b"\n"
