"""The log lines of one body, bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolsearch_hookspecs import LogLine

from ._frames import ProtocolError

if TYPE_CHECKING:
    from ._frames import Log

_CUT = "…"


class LogBook:
    """Keeps lines in order until `max_bytes` are full, a line end among them; then it counts."""

    def __init__(self, max_bytes: int) -> None:
        self._left = max_bytes
        self._max = max_bytes
        self._lines: list[LogLine] = []
        self._cut = 0

    def add(self, frame: Log) -> None:
        """Take a line; raises `ProtocolError` where more come than the realm would let through."""
        data = frame.text.encode("utf-8", "replace")
        if len(data) < self._left:
            self._left -= len(data) + 1
            self._lines.append(LogLine(level=frame.level, text=frame.text))
            return
        self._cut += 1
        if self._cut > self._max:
            raise ProtocolError("more log lines than are allowed")
        if self._left > 0:
            kept = data[: self._left].decode("utf-8", "ignore")
            self._lines.append(LogLine(level=frame.level, text=kept + _CUT))
            self._left = 0

    def lines(self) -> tuple[LogLine, ...]:
        return tuple(self._lines)

    def notes(self, cut_before: int) -> tuple[str, ...]:
        """What was left out: here, and before it came here."""
        cut = max(self._cut, cut_before)
        if not cut:
            return ()
        lines = "1 line was" if cut == 1 else f"{cut} lines were"
        return (f"log: {lines} cut or left out, after {self._max} bytes",)
