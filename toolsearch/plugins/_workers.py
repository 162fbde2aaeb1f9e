"""Worker threads for the `def` implementations of asynchronous hooks, bounded for each plugin.

Daemon threads, not `asyncio.to_thread`: a plugin that hangs must neither delay the exit of the
process nor take the threads of the others.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from queue import SimpleQueue
from typing import Any

from attrs import define, field

from toolsearch_hookspecs import SourceUnavailable

from ..isolation import Outcome, contained_now

WORKERS_PER_PLUGIN = 4


@define(eq=False)
class Job:
    """One call on its way to a worker. `deliver` runs on the loop, with what `run` gave."""

    run: Callable[[], Any]
    deliver: Callable[[Any], None]
    loop: asyncio.AbstractEventLoop
    context: Context = field(factory=copy_context)
    started: bool = False
    abandoned: bool = False


class Workers:
    """The threads of one plugin: started when needed, at most `size`, never waited for."""

    def __init__(self, plugin: str, size: int = WORKERS_PER_PLUGIN) -> None:
        self.size = size
        self._plugin = plugin
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._outstanding = 0
        self._threads = 0
        self._stuck = 0
        self._closed = False

    def submit(self, job: Job) -> bool:
        """Take the job; False when closed, or every worker is stuck in a call that was given up."""
        with self._lock:
            if self._closed or self._stuck >= self.size:
                return False
            self._outstanding += 1
            needed = self._threads < self.size and self._outstanding > self._threads
            self._threads += needed
            name = f"toolsearch-{self._plugin}-{self._threads}"
        self._jobs.put(job)
        if needed:
            threading.Thread(target=self._serve, name=name, daemon=True).start()
        return True

    async def answer(self, function: Callable[[], Any]) -> Any:
        """What a plain function of a source gives, called on a worker; what it raises is raised.

        Raises SourceUnavailable, and does not call it, where no worker can take it. A function
        that is still busy when this is cancelled is given up, and holds its worker.
        """
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[Outcome] = loop.create_future()
        job = Job(
            run=lambda: contained_now(function),
            deliver=lambda outcome: None if waiting.done() else waiting.set_result(outcome),
            loop=loop,
        )
        if not self.submit(job):
            message = "its functions are still busy with calls that were given up"
            raise SourceUnavailable(message)
        try:
            outcome = await waiting
        except asyncio.CancelledError:
            self.abandon(job)
            raise
        if outcome.failure is not None:
            raise outcome.failure
        return outcome.value

    def abandon(self, job: Job) -> None:
        """Give up a job: it is not started any more; where it runs, its worker counts as stuck."""
        with self._lock:
            job.abandoned = True
            self._stuck += job.started

    def close(self) -> None:
        """Let the threads end after their present job."""
        with self._lock:
            self._closed = True
            threads = self._threads
        for _ in range(threads):
            self._jobs.put(None)

    def _serve(self) -> None:
        while self._served_one():
            """Nothing of the last job is held while waiting for the next."""

    def _served_one(self) -> bool:
        job = self._jobs.get()
        if job is None:
            return False
        if self._begins(job):
            given = job.context.run(job.run)
            self._ended(job)
            self._deliver(job, given)
        return True

    def _begins(self, job: Job) -> bool:
        with self._lock:
            job.started = not job.abandoned
            self._outstanding -= job.abandoned
            return job.started

    def _ended(self, job: Job) -> None:
        with self._lock:
            self._outstanding -= 1
            self._stuck -= job.abandoned
            job.started = False

    @staticmethod
    def _deliver(job: Job, given: Any) -> None:
        try:
            job.loop.call_soon_threadsafe(job.deliver, given)
        except RuntimeError:  # the loop was closed while the job ran: nobody waits any more
            return
