"""The code runner: probes its isolation once, then runs one body a child."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolsearch_hookspecs import Attestation, Bridge, CodeError, CodeLimits, CodeOutcome

from . import _messages as say
from ._frames import Hello, ProtocolError, parse
from ._home import Home
from ._pool import Pool, Ready
from ._probe import Probed, canary, probe
from ._session import Session
from ._sources import setup
from ._spawners import spawner
from .process import Channel, Spawner, StartError, SupervisorError
from .reading import greeting, settled
from .runtime import Identity, Runtime, RuntimeMissingError

if TYPE_CHECKING:
    from .settings import RunnerSettings

logger = logging.getLogger(__name__)

_GREETING_BYTES = 8 << 20
# What a busy machine spoiled is tried again, at most so often.
AGAIN_SECONDS = 60


@dataclass(slots=True)
class _Found:
    """A runtime that was probed, the path it was searched on, and what each of its children is sent
    first.
    """

    asked: Identity
    searched: str | None
    runtime: Runtime
    probed: Probed
    setup: bytes
    at: float

    def holds(self) -> bool:
        """Whether it is still what was probed, and the probe found what there is."""
        if self.searched != _path() or not self.asked.unchanged():
            return False
        if self.runtime.identity != self.asked and not self.runtime.identity.unchanged():
            return False
        return self.probed.sure or time.monotonic() < self.at + AGAIN_SECONDS


class ChildRunner:
    """Runs bodies in single-use children of one runtime, behind three layers.

    `wanted` is the program that the settings name, if they name one. A runner serves one event loop
    at a time; in another one, or in a fork, its children are started anew.
    """

    def __init__(
        self,
        runtime: type[Runtime],
        wanted: str | None,
        settings: RunnerSettings,
        memory_mb: int = 256,
    ) -> None:
        self.name = runtime.runner
        self._runtime = runtime
        self._wanted = wanted
        self._settings = settings
        self._memory_mb = memory_mb
        self._spawner: Spawner = spawner()
        self._found: _Found | None = None
        self._home: Home | None = None
        self._closed = False
        self._probing = asyncio.Lock()
        self._pool = Pool(settings.pool, self._start)

    async def probe(self) -> Attestation:
        """Find the runtime and try its isolation, once for each file that it is. Never raises."""
        attestation = await self._attestation()
        if attestation.available:
            self._pool.fill(self._memory_mb)
        return attestation

    async def _attestation(self) -> Attestation:
        try:
            self._enter()
        except SupervisorError as error:
            return self._without(error)
        async with self._probing:
            try:
                found = await self._find()
            except (RuntimeMissingError, StartError, OSError) as error:
                self._found = None
                return self._without(error)
        return found.probed.attestation

    def _enter(self) -> None:
        """Have children of this process and its running loop: those of another are none of ours.

        Raises `SupervisorError` where another loop still runs.
        """
        home = Home()
        if self._home == home:
            return
        if self._home is not None:
            self._home.check_left()
            self._probing = asyncio.Lock()
            if not self._closed:
                self._pool = Pool(self._settings.pool, self._start)
        self._home = home

    def _without(self, error: Exception) -> Attestation:
        return Attestation(
            available=False,
            isolated=False,
            runtime=self._runtime.name,
            missing=("supervisor" if isinstance(error, SupervisorError) else "runtime",),
            cure=str(error),
        )

    async def _find(self) -> _Found:
        found = self._found
        if found is None or not found.holds():
            searched = _path()
            found = self._found = await self._attest(self._runtime.locate(self._wanted), searched)
            self._pool.empty()  # of children that were started as the probe before said
        return found

    async def _attest(self, identity: Identity, searched: str | None) -> _Found:
        runtime = await self._runtime.describe(identity, self._spawner)
        allow_weak = self._settings.allow_weak_isolation
        probed = await probe(runtime, self._spawner, allow_weak=allow_weak)
        attestation = probed.attestation
        known = self._found is not None and self._found.probed.attestation == attestation
        if attestation.available and not attestation.isolated and not known:
            logger.warning(
                "code runs with weak isolation, as allowWeakIsolation says; not held: %s",
                ", ".join(attestation.missing),
            )
        first = setup(canary(), None)
        return _Found(identity, searched, runtime, probed, first, time.monotonic())

    async def run(self, code: str, bridge: Bridge, limits: CodeLimits) -> CodeOutcome:
        size = len(code.encode("utf-8", "replace"))
        if size > limits.max_script_bytes:
            message = say.script_too_large(size, limits)
            return _ended("script_too_large", "ScriptTooLarge", message)
        attestation = await self._attestation()
        if not attestation.available:
            return _unavailable(attestation.cure or ", ".join(attestation.missing))
        try:
            ready, pooled = await self._pool.take(limits.memory_mb)
        except StartError as error:
            return _unavailable(str(error))
        outcome = await Session(ready.process, ready.channel, bridge, limits).run(code)
        return outcome.model_copy(update={"telemetry": {**outcome.telemetry, "pooled": pooled}})

    async def _start(self, memory_mb: int) -> Ready:
        """A child as the probe that holds says, also where another one ended meanwhile."""
        while (found := self._found) is not None:
            ready = await self._greeted(found, memory_mb)
            if ready.is_current():
                return ready
            ready.process.end()
        raise StartError("no attested runtime")

    async def _greeted(self, found: _Found, memory_mb: int) -> Ready:
        """Start a child and check its greeting, before anything of a model is sent to it."""
        command = found.runtime.command(
            found.runtime.child(), layers=found.probed.layers, memory_mb=memory_mb
        )
        channel = Channel(_GREETING_BYTES, _GREETING_BYTES)
        process = await self._spawner.start(command, channel)
        try:
            process.write(found.setup)
            hello = _hello(await greeting(process, channel))
            await settled(process, command)
            if not self._settings.allow_weak_isolation:
                _check(hello, found.runtime)
        except BaseException:
            process.end()
            raise
        if hello.compiled is not None:
            found.setup = setup(canary(), hello.compiled)
        return Ready(process, channel, memory_mb, lambda: self._found is found)

    async def aclose(self) -> None:
        """End every child. A body that waits for one, or comes later, is told `unavailable`."""
        self._enter()
        self._closed = True
        self._found = None
        await self._pool.aclose()
        await self._spawner.aclose()


def _path() -> str | None:
    """Where a program is looked for now."""
    return os.environ.get("PATH")


def _hello(line: bytes) -> Hello:
    try:
        hello = parse(line)
    except ProtocolError as error:
        raise StartError(f"the greeting was {error}") from error
    if not isinstance(hello, Hello):
        raise StartError("it did not greet")
    return hello


def _check(hello: Hello, runtime: Runtime) -> None:
    if hello.version.partition("-")[0] != runtime.label:
        raise StartError(f"it is another {runtime.title} than the one that was probed")
    if hello.read == "open" or hello.scopes or hello.environment:
        raise StartError("it is not isolated as it was when it was probed")


def _ended(kind: str, name: str, message: str) -> CodeOutcome:
    return CodeOutcome.model_validate(
        {"outcome": kind, "error": CodeError(name=name, message=message)}
    )


def _unavailable(reason: str) -> CodeOutcome:
    """The reason may name files of the host: it is for the log, not for the model."""
    logger.warning("code cannot be run: %s", reason)
    message = "code cannot be run now: no isolated runtime can be started"
    return _ended("unavailable", "Unavailable", message)
