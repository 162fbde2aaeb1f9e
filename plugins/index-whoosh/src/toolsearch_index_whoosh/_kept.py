"""Keeps a built index on disk, one file for each set of tools.

A file is written aside and put in place in one step, so that processes that start side by side
never see half of one; what does not read back whole is built anew.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
import zipfile
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from attrs import frozen

# Changes whenever the same tools would be written otherwise.
FORM = "4"
ENDING = ".whoosh"

# What a process that was killed left behind is dropped after so long.
ASIDE = ".part"
ABANDONED_S = 3_600
MOST_FILES = 4

# Another version of these may read the same tools otherwise.
PACKAGES = ("toolsearch-index-whoosh", "whoosh-reloaded")


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
        handle, named = tempfile.mkstemp(dir=self.folder, suffix=ASIDE)
        aside = Path(named)
        try:
            with os.fdopen(handle, "wb") as stream, zipfile.ZipFile(stream, "w") as archive:
                for name, data in files.items():
                    archive.writestr(name, bytes(data))
            aside.replace(self._path(fingerprint))
        finally:
            aside.unlink(missing_ok=True)
        for _, path in self._by_age(ENDING)[:-MOST_FILES]:
            path.unlink(missing_ok=True)
        for written, path in self._by_age(ASIDE):
            if written < time.time() - ABANDONED_S:
                path.unlink(missing_ok=True)

    def _path(self, fingerprint: str) -> Path:
        return self.folder / f"{fingerprint}{ENDING}"

    def _by_age(self, ending: str) -> list[tuple[float, Path]]:
        found = []
        for path in self.folder.glob(f"*{ending}"):
            try:
                found.append((path.stat().st_mtime, path))
            except FileNotFoundError:
                continue  # another process dropped it
        return sorted(found)


def fingerprint(settings: str, keys: Iterable[str]) -> str:
    """Of the tools (each key holds a digest of the tool) and of how they are read: the settings, and
    the packages that the words come from.
    """
    digest = hashlib.sha256(f"{FORM} {settings} {' '.join(map(_version, PACKAGES))}".encode())
    for key in sorted(keys):
        digest.update(b"\0" + key.encode(errors="replace"))
    return digest.hexdigest()[:32]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"
