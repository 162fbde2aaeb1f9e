"""Which calls of a run may be under way at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager


class Sequencer:
    """Turns for calls: at most `parallel` at once, and of the exclusive ones a single one.

    Turns are given in the order in which they were asked for. An exclusive call that waits for
    another takes no place from the others. A call cancelled while it waits, or during its turn,
    leaves nothing behind.
    """

    def __init__(self, parallel: int) -> None:
        self._places = asyncio.Semaphore(parallel)
        self._exclusive = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, *, exclusive: bool) -> AsyncIterator[bool]:
        """Wait for a turn and hold it; gives whether there was anything to wait for."""
        async with AsyncExitStack() as held:
            waited = False
            if exclusive:
                waited = self._exclusive.locked()
                await held.enter_async_context(self._exclusive)
            waited = waited or self._places.locked()
            await held.enter_async_context(self._places)
            yield waited
