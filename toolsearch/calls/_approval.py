"""The approval step: who asked and why, one request, the first answer."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
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
from ..plugins import HookCalls
from ._record import milliseconds_since
from ._seal import Seals
from ._state import CallRequest, RunState, fail

HAND_OVER_AFTER_S = 0.2  # what standing grants may take to answer before a person is waited for


@attrs.frozen
class Approvals:
    """Asks for approvals, and takes answers from approver plugins or from the host's own API.

    `answers` holds the call id and a future for each request that waits here, by its id.
    """

    hooks: HookCalls
    settings: ApprovalSettings
    seals: Seals
    answers: dict[str, tuple[str, asyncio.Future[ApprovalDecision]]] = attrs.Factory(dict)

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
        asked = self._request(call, reasons)
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
            decision = await self._answer(request, asked)
        answered = about | {"by": decision.by, "ms": milliseconds_since(began)}
        return _settled(state, call, decision, answered)

    def answer(self, request_id: str, decision: ApprovalDecision) -> bool:
        """Answer a request that waits here; False where none does (or it was answered)."""
        _, waiting = self.answers.get(request_id, ("", None))
        if waiting is None or waiting.done():
            return False
        waiting.set_result(decision)
        return True

    def call_of(self, request_id: str) -> str | None:
        """The id of the call whose approval request waits here."""
        return self.answers[request_id][0] if request_id in self.answers else None

    def _request(self, call: ToolCall, reasons: tuple[AskReason, ...]) -> ApprovalRequest:
        now = datetime.now(UTC)
        return ApprovalRequest(
            id=f"apr_{secrets.token_hex(8)}",
            call=call,
            reasons=reasons,
            digest=call_digest(call),
            created=now,
            expires=now + timedelta(milliseconds=self.settings.wait_ms),
        )

    async def _answer(self, request: CallRequest, asked: ApprovalRequest) -> ApprovalDecision:
        loop = asyncio.get_running_loop()
        own: asyncio.Future[ApprovalDecision] = loop.create_future()
        self.answers[asked.id] = (asked.call.id, own)
        plugins = asyncio.ensure_future(self.hooks.approve(asked, self.settings.wait_ms / 1000))
        if request.waiting is not None:
            request.waiting(True)
        try:
            if request.hand_over is not None:
                await asyncio.wait({plugins}, timeout=HAND_OVER_AFTER_S)
                if not plugins.done() or plugins.result().plugin is None:
                    request.hand_over(_pending(self.seals.sealed(asked)))
                    return await self._whichever(own, plugins, asked)
            return (await plugins).decision
        finally:
            plugins.cancel()
            del self.answers[asked.id]
            if request.waiting is not None:
                request.waiting(False)

    async def _whichever(
        self,
        own: asyncio.Future[ApprovalDecision],
        plugins: asyncio.Task[Any],
        asked: ApprovalRequest,
    ) -> ApprovalDecision:
        left = (asked.expires - datetime.now(UTC)).total_seconds()
        waiting: set[asyncio.Future[Any]] = {own}
        if not plugins.done():
            waiting.add(plugins)
        ends = monotonic() + left
        while waiting and (left := ends - monotonic()) > 0:
            done, waiting = await asyncio.wait(
                waiting, timeout=left, return_when=asyncio.FIRST_COMPLETED
            )
            if own in done:
                return own.result()
            if plugins in done and plugins.result().plugin is not None:
                decision: ApprovalDecision = plugins.result().decision
                return decision
        return Reject(
            message="nobody answered in time (open requests: toolsearch approvals list)", by="host"
        )


def call_digest(call: ToolCall) -> str:
    """What an answer is bound to: this tool, as it is, and these arguments."""
    return digest(call.tool.id, call.tool.digest, call.tool.origin, call.arguments)


def _settled(
    state: RunState, call: ToolCall, decision: ApprovalDecision, about: Mapping[str, Any]
) -> Mapping[str, Any] | None:
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
