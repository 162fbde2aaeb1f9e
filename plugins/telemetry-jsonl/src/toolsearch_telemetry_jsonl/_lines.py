"""One event as one line."""

from __future__ import annotations

import json
from typing import Any

from toolsearch_hookspecs import Event
from toolsearch_hookspecs.text import Redactor

# ASCII alone, since some readers break lines at U+2028, and half a character has no UTF-8.
ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def line(event: Event, redactor: Redactor, *, content: bool) -> bytes:
    """The event as a line of JSON with its newline; content only where it is wanted, redacted."""
    told: dict[str, Any] = {
        "v": event.v,
        "type": event.type.value,
        "at": event.at.isoformat(timespec="milliseconds"),
        "seq": event.seq,
        "run": event.run,
        "session": event.session,
        "agent": event.agent,
        "data": redactor.clean(event.data),
    }
    if content and event.content:
        told["content"] = {key: redactor.clean(value) for key, value in event.content.items()}
    kept = {key: value for key, value in told.items() if value is not None}
    return (ENCODER.encode(kept) + "\n").encode("ascii")
