"""Where something lives: timers, futures and sockets belong to one event loop of one process."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field

from .process import SupervisorError


@dataclass(frozen=True, slots=True)
class Home:
    """The process and the running event loop in which it is made."""

    pid: int = field(default_factory=os.getpid)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)

    @property
    def is_forked(self) -> bool:
        """Whether this is another process: what is open here is open there as well."""
        return self.pid != os.getpid()

    def check_left(self) -> None:
        """Raise `SupervisorError` where its loop still runs, in another thread."""
        if not self.is_forked and self.loop.is_running():
            raise SupervisorError("another event loop of this process still runs code with this")
