"""Children of this process itself, where there is no fork: no layer of the operating system."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from .process import LAYERS, Channel, Command, Exit, RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Pipes(asyncio.SubprocessProtocol):
    """Hands the output to the channel, and says when the child has ended."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.exited: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.SubprocessTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._channel.data_received(data)

    def pause_writing(self) -> None:
        self._channel.pause_writing()

    def resume_writing(self) -> None:
        self._channel.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        code = None
        if self._transport is not None:
            code = self._transport.get_returncode()
            self._transport.close()
        if not self.exited.done():
            self.exited.set_result(Exit(code if code is not None else -9))
        self._channel.connection_lost(exc)


class PlainProcess:
    """A child with pipes for input and output."""

    def __init__(self, transport: asyncio.SubprocessTransport, pipes: _Pipes) -> None:
        self._transport = transport
        self.pid = transport.get_pid()
        self.exited = pipes.exited

    def write(self, data: bytes) -> None:
        pipe = cast("asyncio.WriteTransport | None", self._transport.get_pipe_transport(0))
        if pipe is not None and not pipe.is_closing():
            pipe.write(data)

    def watch(self, memory_mb: int) -> None:
        """Nothing: the engine's own bound holds, for what it counts."""

    async def settle(self) -> None:
        """Nothing: no layer of the operating system is promised here."""

    def end(self, grace_ms: int = 0) -> None:
        if not self.exited.done():
            try:
                self._transport.kill()
            except ProcessLookupError:
                return


class PlainSpawner:
    """Starts children with the event loop's own means."""

    async def survey(self) -> Mapping[str, bool | str]:
        return dict.fromkeys((*LAYERS, "memory"), "not on this platform")

    async def start(self, command: Command, channel: Channel) -> PlainProcess:
        loop = asyncio.get_running_loop()
        try:
            transport, pipes = await loop.subprocess_exec(
                lambda: _Pipes(channel),
                command.program,
                *command.argv[1:],
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=dict(command.environment),
            )
        except OSError as error:
            raise RefusedError(str(error.strerror)) from error
        return PlainProcess(transport, pipes)

    async def aclose(self) -> None:
        """Nothing is held between children."""
