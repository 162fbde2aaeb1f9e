"""The loader that a program names: the kernel starts it in the program's place."""

from __future__ import annotations

import os
import struct
from pathlib import Path

_INTERPRETER = 3
_HEADER = struct.Struct("=16x16xQ14xHH")  # where the segments are, the size of one, how many
_SEGMENT = struct.Struct("=I4xQ16xQ")  # kind, place in the file, size
_LONGEST = 4096


def interpreter(program: str) -> str:
    """The path of the loader; empty where there is none, or where this is no program of 64 bits."""
    try:
        with Path(program).open("rb") as file:
            start = file.read(64)
            if len(start) < 64 or start[:5] != b"\x7fELF\x02":
                return ""
            place, size, count = _HEADER.unpack_from(start)
            file.seek(place)
            segments = file.read(size * count)
            for at in range(0, len(segments) - _SEGMENT.size + 1, size):
                kind, offset, length = _SEGMENT.unpack_from(segments, at)
                if kind == _INTERPRETER:
                    file.seek(offset)
                    return os.fsdecode(file.read(min(length, _LONGEST)).rstrip(b"\0"))
    except (OSError, ValueError):  # it is not there, or its numbers lead nowhere
        pass
    return ""
