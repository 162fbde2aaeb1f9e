"""The one place where plugin code is called: deadlines, isolation, attribution, validation.

Nothing else in the host catches what a plugin raises.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, TypeVar

from toolsearch_hookspecs import Diagnostic, Limits, OnFailure

from ..tracebacks import note
from ._implementations import Implementation, Implementations, Style
from ._outcome import Accept, Answer, Failure
from ._reports import Reports
from ._workers import Job, Workers

INLINE_BUDGET_S = 0.01
_LACKING = frozenset({OnFailure.ABSENT, OnFailure.FATAL_IF_CHOSEN})

T = TypeVar("T")

Timed = tuple[Answer[Any] | Failure, float]
"""An outcome and when it was there (`time.monotonic`)."""


def contained(function: Callable[..., T], *arguments: Any) -> Answer[T] | Failure:
    """Call foreign code. Whatever it raises is a failure, `SystemExit` and the like included;
    only `KeyboardInterrupt` passes.
    """
    try:
        return Answer(function(*arguments))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - see the docstring
        return Failure.raised(error)


class Dispatcher:
    """Calls the implementations of one host, one at a time, and stamps what they answer."""

    def __init__(self, implementations: Implementations, reports: Reports) -> None:
        self.implementations = implementations
        self.reports = reports
        self.limits = Limits()
        self._workers: dict[str, Workers] = {}
        self._abandoned: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def deadline_s(self) -> float:
        return self.limits.hook_timeout_ms / 1000

    async def ask(
        self, each: Implementation, values: Mapping[str, Any], accept: Accept[T]
    ) -> Answer[T] | Failure:
        """Ask an asynchronous hook, within the deadline of hooks; failures are reported."""
        return await self.ask_within(self.deadline_s, each, values, accept)

    async def ask_within(
        self,
        deadline_s: float | None,
        each: Implementation,
        values: Mapping[str, Any],
        accept: Accept[T],
    ) -> Answer[T] | Failure:
        """Ask, within `deadline_s` seconds (`None`: until the caller is cancelled).

        A `def` runs on a worker and an `async def` in a task; either is given up at the deadline.
        What comes back after it is a failure, whatever it says. Cancellation of the caller is
        passed on and out.
        """
        if self._closed:
            text = "was called after the host was closed"
            return self._settled(each, Failure(text, text), accept)
        arguments = [values[name] for name in each.arguments]
        started = monotonic()
        match each.style:
            case Style.TASK:
                outcome, ended = await self._in_task(each, arguments, deadline_s)
            case Style.WORKER:
                outcome, ended = await self._on_worker(each, arguments, deadline_s)
            case Style.INLINE | Style.SYNC:
                outcome, ended = contained(each.function, *arguments), monotonic()
                self._check_inline(each, ended - started)
        if deadline_s is not None and ended - started > deadline_s:
            outcome = Failure.late(deadline_s)
        return self._settled(each, outcome, accept)

    def call(
        self, each: Implementation, values: Mapping[str, Any], accept: Accept[T]
    ) -> Answer[T] | Failure:
        """Call a synchronous hook on this thread; failures are reported."""
        arguments = [values[name] for name in each.arguments]
        return self._settled(each, contained(each.function, *arguments), accept)

    async def aclose(self) -> None:
        """Let the workers end, and those tasks that were given up, within the deadline."""
        self._closed = True
        for workers in self._workers.values():
            workers.close()
        loop = asyncio.get_running_loop()
        if ours := [task for task in self._abandoned if task.get_loop() is loop]:
            await asyncio.wait(ours, timeout=self.deadline_s)

    def _settled(
        self, each: Implementation, outcome: Answer[Any] | Failure, accept: Accept[T]
    ) -> Answer[T] | Failure:
        if isinstance(outcome, Answer):
            accepted = contained(accept, outcome.value)
            if isinstance(accepted, Answer):
                return accepted
            if inspect.iscoroutine(outcome.value):
                outcome.value.close()
            outcome = accepted
        self._report(each, outcome)
        return outcome

    async def _in_task(
        self, each: Implementation, arguments: list[Any], deadline_s: float | None
    ) -> Timed:
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[Timed | None] = loop.create_future()
        task = loop.create_task(_answer_into(waiter, each.function, arguments))
        return await _within(deadline_s, waiter, lambda: self._abandon(task))

    def _abandon(self, task: asyncio.Task[None]) -> None:
        self._abandoned.add(task)
        task.add_done_callback(self._abandoned.discard)
        task.cancel()

    async def _on_worker(
        self, each: Implementation, arguments: list[Any], deadline_s: float | None
    ) -> Timed:
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[Timed | None] = loop.create_future()
        workers = self._workers_of(each.plugin.name)
        job = Job(
            run=lambda: _timed(each.function, arguments),
            deliver=lambda given: _deliver(waiter, given),
            loop=loop,
        )
        if not workers.submit(job):
            text = f"has all {workers.size} workers still busy with calls that were given up"
            return Failure(text, "is still busy with earlier calls"), monotonic()
        return await _within(deadline_s, waiter, lambda: workers.abandon(job))

    def _workers_of(self, plugin: str) -> Workers:
        if plugin not in self._workers:
            self._workers[plugin] = Workers(plugin)
        return self._workers[plugin]

    def _check_inline(self, each: Implementation, elapsed_s: float) -> None:
        if elapsed_s > INLINE_BUDGET_S:
            self.reports.add(
                Diagnostic(
                    level="warning",
                    code="plugins.slow-inline",
                    message=f"{each}: held the event loop for {elapsed_s * 1000:.0f} ms, "
                    "though declared inline",
                    subject=each.plugin.name,
                    cure="declare it without inline=True, so that it runs on a worker thread",
                ),
                once=("inline", each.plugin.name, each.rule.name),
            )

    def _report(self, each: Implementation, failure: Failure) -> None:
        if each.rule.on_failure is OnFailure.REFUSE_PLUGIN:
            note(f"{each}: {failure.cause}", failure.error)
            return  # whoever refuses it says so
        is_new = self.reports.add(
            Diagnostic(
                level="error" if each.closed or each.rule.on_failure in _LACKING else "warning",
                code="plugins.hook-failed",
                message=f"{each}: {failure.cause} ({each.rule.on_failure})",
                subject=each.plugin.name,
                cure=f"mend the plugin, or disable it: plugins.disabled: [{each.plugin.name!r}]",
            ),
            once=("failed", each.plugin.name, each.rule.name, failure.said if each.closed else ""),
        )
        if is_new or each.rule.asynchronous:  # an event sink may fail at every event
            note(f"{each}: {failure.cause}", failure.error)


async def _answer_into(
    waiter: asyncio.Future[Timed | None], function: Callable[..., Any], arguments: list[Any]
) -> None:
    """The body of an implementation's own task; as `contained`, but awaited."""
    outcome: Answer[Any] | Failure
    try:
        outcome = Answer(await function(*arguments))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - as in `contained`
        outcome = Failure.raised(error)
    _deliver(waiter, (outcome, monotonic()))


def _timed(function: Callable[..., Any], arguments: list[Any]) -> Timed | KeyboardInterrupt:
    """The body of a worker's job; an interrupt is carried to the loop, where it is raised."""
    try:
        return contained(function, *arguments), monotonic()
    except KeyboardInterrupt as interrupt:
        return interrupt


def _deliver(waiter: asyncio.Future[Timed | None], given: Timed | KeyboardInterrupt | None) -> None:
    if waiter.done():
        return
    if isinstance(given, KeyboardInterrupt):
        waiter.set_exception(given)
    else:
        waiter.set_result(given)


async def _within(
    deadline_s: float | None, waiter: asyncio.Future[Timed | None], give_up: Callable[[], None]
) -> Timed:
    """Wait for the outcome; at the deadline, or when the caller is cancelled, give the call up."""
    timer = None
    if deadline_s is not None:
        timer = waiter.get_loop().call_later(deadline_s, _deliver, waiter, None)
    given = None
    try:
        given = await waiter
    finally:
        if timer is not None:
            timer.cancel()
        if given is None:
            give_up()
    return given if given is not None else (Failure.late(deadline_s or 0), monotonic())
