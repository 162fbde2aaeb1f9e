"""A file that only grows, a whole line at a time, for its owner alone."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import attrs

OWNER_ONLY_FILE = 0o600
OWNER_ONLY_FOLDER = 0o700
OTHERS = 0o077
APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT
WRITTEN_WITHIN_S = 0.02
SAFELY = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


@attrs.frozen
class Appending:
    """An open file. One write appends one line, so that lines of several processes do not mix."""

    path: Path
    descriptor: int

    @classmethod
    def to(cls, path: Path) -> Appending:
        """Open or make the file; where its last line is torn, end that line first."""
        make_private(path.parent)
        descriptor = os.open(path, APPEND | SAFELY, OWNER_ONLY_FILE)
        file = cls(path, descriptor)
        try:
            if os.fstat(descriptor).st_mode & OTHERS and hasattr(os, "fchmod"):
                os.fchmod(descriptor, OWNER_ONLY_FILE)
            if _is_torn(path):
                file.append(b"\n")
        except OSError:
            file.close()
            raise
        return file

    @property
    def stands(self) -> bool:
        """Whether the path still leads to this file; not after it was put aside or removed."""
        try:
            return os.path.samestat(os.fstat(self.descriptor), os.stat(self.path))  # noqa: PTH116  half the time of `Path.stat`
        except FileNotFoundError:
            return False

    def append(self, line: bytes) -> None:
        """Append. Raises OSError, also where only a part could be written."""
        written = os.write(self.descriptor, line)
        if written < len(line):
            raise OSError(None, f"only {written} of {len(line)} bytes could be written")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self.descriptor)


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the owner alone."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=OWNER_ONLY_FOLDER, exist_ok=True)


def _is_torn(path: Path) -> bool:
    """Whether the last line has no end, and gets none: the process that wrote it was killed.

    Another process may be writing it now, page by page, and is given a moment.
    """
    seen = _unended(path)
    if seen is None:
        return False
    time.sleep(WRITTEN_WITHIN_S)
    return _unended(path) == seen


def _unended(path: Path) -> int | None:
    """The size of a file whose last line has no end; else None."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            return None
        file.seek(-1, os.SEEK_END)
        return None if file.read(1) == b"\n" else size
