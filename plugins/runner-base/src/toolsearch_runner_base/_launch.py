"""The supervisor as a process: how it is started, and what it said when it could not run."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from .process import StartError, SupervisorError

_WORDS_BYTES = 65_536


class LastWords:
    """What the supervisor complained of, as far as it did: it says nothing while it works."""

    def __init__(self, reader: int) -> None:
        self._reader = reader

    def read(self) -> str:
        """The last line, once; empty where there is none."""
        if self._reader < 0:
            return ""
        try:
            said = os.read(self._reader, _WORDS_BYTES)
        except OSError:
            said = b""
        self.close()
        lines = said.decode("utf-8", "replace").split("\n")
        return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")

    def close(self) -> None:
        if self._reader >= 0:
            os.close(self._reader)
            self._reader = -1


def launched() -> tuple[socket.socket, subprocess.Popen[bytes], LastWords]:
    """A supervisor that was started, with our end of its socket. Raises `StartError`."""
    ours, theirs = pair()
    reader, writer = os.pipe()
    words = LastWords(reader)
    for end in (reader, writer):
        os.set_blocking(end, False)
    with theirs:
        try:
            process = subprocess.Popen(
                _argv(),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=writer,
                start_new_session=True,
                env={k: v for k, v in os.environ.items() if k == "LD_LIBRARY_PATH"},
            )
        except OSError as error:
            ours.close()
            words.close()
            raise unusable(str(error.strerror)) from error
        finally:
            os.close(writer)
    return ours, process, words


def unusable(reason: str) -> SupervisorError:
    """Why no supervisor runs, in words for the person who installed this."""
    python = sys.executable or "which does not say where it is"
    return SupervisorError(
        f"the supervisor of code does not run ({reason}); it needs the Python of this program "
        f"({python}) as a program of its own"
    )


def pair() -> tuple[socket.socket, socket.socket]:
    """Two ends of a socket; raises `StartError` where no descriptor is left."""
    try:
        return socket.socketpair()
    except OSError as error:
        raise StartError(str(error.strerror)) from error


def _argv() -> list[str]:
    """The package beside this module, run alone: it must not import this one's requirements."""
    here = str(Path(__file__).parent)
    program = (
        f"import sys; sys.path.insert(0, {here!r}); from supervisor._serve import main; main()"
    )
    return [sys.executable or "", "-I", "-S", "-B", "-c", program]
