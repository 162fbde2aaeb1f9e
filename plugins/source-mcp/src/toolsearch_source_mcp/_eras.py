"""Which protocol era a server was last found to speak, so that no start has to try both."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any, Literal

log = logging.getLogger(__name__)

_FILE = "mcp-eras.json"


class EraMemory:
    """Eras by server identity, in a small file that its owner alone can read.

    Only `modern` is worth remembering: servers are met with the handshake that nearly all of them
    answer. A file that cannot be read or written costs one more round trip, never an error.
    """

    def __init__(self, state_dir: Path) -> None:
        self._path = state_dir / _FILE
        self._known: dict[str, Any] | None = None

    def of(self, origin: str) -> Literal["legacy", "modern"]:
        return "modern" if self._read().get(origin) == "modern" else "legacy"

    def note(self, origin: str, era: Literal["legacy", "modern"]) -> None:
        """Remember; written only when it differs."""
        if self.of(origin) == era:
            return
        known = self._read()
        if era == "modern":
            known[origin] = era
        else:
            known.pop(origin, None)
        try:
            self._write(known)
        except OSError as error:
            log.info("the protocol era of a server could not be kept: %s", error)

    def _read(self) -> dict[str, Any]:
        if self._known is None:
            try:
                found = json.loads(self._path.read_bytes())
            except (OSError, ValueError):
                found = {}
            self._known = found if isinstance(found, dict) else {}
        return self._known

    def _write(self, known: dict[str, Any]) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = self._path.with_name(f"{_FILE}.{os.getpid()}")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(known, file, indent=1, sort_keys=True)
        partial.replace(self._path)
