"""Daemon threads that run functions which are not asynchronous.

Not `asyncio.to_thread`: its threads are joined at exit, so that one function that hangs would keep
the program from ending.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import decimal
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from toolsearch_hookspecs import SourceUnavailable

T = TypeVar("T")
Job = Callable[[], None]


class Threads:
    """At most `size` threads, started when they are needed.

    A call whose caller was cancelled goes on (a thread cannot be stopped) and holds its thread
    until it ends. While every thread is held so, a new call is refused before it runs.
    """

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._started = 0
        self._busy = 0
        self._abandoned = 0
        self._free = asyncio.Semaphore(size)

    async def run(self, function: Callable[[], T]) -> T:
        """Run it and give what it gives; what it raises is raised here."""
        if self._abandoned >= self.size:
            raise SourceUnavailable(
                f"all {self.size} threads of {self.name} are held by calls that did not end in "
                "time; a function that may hang belongs in a worker process (workers: true)"
            )
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        context = contextvars.copy_context()
        self._jobs.put(lambda: self._finish(loop, done, context, function))
        self._busy += 1
        self._start_where_needed()
        try:
            return await done
        except asyncio.CancelledError:
            if not done.done() or done.cancelled():
                self._abandoned += 1
            raise

    def close(self) -> None:
        """Let idle threads end; one that is held ends with its call."""
        for _ in range(self._started):
            self._jobs.put(None)
        self._started = 0

    def _start_where_needed(self) -> None:
        if self._started < self._busy:
            self._started += 1
            name = f"{self.name}-{self._started}"
            threading.Thread(target=self._work, name=name, daemon=True).start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def _finish(
        self,
        loop: asyncio.AbstractEventLoop,
        done: asyncio.Future[T],
        context: contextvars.Context,
        function: Callable[[], T],
    ) -> None:
        value: Any = None
        failure: BaseException | None = None
        if not done.cancelled():  # else it was given up before it began
            try:
                value = context.run(_apart, function)
            except BaseException as error:  # noqa: BLE001 - foreign code; raised in the caller
                failure = error
        with contextlib.suppress(RuntimeError):  # closed while an abandoned call went on
            loop.call_soon_threadsafe(self._tell, done, value, failure)

    def _tell(self, done: asyncio.Future[Any], value: Any, failure: BaseException | None) -> None:
        self._busy -= 1
        self._free.release()
        if done.cancelled():
            self._abandoned -= 1
        elif failure is not None:
            done.set_exception(_raisable(failure))
        else:
            done.set_result(value)


def _apart(function: Callable[[], T]) -> T:
    """A copied context shares the decimal context: give the function flags of its own."""
    decimal.setcontext(decimal.getcontext().copy())
    return function()


def _raisable(failure: BaseException) -> BaseException:
    """A future refuses `StopIteration`; exits of a tool must not end the program."""
    if isinstance(failure, Exception) and not isinstance(failure, StopIteration):
        return failure
    return RuntimeError(f"{type(failure).__name__}: {failure}")
