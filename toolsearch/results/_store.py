"""What was cut from results, kept for a while so that it can be read on."""

from __future__ import annotations

import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field, frozen

from toolsearch_hookspecs import CallError, CallFailure, ErrorCode, ToolResult

from ..text import cut

READ_RESULT = "openclaw:toolsearch:read_result"
_GONE = "nothing is kept under this handle: it expired or is of another run. Make the call again."


@frozen
class Piece:
    """A part of a kept text. Offsets are in characters; `next` is None at the end."""

    text: str
    offset: int
    next: int | None
    total: int


@define
class ResultStore:
    """The kept texts of one run, behind handles that cannot be guessed.

    A text is kept for `ttl_s` seconds after it was last read; when there are more than
    `max_bytes` in all, the least recently read go first.
    """

    max_bytes: int = 32 * 1024 * 1024
    ttl_s: float = 1800
    clock: Callable[[], float] = time.monotonic
    _kept: OrderedDict[str, tuple[str, int, float]] = field(factory=OrderedDict)
    _bytes: int = 0

    def keep(self, text: str) -> tuple[str, int]:
        """Keep a text; gives its handle and how many characters are kept.

        Of a text larger than `max_bytes` that is its beginning.
        """
        self._forget_expired()
        encoded = text.encode(errors="replace")
        if len(encoded) > self.max_bytes:
            text = encoded[: self.max_bytes].decode(errors="ignore")
        size = min(len(encoded), self.max_bytes)
        handle = secrets.token_urlsafe(16)
        self._kept[handle] = text, size, self.clock() + self.ttl_s
        self._bytes += size
        while self._bytes > self.max_bytes:
            self._forget(next(iter(self._kept)))
        return handle, len(text)

    def read(self, handle: str, offset: int, max_bytes: int, length: int | None = None) -> Piece:
        """A piece from `offset`, of at most `length` characters and `max_bytes` as JSON.

        Raises `CallError` for a handle that is not (or no longer) known, or an offset outside.
        """
        self._forget_expired()
        if handle not in self._kept:
            raise _refused(_GONE)
        text, size, _ = self._kept[handle]
        if not 0 <= offset <= len(text):
            raise _refused(f"`offset` must be from 0 to {len(text)}.")
        self._kept[handle] = text, size, self.clock() + self.ttl_s
        self._kept.move_to_end(handle)
        end = len(text) if length is None else min(offset + length, len(text))
        shown = fitting(text, offset, end, max_bytes)
        end = offset + len(shown)
        return Piece(shown, offset, end if end < len(text) else None, len(text))

    def answer(self, asked: Mapping[str, Any], max_bytes: int) -> ToolResult:
        """Answer `{handle, offset?, length?}`, the arguments of `openclaw:toolsearch:read_result`.

        Raises `CallError` as `read` does, and for arguments that are none.
        """
        handle, offset, length = asked.get("handle"), asked.get("offset", 0), asked.get("length")
        if not isinstance(handle, str):
            raise _refused("give `handle`, as the note of the cut result has it.")
        if not _is_count(offset) or not (length is None or (_is_count(length) and length > 0)):
            raise _refused("`offset` and `length` are whole numbers of characters.")
        piece = self.read(handle, offset, reserved(max_bytes), length)
        return ToolResult(value=piece.text, note=reading_on(handle, piece))

    def clear(self) -> None:
        """Forget everything: the run has ended."""
        self._kept.clear()
        self._bytes = 0

    def _forget(self, handle: str) -> None:
        _, size, _ = self._kept.pop(handle)
        self._bytes -= size

    def _forget_expired(self) -> None:
        now = self.clock()
        for handle in [handle for handle, (_, _, end) in self._kept.items() if end <= now]:
            self._forget(handle)


def reading_on(handle: str, piece: Piece) -> str:
    """What is said beside a piece: what it is, and how to have the next one."""
    end = piece.offset + len(piece.text)
    place = f"characters {piece.offset} to {end} of {piece.total}"
    if piece.next is None:
        return f"{place}: the end"
    asked = json.dumps({"handle": handle, "offset": piece.next})
    return f"cut: {place}. To read on, call {READ_RESULT} with {asked}"


def reserved(max_bytes: int) -> int:
    """The room for a text, when a note and the call's own frame must fit as well."""
    return max(max_bytes - min(512, max_bytes // 2), 1)


def fitting(text: str, start: int, end: int, max_bytes: int) -> str:
    """The longest beginning of `text[start:end]` whose JSON has at most `max_bytes`.

    It ends where a reader sees a boundary, and has one character at least, so that reading on
    comes to an end.
    """
    low, step, used = start, 4096, 2
    while low < end:
        chunk = text[low : min(low + step, end)]
        cost = json_bytes(chunk) - 2
        if used + cost <= max_bytes:
            used, low = used + cost, low + len(chunk)
        elif len(chunk) == 1:
            break
        else:
            step = max(len(chunk) // 2, 1)
    if low < len(text) and low > start:
        whole = cut(text, low)
        low = whole if whole > start else low
    return text[start : max(low, min(start + 1, end))]


def json_bytes(value: Any) -> int:
    """The size of a JSON value as a model is given it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return len(text.encode(errors="replace"))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _refused(message: str) -> CallError:
    failure = CallFailure(
        code=ErrorCode.INVALID_ARGUMENTS, message=f"{message} Not executed.", tool=READ_RESULT
    )
    return CallError(failure)
