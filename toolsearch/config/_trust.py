"""Which found files the user has said yes to (S10): by path and digest, once."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

import attrs

from toolsearch_hookspecs import ConfigError

from ._files import OWNER_ONLY_DIR, write_whole

if TYPE_CHECKING:
    from pathlib import Path


def digest_of(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


@attrs.frozen
class TrustStore:
    """`trust.json` in the state directory, which only its owner can read or write."""

    state_dir: Path

    @property
    def path(self) -> Path:
        return self.state_dir / "trust.json"

    def trusts(self, file: Path, digest: str) -> bool:
        """Whether this file, with this very content, was trusted."""
        return self._read().get(_name(file)) == digest

    def knows(self, file: Path) -> bool:
        """Whether this file was trusted as it once was."""
        return _name(file) in self._read()

    def trust(self, file: Path, digest: str) -> None:
        self._write({**self._read(), _name(file): digest})

    def forget(self, file: Path) -> bool:
        """Take the trust back; false where there was none."""
        known = self._read()
        if known.pop(_name(file), None) is None:
            return False
        self._write(known)
        return True

    def _read(self) -> dict[str, str]:
        try:
            text = self.path.read_text(encoding="utf-8")
            owner = self.path.stat().st_uid
        except FileNotFoundError:
            return {}
        if hasattr(os, "getuid") and owner != os.getuid():
            raise ConfigError(f"{self.path}: owned by another user; nothing in it is believed")
        try:
            known = json.loads(text)["trusted"]
            return {str(file): str(digest) for file, digest in known.items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ConfigError(
                f"{self.path}: not readable as a list of trusted files; "
                "delete it and trust your files again"
            ) from None

    def _write(self, known: dict[str, str]) -> None:
        self.state_dir.mkdir(mode=OWNER_ONLY_DIR, parents=True, exist_ok=True)
        text = json.dumps({"trusted": known}, indent=2, sort_keys=True, ensure_ascii=False)
        write_whole(self.path, (text + "\n").encode())


def _name(file: Path) -> str:
    return os.path.realpath(file)
