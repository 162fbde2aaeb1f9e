"""Approvals of the gateway's runs: answered by the operator, over HTTP, never by an app."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, get_args

import attrs

from toolsearch_hookspecs import ApprovalDecision, ApprovalRequest, Approve, Reject, Scope

from ._errors import ApiError, bad_request

OPERATOR = "gateway operator"


@attrs.frozen
class Open:
    """A request that waits, and where its answer goes."""

    request: ApprovalRequest
    answer: asyncio.Future[ApprovalDecision]


class ApprovalDesk:
    """The requests that wait in this gateway."""

    def __init__(self) -> None:
        self._open: dict[str, Open] = {}

    def __len__(self) -> int:
        return len(self._open)

    async def decision(self, request: ApprovalRequest) -> ApprovalDecision:
        """Wait until the operator answers, or somebody else did and this is cancelled."""
        answer: asyncio.Future[ApprovalDecision] = asyncio.get_running_loop().create_future()
        self._open[request.id] = Open(request, answer)
        try:
            return await answer
        finally:
            del self._open[request.id]

    def listed(self) -> list[Mapping[str, Any]]:
        return [shown(each.request) for each in self._open.values()]

    def one(self, id: str) -> Mapping[str, Any]:
        """Raises ApiError where it does not wait here."""
        return shown(self._found(id).request)

    def answer(self, id: str, body: Mapping[str, Any]) -> ApprovalDecision:
        """Answer a request. Raises ApiError for no answer, and where it does not wait any more."""
        decision = decision_of(body)
        waiting = self._found(id).answer
        if waiting.done():
            raise _not_here(id)
        waiting.set_result(decision)
        return decision

    def _found(self, id: str) -> Open:
        found = self._open.get(id)
        if found is None:
            raise _not_here(id)
        return found


def decision_of(body: Mapping[str, Any]) -> ApprovalDecision:
    """`{decision: "approve", scope?, arguments?}` or `{decision: "deny", message?}`."""
    match body:
        case {"decision": "approve", **more}:
            scope, arguments = more.get("scope", "once"), more.get("arguments")
            if scope not in get_args(Scope):
                raise bad_request("scope must be once, session or always", param="scope")
            if arguments is not None and not isinstance(arguments, dict):
                raise bad_request("arguments must be an object", param="arguments")
            return Approve(scope=scope, arguments=arguments, by=OPERATOR)
        case {"decision": "deny", "message": str(message)}:
            return Reject(message=message, by=OPERATOR)
        case {"decision": "deny"}:
            return Reject(by=OPERATOR)
    raise bad_request('decision must be "approve" or "deny"', param="decision")


def shown(request: ApprovalRequest) -> Mapping[str, Any]:
    """What the operator judges by: the real tool, its real arguments, who asks and why."""
    call, tool = request.call, request.tool
    return {
        "id": request.id,
        "tool": {
            "id": tool.id,
            "origin": tool.origin,
            "description": tool.description,
            "trusted": tool.trusted,
            "annotations": tool.annotations.model_dump(by_alias=True, exclude_none=True),
        },
        "arguments": dict(call.arguments),
        "reasons": [reason.model_dump() for reason in request.reasons],
        "agent": call.run.agent,
        "session": call.run.session,
        "principal": call.run.principal,
        "created": request.created.isoformat(),
        "expires": request.expires.isoformat(),
    }


def _not_here(id: str) -> ApiError:
    return ApiError(404, f"no approval {id[:64]} waits here", code="approval_not_found")
