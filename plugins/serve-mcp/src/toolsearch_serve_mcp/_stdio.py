"""The wire over our own standard input and output.

Read by a thread of its own, which no shutdown waits for, and cut into lines in linear time. While
it serves, descriptor 1 is the error stream: what a plugin prints by mistake never meets a frame.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

log = logging.getLogger(__name__)

_CHUNK = 262_144


class Lines:
    """Cuts chunks at newlines; a line over `limit` is dropped and counted."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self.dropped = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        *ended, rest = chunk.split(b"\n")
        lines = []
        for part in ended:
            self._take(part)
            if self._size > self._limit:
                self.dropped += 1
            else:
                lines.append(b"".join(self._parts))
            self._parts, self._size = [], 0
        self._take(rest)
        return lines

    def _take(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            self._parts.clear()
        elif part:
            self._parts.append(part)


@asynccontextmanager
async def stdio_streams(limit: int) -> AsyncIterator[tuple[Any, Any]]:
    """The read and write streams of a client that started us."""
    wire = os.dup(1)
    os.dup2(2, 1)
    incoming, read = anyio.create_memory_object_stream[Any](0)
    write, outgoing = anyio.create_memory_object_stream[Any](0)
    chunks: asyncio.Queue[bytes] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    threading.Thread(target=_pump, args=(loop, chunks), name="stdin", daemon=True).start()
    reading = asyncio.create_task(_read(chunks, incoming, Lines(limit)))
    writing = asyncio.create_task(_write(wire, outgoing))
    try:
        yield read, write
    finally:
        reading.cancel()
        write.close()
        await asyncio.wait({reading, writing}, timeout=1)
        writing.cancel()
        for stream in (incoming, read, outgoing):
            stream.close()
        sys.stdout.flush()
        os.dup2(wire, 1)
        os.close(wire)


def _pump(loop: asyncio.AbstractEventLoop, chunks: asyncio.Queue[bytes]) -> None:
    """Hand over what arrives, and an empty chunk at its end."""
    with contextlib.suppress(OSError, RuntimeError):
        while True:
            chunk = os.read(0, _CHUNK)
            loop.call_soon_threadsafe(chunks.put_nowait, chunk)
            if not chunk:
                return


async def _read(chunks: asyncio.Queue[bytes], incoming: Any, lines: Lines) -> None:
    async with incoming:
        while chunk := await chunks.get():
            for line in lines.feed(chunk):
                if not line.strip():
                    continue
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValidationError as error:
                    log.info("a line of the client is no message (%d bytes)", len(line))
                    await incoming.send(error)
                    continue
                await incoming.send(SessionMessage(message))


async def _write(wire: int, outgoing: Any) -> None:
    async for item in outgoing:
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        data = memoryview(text.encode() + b"\n")
        try:
            while data:
                data = data[await asyncio.to_thread(os.write, wire, data) :]
        except OSError:
            log.info("the client no longer reads")
            return
