"""Children that wait, started and attested, for one body each."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from .process import Channel, Process, StartError

logger = logging.getLogger(__name__)

IDLE_SECONDS = 60
# A start takes the better part of a processor: let the body that comes first have it.
REFILL_SECONDS = 0.05
# What a body goes through, gone through before one comes: the engine is slow at what it does first.
_REHEARSE = b'{"rehearse":true}\n'


@dataclass(frozen=True, slots=True)
class Ready:
    """A child that has greeted, for bodies of at most `memory_mb`.

    `is_current` tells whether what it was started by, as a probe had found, still holds.
    """

    process: Process
    channel: Channel
    memory_mb: int
    is_current: Callable[[], bool]

    @property
    def fit(self) -> bool:
        return self.is_current() and not self.process.exited.done() and self.channel.is_quiet


Start = Callable[[int], Awaitable[Ready]]


class Pool:
    """Keeps `size` children ready while bodies come, and none after a minute without any."""

    def __init__(self, size: int, start: Start) -> None:
        self._size = size
        self._start = start
        self._ready: list[Ready] = []
        self._filling: asyncio.Task[None] | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._starts = asyncio.Semaphore(max(2, os.cpu_count() or 2))
        self._memory_mb = 0
        self._closed = False

    async def take(self, memory_mb: int) -> tuple[Ready, bool]:
        """A child for one body, and whether it was waiting. Raises `StartError`."""
        self._check_open()
        while self._ready:
            ready = self._ready.pop()
            if ready.fit and ready.memory_mb == memory_mb:
                self.fill(memory_mb, REFILL_SECONDS)
                return ready, True
            ready.process.end()
        self.fill(memory_mb, REFILL_SECONDS)
        return await self._started(memory_mb), False

    async def _started(self, memory_mb: int) -> Ready:
        async with self._starts:
            self._check_open()
            ready = await self._start(memory_mb)
        if self._closed:
            ready.process.end()
        self._check_open()
        return ready

    def _check_open(self) -> None:
        if self._closed:
            raise StartError("the runner was closed")

    def fill(self, memory_mb: int, delay: float = 0) -> None:
        """Have the pool full soon; called when a body comes or is expected."""
        if self._size == 0 or self._closed:
            return
        self._memory_mb = memory_mb
        loop = asyncio.get_running_loop()
        if self._idle is not None:
            self._idle.cancel()
        self._idle = loop.call_later(IDLE_SECONDS, self._rest)
        if self._filling is None or self._filling.done():
            self._filling = loop.create_task(self._fill(delay))

    async def _fill(self, delay: float) -> None:
        await asyncio.sleep(delay)
        while len(self._ready) < self._size:
            try:
                ready = await self._started(self._memory_mb)
            except StartError as error:
                logger.warning("a waiting runtime could not be started: %s", error)
                return
            if self._closed or self._idle is None:
                ready.process.end()
                return
            ready.process.write(_REHEARSE)
            self._ready.append(ready)

    def _rest(self) -> None:
        """Nobody came: what is being started is not wanted any more either."""
        self._idle = None
        self.empty()

    def empty(self) -> None:
        """Give up the children that wait."""
        while self._ready:
            self._ready.pop().process.end()

    async def aclose(self) -> None:
        self._closed = True
        if self._idle is not None:
            self._idle.cancel()
        if self._filling is not None:
            self._filling.cancel()
            await asyncio.wait([self._filling])
        ended = list(self._ready)
        self.empty()
        for ready in ended:
            await ready.process.exited
