"""Keeps a built index on disk, one file for each set of tools.

A file is written aside and put in place in one step, so that processes that start side by side
never see half of one; what does not read back whole is built anew.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from attrs import frozen

# Changes whenever the same tools would be written otherwise.
FORM = "3"
ENDING = ".whoosh"
MOST_FILES = 4


@frozen
class Kept:
    """The files of built indexes in one folder, by the fingerprint of what they were built of."""

    folder: Path

    def load(self, fingerprint: str) -> dict[str, bytes] | None:
        """The files of the index, by name; None where there is none that can be read."""
        path = self._path(fingerprint)
        try:
            with zipfile.ZipFile(path) as archive:
                files = {name: archive.read(name) for name in archive.namelist()}
            os.utime(path)
        except (OSError, zipfile.BadZipFile, EOFError):
            return None
        return files

    def save(self, fingerprint: str, files: Mapping[str, bytes]) -> None:
        """Write the index, and drop those that were not used for longest."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=self.folder)
        with os.fdopen(handle, "wb") as stream, zipfile.ZipFile(stream, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, bytes(data))
        Path(aside).replace(self._path(fingerprint))
        for path in self._by_age()[:-MOST_FILES]:
            path.unlink(missing_ok=True)

    def _path(self, fingerprint: str) -> Path:
        return self.folder / f"{fingerprint}{ENDING}"

    def _by_age(self) -> list[Path]:
        found = []
        for path in self.folder.glob(f"*{ENDING}"):
            try:
                found.append((path.stat().st_mtime, path))
            except FileNotFoundError:
                continue  # another process dropped it
        return [path for _, path in sorted(found)]


def fingerprint(settings: str, keys: Iterable[str]) -> str:
    """Of the tools (each key holds a digest of the tool) and of how they are read."""
    digest = hashlib.sha256(f"{FORM} {settings}".encode())
    for key in sorted(keys):
        digest.update(b"\0" + key.encode(errors="replace"))
    return digest.hexdigest()[:32]
