"""Seals on approval requests, so that one that left the process is known again when it returns.

The request that an embedding program keeps and hands back is not taken on trust: the seal covers
who asks, which tool, which arguments and until when, under a key that stays in the state folder.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from pathlib import Path

from toolsearch_hookspecs import ApprovalRequest

KEY_FILE = "host.key"
CLAIMS = "resumed"
CLAIM_KEPT_S = 86_400.0  # a request expires long before, and is refused for that from then on


class Seals:
    """The seals of one state folder; hosts that share the folder know each other's requests."""

    def __init__(self, state_dir: Path) -> None:
        self._folder = state_dir

    def sealed(self, request: ApprovalRequest) -> ApprovalRequest:
        return request.model_copy(update={"seal": self._seal(request)})

    def knows(self, request: ApprovalRequest) -> bool:
        """Whether this request was made here, and nothing of it was changed."""
        seal = (request.seal or "").encode(errors="replace")
        return hmac.compare_digest(seal, self._seal(request).encode())

    def claim(self, request: ApprovalRequest) -> bool:
        """Take the one right to carry a request out; False where it was taken before."""
        folder = self._folder / CLAIMS
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = hashlib.sha256(request.id.encode()).hexdigest()
        try:
            os.close(os.open(folder / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        _tidied(folder)
        return True

    def _seal(self, request: ApprovalRequest) -> str:
        text = request.model_copy(update={"seal": None}).model_dump_json()
        return hmac.new(self._key(), text.encode(), hashlib.sha256).hexdigest()

    def _key(self) -> bytes:
        path = self._folder / KEY_FILE
        if not path.exists():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft = path.with_name(f"{KEY_FILE}.{secrets.token_hex(8)}")
            descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(32))
            try:
                os.link(draft, path)
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        return path.read_bytes()


def _tidied(folder: Path) -> None:
    """Drop old claims; another process may do the same at the same time."""
    oldest = time.time() - CLAIM_KEPT_S
    for claim in folder.iterdir():
        try:
            if claim.stat().st_mtime < oldest:
                claim.unlink()
        except FileNotFoundError:
            continue
