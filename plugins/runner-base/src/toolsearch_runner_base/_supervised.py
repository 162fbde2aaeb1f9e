"""Children through the supervisor: a small process that starts, watches, kills and reaps them."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from typing import TYPE_CHECKING, Any

from ._home import Home
from ._launch import LastWords, launched, pair, unusable
from .process import Channel, Command, Exit, RefusedError, StartError, SupervisorError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping

_LOST = Exit(code=-9, lost=True)
_CLOSE_SECONDS = 5
# A supervisor answers at once; one that does not is stuck, and is killed with its children.
PATIENCE_SECONDS = 20
# One that does not even take orders holds up the loop, so that no timer tells.
BLOCKED_SECONDS = 5

logger = logging.getLogger(__name__)


class SupervisedProcess:
    """A child of the supervisor; it is told, and tells, through the spawner."""

    def __init__(self, spawner: SupervisedSpawner, number: int, channel: Channel) -> None:
        self._spawner = spawner
        self._number = number
        self._channel = channel
        self._overdue: asyncio.TimerHandle | None = None
        self.pid = 0
        self.exited: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()

    def write(self, data: bytes) -> None:
        if self._channel.transport is not None:
            self._channel.transport.write(data)

    def watch(self, memory_mb: int) -> None:
        self._spawner.tell({"op": "watch", "id": self._number, "memory_mb": memory_mb})

    async def settle(self) -> None:
        await self._spawner.settle(self._number)

    def end(self, grace_ms: int = 0) -> None:
        if self.exited.done():
            return
        self._spawner.tell({"op": "end", "id": self._number, "grace_ms": grace_ms})
        if self._overdue is None and not self.exited.done():
            self._overdue = self._spawner.patience(grace_ms)

    def lose(self) -> None:
        """Nobody can end it any more: hear no more of it, whether or not it lives on."""
        self.close(_LOST)
        self._channel.abort()

    def close(self, how: Exit) -> None:
        """It has ended, or is lost. What it said last may still have to be read, up to its end."""
        if self._overdue is not None:
            self._overdue.cancel()
        if not self.exited.done():
            self.exited.set_result(how)


class SupervisedSpawner:
    """Starts the supervisor when it is first needed, and again when it was lost.

    A fork of this process, or another event loop, has a supervisor of its own.
    """

    def __init__(self) -> None:
        self._control: socket.socket | None = None
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._lost: list[subprocess.Popen[bytes]] = []
        self._home: Home | None = None
        self._held = b""
        self._numbers = 0
        self._starting: dict[int, asyncio.Future[int]] = {}
        self._settling: dict[int, asyncio.Future[None]] = {}
        self._processes: dict[int, SupervisedProcess] = {}
        self._channels: list[Channel] = []
        self._survey: asyncio.Future[Mapping[str, bool | str]] | None = None
        self._words = LastWords(-1)
        self._ended = ""
        self._closed = False

    async def survey(self) -> Mapping[str, bool | str]:
        self._ensure()
        survey = self._survey
        if survey is None:
            survey = self._survey = asyncio.get_running_loop().create_future()
            self.tell({"op": "survey"})
        overdue = self.patience()
        try:
            return await asyncio.shield(survey)
        finally:
            overdue.cancel()

    async def start(self, command: Command, channel: Channel) -> SupervisedProcess:
        self._ensure()
        loop = asyncio.get_running_loop()
        ours, theirs = pair()
        try:
            await loop.create_unix_connection(lambda: channel, sock=ours)
            if self._control is None:  # it ended meanwhile, and nobody would answer
                channel.abort()
                raise SupervisorError(self._ended)
            self._channels = [*(each for each in self._channels if not each.is_closed), channel]
            self._numbers += 1
            number = self._numbers
            process = SupervisedProcess(self, number, channel)
            self._processes[number] = process
            started = self._starting[number] = loop.create_future()
            self.tell(
                {
                    "op": "start",
                    "id": number,
                    "program": command.program,
                    "argv": command.argv,
                    "layers": command.layers,
                    "files": command.files,
                    "calls": command.calls,
                    "environment": dict(command.environment),
                    "interruptible": command.interruptible,
                    "memory_mb": command.memory_mb,
                    "address_mb": command.address_mb,
                    "data_mb": command.data_mb,
                },
                theirs,
            )
        finally:
            theirs.close()
        overdue = self.patience()
        try:
            process.pid = await started
        except asyncio.CancelledError:
            process.end()
            raise
        except StartError:
            process.lose()
            raise
        finally:
            overdue.cancel()
        return process

    async def settle(self, number: int) -> None:
        if number not in self._processes:
            raise StartError("it ended before it was settled")
        settled = self._settling[number] = asyncio.get_running_loop().create_future()
        overdue = self.patience()
        self.tell({"op": "settle", "id": number})
        try:
            await settled
        finally:
            overdue.cancel()

    def patience(self, grace_ms: int = 0) -> asyncio.TimerHandle:
        """A timer that gives the supervisor up; cancel it when it has answered."""
        seconds = PATIENCE_SECONDS + grace_ms / 1000
        return asyncio.get_running_loop().call_later(seconds, self._abandon)

    def _abandon(self) -> None:
        if self._supervisor is not None:
            logger.warning("the supervisor of code children does not answer, and is replaced")
            self._supervisor.kill()
        self._lose()

    def tell(self, order: Mapping[str, Any], channel: socket.socket | None = None) -> None:
        """Send an order; one to a supervisor that is gone is dropped (its children are gone)."""
        if self._control is None or (self._home is not None and self._home.is_forked):
            return
        data = json.dumps(order).encode() + b"\n"
        try:
            if channel is None:
                self._control.sendall(data)
            else:
                sent = socket.send_fds(self._control, [data], [channel.fileno()])
                self._control.sendall(data[sent:])
        except TimeoutError:
            self._abandon()
        except ConnectionError:
            self._lose()

    def _ensure(self) -> None:
        if self._closed:
            raise SupervisorError("the runner was closed")
        home = Home()
        if self._home != home:
            self._leave()
        if self._control is not None:
            return
        self._lost = [each for each in self._lost if each.poll() is None]
        ours, self._supervisor, self._words = launched()
        ours.settimeout(BLOCKED_SECONDS)
        self._control = ours
        self._held = b""
        self._survey = None
        self._home = home
        home.loop.add_reader(ours.fileno(), self._readable)

    def _leave(self) -> None:
        """Let go of what another home started. Raises `SupervisorError` where it is in use."""
        home = self._home
        if home is None:
            return
        home.check_left()
        if home.is_forked or home.loop.is_closed():
            self._forget(home)
        else:
            self._lose()

    def _forget(self, home: Home) -> None:
        """Close our ends, and nothing more: a fork has the selector of its parent's loop too, and
        the supervisor still serves the parent.
        """
        if self._control is not None:
            self._control.close()
            self._control = None
        self._words.close()
        if home.is_forked:
            self._lost.clear()
        elif self._supervisor is not None:
            self._lost.append(self._supervisor)
        self._home = self._supervisor = self._survey = None
        self._starting, self._settling, self._processes = {}, {}, {}
        self._channels.clear()

    def _readable(self) -> None:
        if self._control is None:
            return
        try:
            data = self._control.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            self._lose()
            return
        *lines, self._held = (self._held + data).split(b"\n")
        for line in lines:
            self._event(json.loads(line))

    def _event(self, event: Mapping[str, Any]) -> None:
        match event["event"]:
            case "survey":
                if self._survey is not None and not self._survey.done():
                    self._survey.set_result(event["layers"])
            case "started":
                started = self._starting.pop(event["id"], None)
                if started is not None and not started.done():
                    started.set_result(event["pid"])
            case "failed":
                started = self._starting.pop(event["id"], None)
                self._processes.pop(event["id"], None)
                if started is not None and not started.done():
                    kind = StartError if event["busy"] else RefusedError
                    started.set_exception(kind(event["reason"]))
            case "settled":
                self._settled(event["id"], event["reason"])
            case "exit":
                self._settled(event["id"], "it ended before it was settled")
                process = self._processes.pop(event["id"], None)
                if process is not None:
                    process.close(
                        Exit(event["code"], event["memory"], event["peak_kb"], event["stderr"])
                    )

    def _settled(self, number: int, reason: str) -> None:
        settled = self._settling.pop(number, None)
        if settled is None or settled.done():
            return
        if reason:
            settled.set_exception(StartError(reason))
        else:
            settled.set_result(None)

    def _lose(self) -> None:
        """The supervisor is gone, and by the parent-death signal so are its children."""
        if self._control is None:
            return
        if self._home is not None and not self._home.loop.is_closed():
            self._home.loop.remove_reader(self._control.fileno())
        self._control.close()
        self._control = None
        starting, self._starting = self._starting, {}
        processes, self._processes = self._processes, {}
        for number in list(self._settling):
            self._settled(number, "the supervisor ended")
        said = self._words.read()
        reason = unusable(said) if said else SupervisorError("the supervisor of code ended")
        self._ended = str(reason)
        for started in starting.values():
            if not started.done():
                started.set_exception(reason)
        for process in processes.values():
            process.lose()
        if self._survey is not None and not self._survey.done():
            self._survey.set_exception(reason)
        self._survey = None
        if self._supervisor is not None:
            self._lost.append(self._supervisor)
            self._supervisor = None

    async def aclose(self) -> None:
        """End the supervisor and every child it still has. No other one is started."""
        self._closed = True
        if self._home != Home():
            self._leave()
        self._lose()
        for channel in self._channels:
            channel.abort()
        self._channels.clear()
        lost, self._lost = self._lost, []
        for supervisor in lost:
            await asyncio.to_thread(supervisor.wait, _CLOSE_SECONDS)
