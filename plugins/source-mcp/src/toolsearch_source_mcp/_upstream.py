"""One server under supervision: started when first asked for, and started again when it falls."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress

from toolsearch_hookspecs import SourceListing

from ._clues import Clues
from ._failures import ServerError
from ._listing import ListingReader
from ._pages import listed_tools
from ._session import Connection
from ._settings import McpSettings
from ._times import Times

log = logging.getLogger(__name__)

_STEADY_SECONDS = 5.0
"""Up this long, a server that falls is not in a crash loop: it is started again at once."""
_FASTEST_RETRY_SECONDS = 1.0
_RETRY_ON_DEMAND_SECONDS = 5.0
_PATIENCE_SECONDS = 2.0

Connect = Callable[[Callable[[], None]], AbstractAsyncContextManager[Connection]]


class Upstream:
    """Keeps one server connected, in a task of its own, and its listing fresh.

    Nothing that happens in the task reaches the host: it ends in `ServerError` for those
    who ask, and the next start. The first demand starts it; afterwards it is started again after
    every fall, with growing pauses, until `aclose`.
    """

    def __init__(
        self,
        name: str,
        connect: Connect,
        reader: ListingReader,
        bounds: McpSettings,
        *,
        times: Times,
        clues: Clues,
        changed: Callable[[], None],
    ) -> None:
        self._name = name
        self._connect = connect
        self._reader = reader
        self._bounds = bounds
        self._times = times
        self._clues = clues
        self._changed = changed
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self._connection: Connection | None = None
        self._listing: SourceListing | None = None
        self._announced: str | None = None
        self._failure: ServerError | None = None
        self._began = 0.0
        self._awaited_until = 0.0
        self._settled = asyncio.Event()
        self._wanted = asyncio.Event()
        self._stale = asyncio.Event()
        self._owed = False
        self._failed = False
        self._failed_at = 0.0

    async def listing(self) -> SourceListing:
        """What the server has now. Raises `ServerError`."""
        try:
            await self.connection(urgent=False)
        except BaseException:
            # Someone went away without the tools: announced when they are there.
            self._owed = True
            raise
        listing = self._listing
        if listing is None:
            raise self._unavailable()
        self._announced = listing.generation
        return listing

    async def connection(self, *, urgent: bool = True) -> Connection:
        """The open connection, waited for where it may soon be there. Raises `ServerError`.

        An urgent demand starts a server again whose last start failed just now; planning, which
        happens often, leaves it to the pauses between starts.
        """
        if self._connection is not None and self._connection.ended.is_set():
            self._lose()
        if self._connection is None and not self._closed:
            await self._come_up(urgent=urgent)
        if self._connection is None:
            raise self._unavailable()
        return self._connection

    def mark_stale(self) -> None:
        """The server says, or its answers show, that its tools are no longer those listed."""
        self._stale.set()

    async def aclose(self) -> None:
        """End the task and the server. Safe in every state and more than once."""
        self._closed = True
        self._connection = None
        self._settled.set()
        task = self._task
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    async def _come_up(self, *, urgent: bool) -> None:
        """Wait for the next start to settle, as long as there is hope of it.

        All who plan during one start wait for it as long as the first of them, so that a server
        that hangs holds up one plan and not every plan.
        """
        loop = asyncio.get_running_loop()
        asked = loop.time()
        if self._task is None:
            context = contextvars.Context()
            self._task = loop.create_task(self._supervise(), name=self._name, context=context)
            self._began = asked
            self._awaited_until = asked + self._times.patience
        if self._settled.is_set():
            recent = asked - self._failed_at < _RETRY_ON_DEMAND_SECONDS
            if recent and not urgent:
                return
            self._settled.clear()
            until = self._awaited_until = asked + min(_PATIENCE_SECONDS, self._times.patience)
        else:
            until = asked + self._times.patience if urgent else self._awaited_until
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await self._next_start()
                if urgent and self._connection is None and self._began < asked:
                    self._settled.clear()  # that start knew nothing of what has changed since
                    await self._next_start()

    async def _next_start(self) -> None:
        self._wanted.set()
        await self._settled.wait()

    async def _supervise(self) -> None:
        loop = asyncio.get_running_loop()
        first = self._bounds.first_backoff_ms / 1_000
        pause = first
        while True:
            began = loop.time()
            came_up = await self._attempt()
            if came_up and loop.time() - began >= _STEADY_SECONDS:
                pause = first
                continue
            await self._rest(pause, began + _FASTEST_RETRY_SECONDS)
            pause = min(pause * 2, self._bounds.max_backoff_ms / 1_000)

    async def _attempt(self) -> bool:
        """Start the server and serve until it falls. Whether it came up."""
        came_up = False
        self._began = asyncio.get_running_loop().time()
        try:
            async with self._connect(self.mark_stale) as connection:
                await self._refresh(connection)
                came_up = True
                self._come(connection)
                await self._keep_fresh(connection)
        except ServerError as failure:
            self._fall(failure, came_up=came_up)
        return came_up

    def _come(self, connection: Connection) -> None:
        self._failed = False
        self._connection = connection
        self._settled.set()
        owed, self._owed = self._owed, False
        log.info("server %s is up (%s protocol)", self._name, connection.era)
        if owed or self._differs():
            self._changed()

    def _lose(self) -> None:
        """Those who ask from now on wait for the next start."""
        self._connection = None
        self._settled.clear()
        self._awaited_until = asyncio.get_running_loop().time() + self._times.patience

    def _fall(self, failure: ServerError, *, came_up: bool) -> None:
        said = log.debug if str(self._failure) == str(failure) else log.info
        said("server %s is down: %s", self._name, failure)
        self._failure = failure
        if came_up:
            self._lose()
            return
        self._wanted.clear()
        self._settled.set()
        self._failed_at = asyncio.get_running_loop().time()
        first, self._failed = not self._failed, True
        if first and self._announced is not None:
            self._changed()

    async def _rest(self, seconds: float, earliest: float) -> None:
        """Pause before the next start. A demand cuts it short, though not before `earliest`."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                await self._wanted.wait()
        except TimeoutError:
            return
        self._wanted.clear()
        await asyncio.sleep(min(seconds, max(0.0, earliest - loop.time())))

    async def _keep_fresh(self, connection: Connection) -> None:
        """List again after each announcement. Raises `ServerError` when the connection ends."""
        ended = asyncio.ensure_future(connection.ended.wait())
        hearing = asyncio.ensure_future(self._hear(connection))
        try:
            while not ended.done():
                stale = asyncio.ensure_future(self._stale.wait())
                try:
                    await asyncio.wait({ended, stale}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    stale.cancel()
                if ended.done():
                    break
                await asyncio.sleep(self._bounds.debounce_ms / 1_000)
                await self._refresh(connection)
                if self._differs():
                    self._changed()
        finally:
            ended.cancel()
            hearing.cancel()
            await asyncio.wait({hearing})
        raise ServerError("it stopped")

    async def _hear(self, connection: Connection) -> None:
        """Listen for announcements where the era has a stream for them, again when it breaks."""
        from mcp import MCPError
        from mcp.client.subscriptions import SubscriptionLost

        pause = self._bounds.first_backoff_ms / 1_000
        while connection.era == "modern" and not connection.ended.is_set():
            try:
                await connection.listen(self.mark_stale)
            except SubscriptionLost:
                self.mark_stale()
            except MCPError as error:
                log.debug("server %s announces no changes (code %d)", self._name, error.code)
                return
            await asyncio.sleep(pause)
            pause = min(pause * 2, self._bounds.max_backoff_ms / 1_000)

    async def _refresh(self, connection: Connection) -> None:
        import anyio

        self._stale.clear()
        with anyio.fail_after(self._times.listing):
            tools = await listed_tools(connection, self._bounds)
        self._listing = await asyncio.to_thread(
            self._reader.read,
            tools,
            modern=connection.era == "modern",
            about=connection.session.instructions,
        )

    def _differs(self) -> bool:
        """Whether a run was told of tools that are no longer these."""
        listing = self._listing
        return (
            listing is not None
            and self._announced is not None
            and listing.generation != self._announced
        )

    def _unavailable(self) -> ServerError:
        if self._closed:
            return ServerError("it was closed")
        return self._failure or self._starting()

    def _starting(self) -> ServerError:
        clue = (
            "it goes on while this process runs, for up to "
            f"{self._times.start:g} s, and its tools come when it is up; npx and uvx download what "
            "they run the first time. To wait longer for it: `startTimeoutMs` of its entry in "
            "mcpServers, or tools.limits.sourceTimeoutMs for every server"
        )
        clues = (clue, self._clues.so_far())
        return ServerError("it is still starting", "; ".join(filter(None, clues)))
