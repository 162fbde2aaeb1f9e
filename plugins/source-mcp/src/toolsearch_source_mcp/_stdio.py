"""Our stdio transport: bounded lines, lenient reading, stderr kept to a tail."""

from __future__ import annotations

import asyncio
import logging
from asyncio import StreamReader
from asyncio.subprocess import Process
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import attrs

from ._lines import LineReader
from ._messages import NoMessageError, messages_of
from ._process import Command, kill, spawn, stop

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

log = logging.getLogger(__name__)

_CHUNK = 262_144
_QUEUED_MESSAGES = 1_024
_LAST_WORDS_SECONDS = 0.5
"""For what is still in the pipe of a process that is gone; a surviving grandchild may hold it."""


class Tail:
    """The last bytes of a stream, for the operator's eyes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._size = 0

    def add(self, chunk: bytes) -> None:
        self._chunks.append(chunk[-self._limit :])
        self._size += len(self._chunks[-1])
        while self._size - len(self._chunks[0]) >= self._limit:
            self._size -= len(self._chunks.popleft())

    @property
    def text(self) -> str:
        return b"".join(self._chunks)[-self._limit :].decode("utf-8", "replace")


@attrs.define
class StdioLog:
    """What a server wrote beside the protocol: lines on stdout that are no messages (how many, and
    the first of them), stderr. And whether it fell by itself.
    """

    stderr: Tail
    noise: int = 0
    first_noise: str = ""
    fell: bool = False
    leaving: bool = False
    returncode: int | None = None

    def heard_noise(self, line: str) -> None:
        self.first_noise = self.first_noise or line
        self.noise += 1


@asynccontextmanager
async def stdio_transport(
    command: Command,
    said: StdioLog,
    *,
    max_message_bytes: int,
    grace_seconds: float,
    ended: Callable[[], None],
) -> AsyncIterator[tuple[Any, Any]]:
    """Start a server and speak newline-delimited JSON-RPC with it.

    `ended` is called when its stdout closes. Leaving stops the process: see `stop`.
    Raises `OSError` where it cannot be started.
    """
    import anyio

    process = await spawn(command)
    pipes: list[asyncio.Task[None]] = []
    last_words = asyncio.create_task(_drain(process.stderr, said.stderr))
    incoming, read = anyio.create_memory_object_stream[Any](0)
    write, outgoing = anyio.create_memory_object_stream[Any](_QUEUED_MESSAGES)
    try:
        pipes = [
            asyncio.create_task(_read(process, incoming, said, max_message_bytes, ended)),
            asyncio.create_task(_write(process, outgoing, incoming)),
        ]
        yield read, write
    finally:
        said.leaving = True
        read.close()
        write.close()
        pipes.append(last_words)
        try:
            await stop(process, grace_seconds)
            await asyncio.wait({last_words}, timeout=_LAST_WORDS_SECONDS)
        finally:
            kill(process)
            said.returncode = process.returncode
            for pipe in pipes:
                pipe.cancel()
            incoming.close()
            outgoing.close()
            _close_pipes(process)
        await asyncio.gather(*pipes, return_exceptions=True)


async def _read(
    process: Process,
    incoming: MemoryObjectSendStream[Any],
    said: StdioLog,
    limit: int,
    ended: Callable[[], None],
) -> None:
    import anyio
    from mcp.shared.message import SessionMessage

    stdout = _present(process.stdout)
    lines = LineReader(limit)
    try:
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
            while chunk := await stdout.read(_CHUNK):
                for line in lines.feed(chunk):
                    if isinstance(line, bytes) and not line.strip():
                        continue
                    try:
                        for message in messages_of(line, limit):
                            await incoming.send(SessionMessage(message))
                    except NoMessageError as noise:
                        said.heard_noise(str(noise))
            said.fell = not said.leaving
    finally:
        incoming.close()
        ended()
    await _discard(stdout)


async def _write(
    process: Process,
    outgoing: MemoryObjectReceiveStream[Any],
    incoming: MemoryObjectSendStream[Any],
) -> None:
    stdin = process.stdin
    if stdin is None:
        return
    try:
        with suppress(ConnectionError, RuntimeError):
            async for item in outgoing:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(text.encode() + b"\n")
                await stdin.drain()
    finally:
        # However writing ends, nobody may go on waiting for an answer.
        incoming.close()
        outgoing.close()


async def _drain(stream: StreamReader | None, tail: Tail) -> None:
    with suppress(ConnectionError):
        while chunk := await _present(stream).read(_CHUNK):
            tail.add(chunk)


async def _discard(stream: StreamReader) -> None:
    """Keep its pipe empty, so that a server that is still writing can come to its end."""
    with suppress(ConnectionError):
        while await stream.read(_CHUNK):
            pass


def _present(stream: StreamReader | None) -> StreamReader:
    if stream is None:
        raise RuntimeError("the process was started without a pipe")
    return stream


def _close_pipes(process: Process) -> None:
    """Close the subprocess transport: a surviving grandchild may hold a pipe open for ever."""
    transport = getattr(process, "_transport", None)
    if transport is not None:
        with suppress(PermissionError, ProcessLookupError):
            transport.close()
