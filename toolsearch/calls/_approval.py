"""The approval step: who asked and why, one request, the first answer."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

from toolsearch_hookspecs import (
    ApprovalDecision,
    ApprovalRequest,
    ApprovalSettings,
    Approve,
    AskReason,
    ErrorCode,
    EventType,
    Reject,
    ToolCall,
)

from ..catalog import digest
from ..plugins import HookCalls
from ._record import milliseconds_since
from ._state import CallRequest, RunState, fail


def request_for(call: ToolCall, reasons: tuple[AskReason, ...], wait_ms: int) -> ApprovalRequest:
    """What approvers are shown. The digest binds the answer to this tool and these arguments."""
    now = datetime.now(UTC)
    return ApprovalRequest(
        id=secrets.token_urlsafe(12),
        call=call,
        reasons=reasons,
        digest=digest(call.tool.id, call.tool.digest, call.tool.origin, call.arguments),
        created=now,
        expires=now + timedelta(milliseconds=wait_ms),
    )


async def approved(
    hooks: HookCalls,
    state: RunState,
    request: CallRequest,
    call: ToolCall,
    reasons: tuple[AskReason, ...],
    settings: ApprovalSettings,
) -> Mapping[str, Any] | None:
    """Wait for a person. Gives the edited arguments, or None where they stay.

    Raises CallError (blocked) when it was rejected, or when nobody answered in time.
    """
    asked = request_for(call, reasons, settings.wait_ms)
    state.recorder.counters.approvals += 1
    about = {"call": call.id, "request": asked.id, "tool": call.tool.id}
    state.recorder.tell(
        EventType.APPROVAL_REQUESTED, about | {"by": [reason.by for reason in reasons]}
    )
    began = monotonic()
    decision = await _answer(hooks, request, asked, settings)
    answered = about | {"by": decision.by, "ms": milliseconds_since(began)}
    match decision:
        case Approve(scope=scope, arguments=edited):
            state.recorder.tell(
                EventType.APPROVAL_ANSWERED,
                answered | {"decision": "approve", "scope": scope, "edited": edited is not None},
            )
            return edited
        case Reject(message=message, by=by):
            state.recorder.tell(EventType.APPROVAL_ANSWERED, answered | {"decision": "reject"})
            raise fail(
                ErrorCode.BLOCKED,
                f"not approved: {message}. Not executed.",
                tool=call.tool.id,
                by=by,
            )


async def _answer(
    hooks: HookCalls, request: CallRequest, asked: ApprovalRequest, settings: ApprovalSettings
) -> ApprovalDecision:
    if request.waiting is not None:
        request.waiting(True)
    try:
        outcome = await hooks.approve(asked, settings.wait_ms / 1000)
    finally:
        if request.waiting is not None:
            request.waiting(False)
    return outcome.decision
