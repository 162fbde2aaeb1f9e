"""Child processes as the runner sees them, whoever starts them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

LAYERS = ("landlock", "seccomp", "uid", "rlimits", "death")


@dataclass(frozen=True, slots=True)
class Command:
    """What to start. `files` are all that Landlock leaves readable; memory in megabytes.

    `calls` names system calls that this program needs besides those that every runtime is allowed
    (see `supervisor/_syscalls.py`), and `environment` is all of its environment. A program that is
    not `interruptible` hands in no logs at a signal. One that `settles` starts no thread any more
    once it has greeted, and is kept from it. `data_mb` bounds its private memory by the kernel,
    where its runtime can start so.
    """

    program: str
    argv: tuple[str, ...]
    layers: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    interruptible: bool = True
    settles: bool = False
    memory_mb: int = 256
    address_mb: int = 4096
    data_mb: int | None = None


@dataclass(frozen=True, slots=True)
class Exit:
    """How a child ended. `code` is negative for a signal, `memory` that it was over its bound."""

    code: int
    memory: bool = False
    peak_kb: int = 0
    stderr: str = ""
    lost: bool = False


class StartError(Exception):
    """A child could not be started; the text is the reason."""


class RefusedError(StartError):
    """The system does not apply a layer, or does not start the program under it: not for a while."""


class SupervisorError(StartError):
    """Nothing can be started, whatever the program is; the text is the reason."""


class Process(Protocol):
    """One started child; its output goes to the channel it was started with."""

    pid: int
    exited: asyncio.Future[Exit]

    def write(self, data: bytes) -> None: ...

    def watch(self, memory_mb: int) -> None:
        """Bound the memory that it holds of its own, from now on."""

    async def settle(self) -> None:
        """Let it start no further thread or process; raises `StartError`."""
        ...

    def end(self, grace_ms: int = 0) -> None:
        """Kill its process group; with a grace, interrupt it first and let it hand in its logs."""


class Spawner(Protocol):
    """Starts children."""

    async def survey(self) -> Mapping[str, bool | str]:
        """Which of `LAYERS` can be had here, tried, and whether the `memory` of a child can be
        watched; the reason where not."""
        ...

    async def start(self, command: Command, channel: Channel) -> Process:
        """Start a child; raises `StartError`."""
        ...

    async def aclose(self) -> None: ...


class Listener(Protocol):
    """Takes the lines of one child."""

    def line(self, line: bytes) -> None: ...

    def closed(self) -> None:
        """No more lines come."""

    def overrun(self, reason: str) -> None:
        """The child wrote more than it may."""

    def writable(self) -> None:
        """The child has taken enough of what was sent for more to be sent."""


@dataclass(slots=True)
class Channel(asyncio.Protocol):
    """Splits a child's output into lines, and stops at the first one that is too long.

    What comes before somebody listens is kept, within the same bounds.
    """

    max_line: int
    max_total: int
    listener: Listener | None = None
    transport: asyncio.Transport | None = None
    is_full: bool = False
    is_closed: bool = False
    _held: bytearray = field(default_factory=bytearray)
    _kept: list[bytes] = field(default_factory=list)
    _seen: int = 0
    _overrun: str | None = None

    def listen(self, listener: Listener) -> None:
        self.listener = listener
        kept, self._kept = self._kept, []
        for line in kept:
            listener.line(line)
        if self._overrun is not None:
            listener.overrun(self._overrun)
        elif self.is_closed:
            listener.closed()

    @property
    def is_quiet(self) -> bool:
        """Whether it is open and nothing has come that nobody has heard."""
        return not (self.is_closed or self._kept or self._held or self._overrun)

    def bound(self, max_line: int, max_total: int) -> None:
        """Set other bounds, counted from now on."""
        self.max_line, self.max_total, self._seen = max_line, max_total, 0

    def abort(self) -> None:
        """Hear no more."""
        if self.transport is not None:
            self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        if self._overrun is not None:
            return
        self._seen += len(data)
        self._held += data
        if b"\n" in data:
            *lines, self._held = self._held.split(b"\n")
            for line in lines:
                self._line(bytes(line))
        if len(self._held) > self.max_line:
            self._stop(f"a line of more than {self.max_line} bytes")
        elif self._seen > self.max_total:
            self._stop(f"more than {self.max_total} bytes")

    def _line(self, line: bytes) -> None:
        if len(line) > self.max_line:
            self._stop(f"a line of more than {self.max_line} bytes")
        elif self._overrun is not None:
            return
        elif self.listener is None:
            self._kept.append(line)
        else:
            self.listener.line(line)

    def _stop(self, reason: str) -> None:
        if self._overrun is not None:
            return
        self._overrun = reason
        self._held = bytearray()
        if self.listener is not None:
            self.listener.overrun(reason)

    def pause_writing(self) -> None:
        self.is_full = True

    def resume_writing(self) -> None:
        self.is_full = False
        if self.listener is not None:
            self.listener.writable()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_closed = True
        if self.listener is not None:
            self.listener.closed()
