"""The deadline of one body: a clock that can stand still while a person is asked."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Clock:
    """Calls `expired` once, after `timeout_ms` of running time.

    Standing still adds up to at most `max_wait_ms`; from then on the clock runs.
    """

    def __init__(self, timeout_ms: int, max_wait_ms: int, expired: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._left = timeout_ms / 1000
        self._wait_left = max_wait_ms / 1000
        self._expired = expired
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.standing = False

    def start(self) -> None:
        self._run()

    @property
    def deadline_ms(self) -> int:
        """When it expires if it runs from now on, in milliseconds since 1970."""
        return round((time.time() + self._left_now) * 1000)

    @property
    def is_over(self) -> bool:
        """Whether it has expired, though nobody may have been told yet."""
        return self._left_now <= 0

    @property
    def _left_now(self) -> float:
        passed = 0.0 if self.standing else self._loop.time() - self._since
        return self._left - passed

    def hold(self, still: bool) -> None:
        """Stand still, or run."""
        if still == self.standing or self._timer is None or (still and self._wait_left <= 0):
            return
        self._timer.cancel()
        passed = self._loop.time() - self._since
        if still:
            self._left -= passed
            self.standing = True
            self._since = self._loop.time()
            self._timer = self._loop.call_later(self._wait_left, self.hold, False)
        else:
            self._wait_left -= passed
            self._run()

    def _run(self) -> None:
        self.standing = False
        self._since = self._loop.time()
        self._timer = self._loop.call_later(max(self._left, 0), self._expired)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
