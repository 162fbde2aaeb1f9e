"""Approval: all approvers are asked side by side, and the first answer wins."""

from __future__ import annotations

import asyncio

from toolsearch_hookspecs import ApprovalDecision, ApprovalRequest, Approve, Reject

from ._answers import ApprovalOutcome
from ._arguments import own_call
from ._dispatch import Dispatcher
from ._implementations import Implementation
from ._outcome import Accept, Answer, Failure, one_of

_DECISION: Accept[ApprovalDecision | None] = one_of(Approve, Reject)

_Asked = asyncio.Task[Answer[ApprovalDecision | None] | Failure]


async def approve(
    dispatcher: Dispatcher, request: ApprovalRequest, deadline_s: float
) -> ApprovalOutcome:
    """Ask all; the others are cancelled once one has answered.

    Silence, failure and the absence of approvers are a rejection that says which it was.
    Approvers that answer at the same moment are taken in the total order.
    """
    approvers = dispatcher.implementations.of("toolsearch_approve")
    asked: dict[_Asked, Implementation] = {
        asyncio.create_task(_ask(dispatcher, each, request, deadline_s)): each for each in approvers
    }
    failed: list[str] = []
    open_: set[_Asked] = set(asked)
    try:
        while open_:
            done, open_ = await asyncio.wait(open_, return_when=asyncio.FIRST_COMPLETED)
            for task in (each for each in asked if each in done):
                plugin = asked[task].plugin.name
                match task.result():
                    case Answer(value=Approve() | Reject() as decision):
                        return ApprovalOutcome(_stamped(decision, plugin), plugin)
                    case Failure(said=said):
                        failed.append(f"{plugin} {said}")
    finally:
        await _cancelled(open_)
    return ApprovalOutcome(Reject(message=_silence(approvers, failed), by="toolsearch"))


async def _ask(
    dispatcher: Dispatcher, each: Implementation, request: ApprovalRequest, deadline_s: float
) -> Answer[ApprovalDecision | None] | Failure:
    shown = request.model_copy(update={"call": own_call(request.call)})
    return await dispatcher.ask_within(deadline_s, each, {"request": shown}, _DECISION)


async def _cancelled(tasks: set[_Asked]) -> None:
    """Cancel and see them end, which the dispatcher makes them do at once."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


def _stamped(decision: ApprovalDecision, plugin: str) -> ApprovalDecision:
    """The decision with its plugin in `by`, beside the person that the plugin names."""
    unnamed = type(decision).model_fields["by"].default
    by = plugin if decision.by in {unnamed, plugin} else f"{decision.by} ({plugin})"
    return decision.model_copy(update={"by": by})


def _silence(approvers: tuple[Implementation, ...], failed: list[str]) -> str:
    if not approvers:
        return (
            "approval is needed, but no approver is there: no loaded plugin can ask a person "
            "(approval-console and approval-store do)"
        )
    if failed:
        return f"approval is needed, but nobody approved it: {'; '.join(failed)}"
    return "approval is needed, but no approver could answer"
