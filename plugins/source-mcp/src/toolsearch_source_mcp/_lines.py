"""Lines out of chunks: bounded, and in time linear in what arrives."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

_KEPT = 512


@attrs.frozen
class TooLong:
    """A line over the bound: how long it was, and its ends (where a request's id stands)."""

    size: int
    head: bytes
    tail: bytes


class LineReader:
    """Cuts a byte stream at newlines. Of a line over `limit` only the ends are kept."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._over: TooLong | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes | TooLong]:
        start = 0
        while (end := chunk.find(b"\n", start)) != -1:
            self._take(chunk[start:end])
            yield self._finish()
            start = end + 1
        if start < len(chunk):
            self._take(chunk[start:] if start else chunk)

    def _take(self, part: bytes) -> None:
        self._size += len(part)
        if self._over is not None:
            tail = (self._over.tail + part[-_KEPT:])[-_KEPT:]
            self._over = attrs.evolve(self._over, size=self._size, tail=tail)
            return
        self._parts.append(part)
        if self._size > self._limit:
            whole = b"".join(self._parts)
            self._over = TooLong(self._size, whole[:_KEPT], whole[-_KEPT:])
            self._parts.clear()

    def _finish(self) -> bytes | TooLong:
        line: bytes | TooLong = self._over if self._over is not None else b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        self._over = None
        return line
