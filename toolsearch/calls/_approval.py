"""The approval step: who asked and why, one request, the first answer."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

import attrs

from toolsearch_hookspecs import (
    ApprovalDecision,
    ApprovalRequest,
    ApprovalSettings,
    Approve,
    AskReason,
    CallFailure,
    ErrorCode,
    EventType,
    Reject,
    ToolCall,
    ToolResult,
)

from ..catalog import digest
from ..plugins import ApprovalOutcome, HookCalls
from ._record import milliseconds_since
from ._seal import Seals
from ._state import CallRequest, RunState, fail

HAND_OVER_AFTER_S = 0.2  # what standing grants may take to answer before a person is waited for
APPROVERS_LATER_S = 1.0  # silence is for the host to settle, and no failure of an approver
UNANSWERED = "nobody answered in time (open requests: toolsearch approvals list)"


@attrs.frozen
class Approvals:
    """Asks for approvals, and takes answers from approver plugins or from the host's own API.

    `answers` holds a future for each request that waits here, by its id.
    """

    hooks: HookCalls
    settings: ApprovalSettings
    seals: Seals
    answers: dict[str, asyncio.Future[ApprovalDecision]] = attrs.Factory(dict)

    async def asked(
        self,
        state: RunState,
        request: CallRequest,
        call: ToolCall,
        reasons: tuple[AskReason, ...],
    ) -> Mapping[str, Any] | None:
        """Wait for a person. Gives the edited arguments, or None where they stay.

        Raises CallError (blocked) when it was rejected, or when nobody answered in time.
        """
        asked = self._request(call, reasons, handed_over=request.hand_over is not None)
        if request.resumed is not None and request.resumed[0].digest == asked.digest:
            asked = request.resumed[0]
        state.recorder.counters.approvals += 1
        about = {"call": call.id, "request": asked.id, "tool": call.tool.id}
        state.recorder.tell(
            EventType.APPROVAL_REQUESTED, about | {"by": [reason.by for reason in reasons]}
        )
        began = monotonic()
        decision = request.decision_for(asked.digest)
        if decision is None:
            decision = await self._answer(state, request, asked)
        answered = about | {"by": decision.by, "ms": milliseconds_since(began)}
        return _settled(state, call, decision, answered)

    def answer(self, request_id: str, decision: ApprovalDecision) -> bool:
        """Answer a request that waits here; False where none does (or it was answered)."""
        checked(decision)
        waiting = self.answers.get(request_id)
        if waiting is None or waiting.done():
            return False
        waiting.set_result(decision)
        return True

    def _request(
        self, call: ToolCall, reasons: tuple[AskReason, ...], *, handed_over: bool
    ) -> ApprovalRequest:
        now = datetime.now(UTC)
        return ApprovalRequest(
            id=f"apr_{secrets.token_hex(8)}",
            call=call,
            reasons=reasons,
            digest=call_digest(call),
            created=now,
            expires=now + timedelta(milliseconds=self.settings.wait_ms),
            handed_over=handed_over,
        )

    async def _answer(
        self, state: RunState, request: CallRequest, asked: ApprovalRequest
    ) -> ApprovalDecision:
        own: asyncio.Future[ApprovalDecision] = asyncio.get_running_loop().create_future()
        self.answers[asked.id] = own
        deadline_s = self.settings.wait_ms / 1000 + APPROVERS_LATER_S
        plugins = asyncio.ensure_future(self.hooks.approve(asked, deadline_s))
        waiting = _Waiting(asked, own, plugins, state.ended)
        try:
            with _said_to_wait(request):
                if request.hand_over is None:
                    return await waiting.decision(silence_decides=True)
                decision = await waiting.within(HAND_OVER_AFTER_S, silence_decides=False)
                if decision is not None:
                    return decision
                request.hand_over(_pending(self.seals.sealed(asked)))
                return self._claimed(asked, await waiting.decision(silence_decides=False))
        finally:
            plugins.cancel()
            del self.answers[asked.id]

    def _claimed(self, asked: ApprovalRequest, decision: ApprovalDecision) -> ApprovalDecision:
        """The decision on a request that left the run: whoever carries it out first, here or in
        another process, is the only one.
        """
        if isinstance(decision, Approve) and not self.seals.claim(asked):
            return Reject(message="this request was carried out elsewhere", by="host")
        return decision


@attrs.frozen
class _Waiting:
    """One request and all that can end the wait for its answer."""

    asked: ApprovalRequest
    own: asyncio.Future[ApprovalDecision]
    plugins: asyncio.Task[ApprovalOutcome]
    ended: asyncio.Future[None]

    async def decision(self, *, silence_decides: bool) -> ApprovalDecision:
        left = (self.asked.expires - datetime.now(UTC)).total_seconds()
        decided = await self.within(left, silence_decides=silence_decides)
        return decided or Reject(message=UNANSWERED, by="host")

    async def within(self, seconds: float, *, silence_decides: bool) -> ApprovalDecision | None:
        """The first answer, or None where there is none in time.

        That no approver plugin could answer decides only where nobody else is asked.
        """
        ends = monotonic() + seconds
        waiting: set[asyncio.Future[Any]] = {self.own, self.plugins, self.ended}
        while (left := ends - monotonic()) > 0:
            done, waiting = await asyncio.wait(
                waiting, timeout=left, return_when=asyncio.FIRST_COMPLETED
            )
            if self.ended.done():
                return Reject(message="the run has ended", by="host")
            if self.own in done:
                return self.own.result()
            if self.plugins in done:
                outcome = self.plugins.result()
                if outcome.plugin is not None or silence_decides:
                    return outcome.decision
        return None


@contextmanager
def _said_to_wait(request: CallRequest) -> Iterator[None]:
    if request.waiting is None:
        yield
        return
    request.waiting(True)
    try:
        yield
    finally:
        request.waiting(False)


def checked(decision: ApprovalDecision) -> None:
    """Raise TypeError for what is no decision: nonsense must not pass for a yes."""
    if not isinstance(decision, Approve | Reject):
        message = f"a decision is Approve(...) or Reject(...), not {type(decision).__name__}"
        raise TypeError(message)


def call_digest(call: ToolCall) -> str:
    """What an answer is bound to: this tool, as it is, and these arguments."""
    return digest(call.tool.id, call.tool.digest, call.tool.origin, call.arguments)


def _settled(
    state: RunState, call: ToolCall, decision: ApprovalDecision, about: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    checked(decision)
    match decision:
        case Approve(scope=scope, arguments=edited):
            data = {"decision": "approve", "scope": scope, "edited": edited is not None}
            state.recorder.tell(EventType.APPROVAL_ANSWERED, {**about, **data})
            return edited
        case Reject(message=message, by=by):
            state.recorder.tell(EventType.APPROVAL_ANSWERED, {**about, "decision": "reject"})
            raise fail(
                ErrorCode.BLOCKED,
                f"not approved: {message}. Not executed.",
                tool=call.tool.id,
                by=by,
            )


def _pending(asked: ApprovalRequest) -> ToolResult:
    failure = CallFailure(
        code=ErrorCode.APPROVAL_PENDING,
        message="a person must approve this call first; it has not been executed yet",
        tool=asked.tool.id,
    )
    return ToolResult(error=failure, pending=asked)
