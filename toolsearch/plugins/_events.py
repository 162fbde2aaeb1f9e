"""Events on their way to the plugins: one bounded queue, one thread, never in anybody's way."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue

from attrs import frozen

from toolsearch_hookspecs import Diagnostic, Event

from ._dispatch import Dispatcher
from ._outcome import nothing

CAPACITY = 10_000
LINGER_S = 0.02  # what an event waits for others, unless somebody waits for it


@frozen
class _Told:
    """An event with the context it arose in, so that a trace goes on in the sinks."""

    event: Event
    context: Context


class EventQueue:
    """Feeds `toolsearch_event`. When the sinks cannot keep up, events are dropped and counted."""

    def __init__(
        self, dispatcher: Dispatcher, capacity: int = CAPACITY, linger_s: float = LINGER_S
    ) -> None:
        self._dispatcher = dispatcher
        self._capacity = capacity
        self._linger_s = linger_s
        self._queue: SimpleQueue[_Told | Callable[[], None] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._hurry = threading.Event()
        self.dropped = 0

    def put(self, event: Event) -> None:
        """Hand the event over and return at once; from any thread."""
        if self._closed or not self._dispatcher.implementations.of("toolsearch_event"):
            return
        if self._queue.qsize() >= self._capacity:
            self._drop()
            return
        if self._thread is None:
            self._start()
        self._queue.put(_Told(event, copy_context()))

    async def drain(self) -> None:
        """Wait until the events put so far were told, at most for the deadline of hooks."""
        if self._thread is None or self._closed:
            return
        loop = asyncio.get_running_loop()
        reached = asyncio.Event()
        with self._lock:  # a mark that is reached before the hurry began would never end it
            self._queue.put(lambda: _wake(loop, reached))
            self._hurry.set()
        try:
            async with asyncio.timeout(self._dispatcher.deadline_s):
                await reached.wait()
        except TimeoutError:
            self._report_stuck()

    def close(self) -> None:
        """Take no more events; the thread ends after those it has."""
        if self.dropped:
            self._dispatcher.reports.add(
                Diagnostic(
                    level="warning",
                    code="plugins.events-dropped",
                    message=f"{self.dropped} events were dropped in all",
                ),
                once="events dropped in all",
            )
        with self._lock:
            if self._thread is not None and not self._closed:
                self._queue.put(None)
            self._closed = True
        self._hurry.set()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(
                    target=self._serve, name="toolsearch-events", daemon=True
                )
                self._thread.start()

    def _serve(self) -> None:
        """Tell events, a burst of them at a time: while they are told, calls wait for the lock
        that the interpreter has.
        """
        while True:
            told = self._queue.get()
            if isinstance(told, _Told):
                self._hurry.wait(self._linger_s)
            while told is not None:
                self._take(told)
                try:
                    told = self._queue.get_nowait()
                except Empty:
                    break
            else:
                return

    def _take(self, told: _Told | Callable[[], None]) -> None:
        if isinstance(told, _Told):
            told.context.run(self._tell, told.event)
        else:
            with self._lock:
                self._hurry.clear()
            told()

    def _tell(self, event: Event) -> None:
        for each in self._dispatcher.implementations.of("toolsearch_event"):
            # No signal reaches this thread: a plugin that raises an interrupt made it up.
            with suppress(KeyboardInterrupt):
                self._dispatcher.call(each, {"event": event}, nothing)

    def _drop(self) -> None:
        with self._lock:
            self.dropped += 1
        self._dispatcher.reports.add(
            Diagnostic(
                level="warning",
                code="plugins.events-dropped",
                message=f"the event queue is full ({self._capacity} events wait); "
                "events are dropped until the sinks catch up",
                cure="make toolsearch_event of the plugins faster",
            ),
            once="events dropped",
        )

    def _report_stuck(self) -> None:
        self._dispatcher.reports.add(
            Diagnostic(
                level="warning",
                code="plugins.events-stuck",
                message=f"about {self._queue.qsize()} events were not taken in time: an "
                "implementation of toolsearch_event does not return",
                cure="make toolsearch_event of the plugins faster",
            ),
            once="events stuck",
        )


def _wake(loop: asyncio.AbstractEventLoop, reached: asyncio.Event) -> None:
    try:
        loop.call_soon_threadsafe(reached.set)
    except RuntimeError:  # the loop was closed: nobody waits any more
        return
