"""One body in one child, from the code to the outcome."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolsearch_hookspecs import (
    Bridge,
    CallFailure,
    CodeError,
    CodeLimits,
    CodeOutcome,
    CodeOutcomeKind,
    ErrorCode,
)

from . import _messages as say
from ._calls import OpenCalls
from ._clock import Clock
from ._frames import (
    MAX_MESSAGE,
    MAX_PARTS,
    Call,
    Done,
    Frame,
    Idle,
    Interrupted,
    Log,
    ProtocolError,
    Thrown,
    parse,
)
from ._logbook import LogBook

if TYPE_CHECKING:
    from .process import Channel, Exit, Process

_INTERRUPT_GRACE_MS = 100
# A child that ends itself does so when the deadline has passed here, and before it is killed.
_LATER_MS = 5
# Characters that JSON text may take in UTF-8, and room for the frame around it.
_WIDEST = 3
_SLACK = 65_536
# What the realm refuses in words, before the frames refuse it with the body's end.
_MAX_PARTS = MAX_PARTS * 4 // 5


@dataclass(frozen=True, slots=True)
class _Violated:
    reason: str


@dataclass(frozen=True, slots=True)
class _Closed:
    pass


_End = Done | _Violated | _Closed


class Session:
    """Listens to one child. It is used once."""

    def __init__(
        self, process: Process, channel: Channel, bridge: Bridge, limits: CodeLimits
    ) -> None:
        self._process = process
        self._channel = channel
        self._limits = limits
        self._ended: asyncio.Future[_End] = asyncio.get_running_loop().create_future()
        self._calls = OpenCalls(
            bridge, limits, self._reply, self._tick, lambda: self._channel.is_full
        )
        self._logs = LogBook(limits.max_log_bytes)
        self._clock = Clock(limits.timeout_ms, limits.max_wait_ms, self._expire)
        self._waiting = 0
        self._last_call = 0
        self._sent = 0
        self._replies: list[bytes] = []
        self._idle = False
        self._idled = 0
        self._expired = False
        self._handed_in = False
        self._lost: tuple[Call, ...] = ()
        self._cancelling: asyncio.Task[None] | None = None
        bridge.on_waiting(self._wait)

    async def run(self, code: str) -> CodeOutcome:
        """Send the code and wait for the end. The child is gone when this returns or raises."""
        started = time.monotonic()
        self._channel.bound(*bounds(self._limits))
        self._clock.start()
        self._process.write(_job(code, self._limits, self._clock.deadline_ms + _LATER_MS))
        self._process.watch(self._limits.memory_mb)
        self._channel.listen(self)
        try:
            end = await self._ended
        finally:
            exit_ = await _even_if_cancelled(self._finish())
        outcome, value, error = self._outcome(end, exit_)
        cut = end.log_cut if isinstance(end, Done) else 0
        return CodeOutcome(
            outcome=outcome,
            value=value,
            error=error,
            logs=self._logs.lines(),
            notes=(*self._notes(end), *self._logs.notes(cut)),
            telemetry={**self._counts(), "ms": round((time.monotonic() - started) * 1000, 1)},
        )

    async def _finish(self) -> Exit:
        """Stop the clock, cancel the calls, end the child."""
        self._clock.stop()
        self._lost = self._lost or self._calls.open
        if not self._ended.done():
            self._ended.cancel()
        self._process.end()
        await (self._cancelling or self._calls.close())
        exit_ = await self._process.exited
        self._channel.abort()
        return exit_

    # -- what the child says

    def line(self, line: bytes) -> None:
        if self._ended.done():
            return
        try:
            self._take(parse(line))
        except ProtocolError as violation:
            self._end(_Violated(str(violation)))

    def closed(self) -> None:
        self._end(_Closed())

    def overrun(self, reason: str) -> None:
        self._end(_Violated(reason))

    def writable(self) -> None:
        self._calls.proceed()

    def _take(self, frame: Frame) -> None:
        match frame:
            case Log():
                self._logs.add(frame)
            case Interrupted():
                self._handed_in = True
                if self._clock.is_over:  # a loop that was busy reads before it looks at its timers
                    self._expire()
                self._end(_Closed())
            case _ if self._expired:
                return
            case Call():
                self._make(frame)
            case Idle(delivered):
                self._idled += 1
                if delivered > self._sent or self._idled > self._sent + 1:
                    raise ProtocolError("more replies taken than were sent")
                self._idle = delivered == self._sent
                self._tick()
            case Done():
                if self._calls.open:
                    raise ProtocolError("an end before its calls")
                self._end(frame)
            case _:
                raise ProtocolError("a second greeting")

    def _make(self, call: Call) -> None:
        if call.number != self._last_call + 1:
            raise ProtocolError("calls out of order")
        if call.number > self._limits.max_bridge_calls:
            raise ProtocolError("more calls than are allowed")
        self._last_call = call.number
        self._calls.make(call)

    def _end(self, end: _End) -> None:
        if not self._ended.done():
            self._ended.set_result(end)

    # -- replies, and the clock

    def _reply(self, data: bytes) -> None:
        if self._ended.done() or self._expired:
            return
        self._idle = False
        self._sent += 1
        self._replies.append(data)
        if self._calls.running <= 1:
            self._send()
        elif len(self._replies) == 1:  # those that are answered in this turn go together
            asyncio.get_running_loop().call_soon(self._send)

    def _send(self) -> None:
        replies, self._replies = self._replies, []
        if replies:  # first the deadline as it is now: a child may have to end itself by it
            until = self._clock.deadline_ms + _LATER_MS
            self._process.write(b"%d\n%b" % (until, b"".join(replies)))

    def _wait(self, waiting: int) -> None:
        self._waiting = waiting
        self._tick()

    def _tick(self) -> None:
        """The clock stands still while the child is idle and every call waits for a person."""
        running = self._calls.running
        self._clock.hold(self._idle and running > 0 and self._waiting >= running)

    def _expire(self) -> None:
        """The deadline: no call goes on, and the child has a moment to hand in its logs."""
        if self._expired:
            return
        self._expired = True
        self._lost = self._calls.open
        self._process.end(_INTERRUPT_GRACE_MS)
        self._cancelling = asyncio.get_running_loop().create_task(self._calls.close())

    # -- the outcome

    def _outcome(self, end: _End, exit_: Exit) -> tuple[CodeOutcomeKind, Any, CodeError | None]:
        lost = not self._handed_in
        limits = self._limits
        if self._expired:
            return _failed("timeout", "Timeout", say.timeout(limits, self._lost, lost=lost))
        match end:
            case Done(ending="ok", size=size) if size > limits.max_value_bytes + _SLACK:
                return _failed("result_too_large", "ResultTooLarge", say.result_too_large(limits))
            case Done(ending="ok", value=value):
                return "ok", value, None
            case Done(thrown=Thrown() as thrown):
                return self._thrown(end.ending, thrown)
            case Done(ending="deadlock"):
                return _failed("deadlock", "Deadlock", say.deadlock())
            case Done():
                return _failed("result_too_large", "ResultTooLarge", say.result_too_large(limits))
            case _Violated(reason):
                return _failed("protocol", "ProtocolError", say.protocol(reason, self._lost))
            case _Closed() if exit_.memory or out_of_memory(exit_, limits.memory_mb):
                return _failed("memory", "OutOfMemory", say.memory(limits, self._lost, lost=lost))
            case _Closed():
                return _failed("crashed", "Crash", say.crashed(self._lost))

    def _thrown(self, ending: str, thrown: Thrown) -> tuple[CodeOutcomeKind, Any, CodeError | None]:
        failure = self._calls.failures.get(thrown.call)
        kind: CodeOutcomeKind = "syntax" if ending == "syntax" else "exception"
        if thrown.call == 0:
            too_many = thrown.code == ErrorCode.TOO_MANY_CALLS
            kind = "too_many_calls" if too_many else kind
            code = ErrorCode.TOO_MANY_CALLS if too_many else ErrorCode.INVALID_ARGUMENTS
            failure = CallFailure(code=code, message=thrown.message)
        message = thrown.message
        if failure is not None and thrown.call > 0 and thrown.line is None:
            message = f"call {thrown.call} failed: {message}"
        error = CodeError(name=thrown.name, message=message, line=thrown.line, failure=failure)
        return kind, None, error

    def _notes(self, end: _End) -> tuple[str, ...]:
        match end:
            case Done(open=still_open, refused=refused) if not self._expired:
                notes = []
                if still_open:
                    failed = sum(number in self._calls.failures for number in still_open)
                    notes.append(say.left_open(len(still_open), failed))
                if refused:
                    notes.append(say.refused(refused))
                return tuple(notes)
            case _:
                return ()

    def _counts(self) -> dict[str, int]:
        made = self._calls.made
        return {"searches": made["search"], "describes": made["describe"], "calls": made["call"]}


def bounds(limits: CodeLimits) -> tuple[int, int]:
    """The longest line and the most bytes that a well-behaved child can say."""
    longest = max(limits.max_value_bytes, limits.max_body_value_bytes, limits.max_log_bytes)
    line = longest * _WIDEST + _SLACK
    logs = limits.max_log_bytes * _WIDEST * 8
    return line, 4 * line + logs + limits.max_bridge_calls * 256


def _job(code: str, limits: CodeLimits, until_ms: int) -> bytes:
    bounds_inside = {
        "maxCalls": limits.max_bridge_calls,
        "maxArguments": limits.max_body_value_bytes,
        "maxArgumentsTotal": limits.max_body_value_bytes * 4,
        "maxValue": limits.max_value_bytes,
        "maxLog": limits.max_log_bytes,
        "maxParts": _MAX_PARTS,
        "maxMessage": MAX_MESSAGE,
    }
    job = {
        "code": code,
        "marker": f"m{secrets.token_hex(8)}",
        "place": f"p{secrets.token_hex(8)}",
        "limits": json.dumps(bounds_inside),
        "until": until_ms,
    }
    return json.dumps(job).encode() + b"\n"


def _failed(
    kind: CodeOutcomeKind, name: str, message: str
) -> tuple[CodeOutcomeKind, Any, CodeError | None]:
    return kind, None, CodeError(name=name, message=message)


def out_of_memory(exit_: Exit, memory_mb: int) -> bool:
    """Whether a child that ended by itself ran out of memory: the engine says so, or aborted."""
    if "out of memory" in exit_.stderr or "Allocation failed" in exit_.stderr:
        return True
    return exit_.code in {-6, -5, -4} and exit_.peak_kb >= memory_mb * 512


async def _even_if_cancelled(work: Any) -> Any:
    """Finish `work` although the waiting task is cancelled, then let the cancellation go on."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None and not task.cancelled():
        raise cancelled
    return task.result()
