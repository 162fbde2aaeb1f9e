"""Server-sent events, read and written."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from typing import Any

import attrs

DONE = "[DONE]"
COMMENT = b": waiting\n\n"


@attrs.frozen
class ServerEvent:
    """One event; `name` is empty where the sender gave none."""

    name: str
    data: str


class TooLongError(ValueError):
    """An event is over the bound."""


async def read_events(chunks: AsyncIterable[bytes], limit: int) -> AsyncIterator[ServerEvent]:
    """The events of a stream, however it is cut into chunks. Comments are left out.

    Raises TooLongError where one event takes more than `limit` bytes.
    """
    name, size = "", 0
    data: list[str] = []
    async for line in _lines(chunks, limit):
        if not line:
            if data:
                yield ServerEvent(name, "\n".join(data))
            name, data, size = "", [], 0
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match field:
            case "data":
                size += len(value)
                if size > limit:
                    raise TooLongError
                data.append(value)
            case "event":
                name = value
    if data:
        yield ServerEvent(name, "\n".join(data))


async def _lines(chunks: AsyncIterable[bytes], limit: int) -> AsyncIterator[str]:
    """Lines ended by LF or CRLF, as all known senders end them, in linear time."""
    parts: list[bytes] = []
    size = 0
    async for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            parts.append(part)
            yield b"".join(parts).removesuffix(b"\r").decode("utf-8", "replace")
            parts, size = [], 0
        if rest:
            parts.append(rest)
            size += len(rest)
            if size > limit:
                raise TooLongError
    if parts:
        yield b"".join(parts).decode("utf-8", "replace")


def event_bytes(data: Mapping[str, Any] | str, name: str | None = None) -> bytes:
    """One event on the wire."""
    text = data if isinstance(data, str) else compact_json(data)
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {text}\n\n".encode()


def compact_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
