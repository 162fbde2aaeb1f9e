"""Messages between a source and its worker: a length of four bytes, then JSON."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import asyncio

LENGTH = struct.Struct(">I")
MAX_FRAME = 64 * 1024 * 1024


class TooLarge(Exception):
    """A message is larger than a frame may be."""


def packed(message: Any) -> bytes:
    body = json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode()
    if len(body) > MAX_FRAME:
        raise TooLarge(f"{len(body)} bytes are more than the {MAX_FRAME} that may be passed")
    return LENGTH.pack(len(body)) + body


def read(stream: BinaryIO) -> Any:
    """The next message, or None at the end."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    return json.loads(stream.read(length))


async def receive(stream: asyncio.StreamReader) -> Any:
    """The next message; raises `asyncio.IncompleteReadError` when the other end is gone."""
    (length,) = LENGTH.unpack(await stream.readexactly(LENGTH.size))
    return json.loads(await stream.readexactly(length))
