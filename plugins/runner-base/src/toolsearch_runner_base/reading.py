"""Waiting for the one line of a child that says one."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from .process import Channel, Command, Process, Spawner, StartError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

START_SECONDS = 20


class FirstLine:
    """A listener for the first line, or the reason why none comes."""

    def __init__(self) -> None:
        self.came: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def line(self, line: bytes) -> None:
        if not self.came.done():
            self.came.set_result(line)

    def closed(self) -> None:
        self._fail("it ended without a word")

    def overrun(self, reason: str) -> None:
        self._fail(reason)

    def writable(self) -> None:
        """Nothing: one line is all that is sent."""

    def _fail(self, reason: str) -> None:
        if not self.came.done():
            self.came.set_exception(StartError(reason))


async def greeting(process: Process, channel: Channel) -> bytes:
    """The first line of a child; raises `StartError`, with what the child complained of."""
    first = FirstLine()
    channel.listen(first)
    try:
        async with asyncio.timeout(START_SECONDS):
            return await first.came
    except TimeoutError:
        raise StartError(f"it did not answer within {START_SECONDS} s") from None
    except StartError as error:
        process.end()
        exit_ = await process.exited
        said = [line for line in exit_.stderr.splitlines() if line and "Warning" not in line]
        raise StartError(f"{error}; {said[0][:300]}" if said else str(error)) from None
    finally:
        channel.listener = None


async def settled(process: Process, command: Command) -> None:
    """Keep a child that has greeted from starting threads, where that is promised of it."""
    if command.settles and "rlimits" in command.layers:
        await process.settle()


@asynccontextmanager
async def ending(process: Process, channel: Channel) -> AsyncIterator[None]:
    """See the child gone afterwards."""
    try:
        yield
    finally:
        process.end()
        await asyncio.shield(process.exited)
        channel.abort()


async def first_line(
    spawner: Spawner,
    command: Command,
    channel: Channel,
    begin: Callable[[Process], None] = lambda _: None,
) -> bytes:
    """Start `command`, take its first line, and see it gone."""
    process = await spawner.start(command, channel)
    async with ending(process, channel):
        begin(process)
        return await greeting(process, channel)
