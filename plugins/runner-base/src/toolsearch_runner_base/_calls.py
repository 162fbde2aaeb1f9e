"""The calls of one body: started when they are made, so many at a time, cancelled at the end."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolsearch_hookspecs import Bridge, CallError, CallFailure, CodeLimits, ErrorCode

if TYPE_CHECKING:
    from ._frames import Call

logger = logging.getLogger(__name__)

CANCEL_SECONDS = 5
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode

_LONG = re.compile(r"[0-9]{16}")
_MOST = (1 << 53) - 1

Reply = Callable[[bytes], None]


class OpenCalls:
    """Runs the calls of one body through its bridge and sends each answer back.

    `changed` is told when the number of running calls changes; while `blocked` says that the
    child does not take what was answered, no further call begins.
    """

    def __init__(
        self,
        bridge: Bridge,
        limits: CodeLimits,
        reply: Reply,
        changed: Callable[[], None],
        blocked: Callable[[], bool],
    ) -> None:
        self._bridge = bridge
        self._limits = limits
        self._answers = reply
        self._changed = changed
        self._blocked = blocked
        self._queue: deque[Call] = deque()
        self._tasks: dict[asyncio.Task[None], Call] = {}
        self._unanswered: dict[int, Call] = {}
        self._closed = False
        self.failures: dict[int, CallFailure] = {}
        self.made: dict[str, int] = {"search": 0, "describe": 0, "call": 0}

    @property
    def running(self) -> int:
        return len(self._tasks)

    @property
    def open(self) -> tuple[Call, ...]:
        """What the child has no answer to: not every task that runs, since one that has answered
        may be seen to end only after what the child made of the answer."""
        return (*self._unanswered.values(), *self._queue)

    def make(self, call: Call) -> None:
        """Start the call, or queue it behind those that run."""
        self.made[call.operation] += 1
        self._queue.append(call)
        self.proceed()

    def proceed(self) -> None:
        """Start what is queued, as far as there is room."""
        while (
            self._queue
            and len(self._tasks) < self._limits.max_parallel_calls
            and not self._blocked()
        ):
            call = self._queue.popleft()
            task = asyncio.get_running_loop().create_task(self._answer(call))
            self._tasks[task] = call
            self._unanswered[call.number] = call
            task.add_done_callback(self._finished)
            self._changed()

    def _finished(self, task: asyncio.Task[None]) -> None:
        call = self._tasks.pop(task)
        if not self._closed:
            if task.cancelled():
                self._fail(call, ErrorCode.CANCELLED, "the call was cancelled")
            self.proceed()
        self._changed()

    async def _answer(self, call: Call) -> None:
        try:
            value = await self._ask(call)
        except CallError as error:
            self._send_failure(call, error.failure)
        except Exception:  # the bridge is the host's: a bug there must not hang the body
            logger.exception("the bridge failed in call %d (%s)", call.number, call.operation)
            self._fail(call, ErrorCode.INTERNAL, "the host failed to make this call")
        else:
            self._send(call, value)

    async def _ask(self, call: Call) -> Any:
        match call.operation:
            case "search":
                return await self._bridge.search(*call.arguments)
            case "describe":
                return await self._bridge.describe(*call.arguments)
            case "call":
                return await self._bridge.call(*call.arguments)

    def _send(self, call: Call, value: Any) -> None:
        try:
            text = _exact(_encode(value))
        except (TypeError, ValueError, RecursionError):
            self._fail(call, ErrorCode.INVALID_RESULT, "the result is no JSON value", executed=True)
            return
        data = text.encode("utf-8", "replace")
        if len(data) > self._limits.max_body_value_bytes:
            self._fail(
                call,
                ErrorCode.INVALID_RESULT,
                f"the result has {len(data)} bytes, more than the "
                f"{self._limits.max_body_value_bytes} that a body is given; ask for less",
                executed=True,
            )
            return
        self._reply(call, b"[%d,true,%b]\n" % (call.number, data))

    def _fail(self, call: Call, code: ErrorCode, message: str, *, executed: bool = False) -> None:
        made = executed and call.operation == "call"
        self._send_failure(
            call, CallFailure(code=code, message=message, tool=target(call), executed=made)
        )

    def _send_failure(self, call: Call, failure: CallFailure) -> None:
        self.failures[call.number] = failure
        shown = failure.model_dump(mode="json", exclude_none=True)
        data = _encode(shown).encode("utf-8", "replace")
        self._reply(call, b"[%d,false,%b]\n" % (call.number, data))

    def _reply(self, call: Call, data: bytes) -> None:
        del self._unanswered[call.number]
        self._answers(data)

    async def close(self) -> None:
        """Cancel what is open. Returns when every call has ended."""
        self._closed = True
        self._queue.clear()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if not tasks:
            return
        _, stuck = await asyncio.wait(tasks, timeout=CANCEL_SECONDS)
        if stuck:
            logger.warning("%d calls of a body do not end when cancelled", len(stuck))


def _exact(text: str) -> str:
    """JSON whose whole numbers JavaScript can hold; larger ones become strings of their digits."""
    if _LONG.search(text) is None:
        return text
    return _encode(_held(json.loads(text)))


def _held(value: Any) -> Any:
    match value:
        case int() if abs(value) > _MOST:
            return str(value)
        case list():
            return [_held(item) for item in value]
        case dict():
            return {key: _held(item) for key, item in value.items()}
        case _:
            return value


def target(call: Call) -> str | None:
    """The tool that a call names, as far as it does."""
    if call.operation == "search" or not isinstance(call.arguments[0], str):
        return None
    return call.arguments[0][:200]
