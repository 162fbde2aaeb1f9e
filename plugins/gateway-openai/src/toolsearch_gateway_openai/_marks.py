"""Requests whose tools were called and that were not answered yet, marked on disk.

Clients of the API send a request again by themselves when its connection breaks, and say so in a
header. Where tools were called already, that would call them twice; also after the gateway itself
was killed and started again.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from pathlib import Path

import attrs

from ._errors import ApiError

RETRY_HEADER = "x-stainless-retry-count"
KEPT_S = 900.0  # longer than clients go on trying


@attrs.frozen
class Marks:
    """The marks of one gateway: an empty file each, named by a digest of the request."""

    folder: Path

    def check(self, mark: str, headers: Mapping[str, str]) -> None:
        """Refuse a repetition of a request that is marked. Raises ApiError."""
        if headers.get(RETRY_HEADER, "0") == "0" or not self._holds(mark):
            return
        raise ApiError(
            409,
            "the first try of this request called tools and was not answered; it is not repeated. "
            "Send it anew if that is what you want",
            type="conflict_error",
            code="already_begun",
            headers={"x-should-retry": "false"},
        )

    def set(self, mark: str) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.folder / mark).touch(mode=0o600)

    def clear(self, mark: str) -> None:
        (self.folder / mark).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Drop the marks that are too old to matter."""
        oldest = time.time() - KEPT_S
        for file in self.folder.glob("*"):
            if file.stat().st_mtime < oldest:
                file.unlink(missing_ok=True)

    def _holds(self, mark: str) -> bool:
        try:
            return (self.folder / mark).stat().st_mtime >= time.time() - KEPT_S
        except FileNotFoundError:
            return False


def mark_of(principal: str, path: str, body: bytes) -> str:
    """The same for the same request of the same app."""
    digest = hashlib.sha256(f"{principal}\0{path}\0".encode())
    digest.update(body)
    return digest.hexdigest()[:32]
