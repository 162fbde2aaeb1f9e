"""Foreign code, run so that whatever it does stays its own: the only catch-all outside dispatch.

What a source, a runner or a renderer raises is a value here (`Outcome.failure`), SystemExit and
GeneratorExit included; only the caller's own cancellation and KeyboardInterrupt pass.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable
from time import monotonic
from typing import Any

import attrs

Step = Callable[[], Awaitable[Any]]


@attrs.frozen
class Outcome:
    """What foreign code gave: a value, or what it raised (TimeoutError where it was late)."""

    value: Any = None
    failure: BaseException | None = None


async def contained(step: Step) -> Outcome:
    """Run foreign code in this task."""
    try:
        return Outcome(await step())
    except KeyboardInterrupt:
        raise
    except asyncio.CancelledError as cancelled:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return Outcome(failure=cancelled)
    except BaseException as failure:  # noqa: BLE001  foreign code may raise anything
        return Outcome(failure=failure)


def contained_now(step: Callable[[], Any]) -> Outcome:
    """Run foreign code that is no coroutine. An interrupt that it makes up itself is a failure
    where no signal can reach, in another thread than the main one.
    """
    try:
        return Outcome(step())
    except KeyboardInterrupt as interrupt:
        if threading.current_thread() is threading.main_thread():
            raise
        return Outcome(failure=RuntimeError(f"raised {type(interrupt).__name__}"))
    except BaseException as failure:  # noqa: BLE001  foreign code may raise anything
        return Outcome(failure=failure)


def text_of(failure: BaseException) -> str:
    """What an exception says, or the name of its class where even that fails."""
    text = contained_now(lambda: str(failure)).value
    return text if isinstance(text, str) else type(failure).__name__


async def within(seconds: float, step: Step) -> Outcome:
    """Run foreign code in a task of its own; at the deadline it is cancelled and abandoned.

    An answer that comes after the deadline is a failure too, whatever it says.
    """
    (outcome,) = await side_by_side(seconds, (step,))
    return outcome


async def side_by_side(seconds: float, steps: Iterable[Step]) -> list[Outcome]:
    """Run several, each as in `within`, under one deadline; answers in the order of the steps."""
    began = monotonic()
    tasks = [asyncio.ensure_future(_timed(began, seconds, step)) for step in steps]
    if not tasks:
        return []
    try:
        await asyncio.wait(tasks, timeout=seconds)
    finally:
        for task in tasks:
            if not task.done():
                task.cancel()
                task.add_done_callback(_retrieved)
    return [_outcome(task, seconds) for task in tasks]


async def _timed(began: float, seconds: float, step: Step) -> Outcome:
    outcome = await contained(step)
    return Outcome(failure=_late(seconds)) if monotonic() - began > seconds else outcome


def _outcome(task: asyncio.Task[Outcome], seconds: float) -> Outcome:
    if not task.done() or task.cancelled():
        return Outcome(failure=_late(seconds))
    return task.result()


def _late(seconds: float) -> TimeoutError:
    return TimeoutError(f"no answer within {seconds:g} s")


def _retrieved(task: asyncio.Task[Outcome]) -> None:
    if not task.cancelled():
        task.exception()
