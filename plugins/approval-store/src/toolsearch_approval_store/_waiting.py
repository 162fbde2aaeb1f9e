"""Waits for the answer of another process."""

from __future__ import annotations

import asyncio
import logging
import math
import sqlite3

import attrs

from toolsearch_hookspecs import ApprovalDecision, ApprovalRequest, Approve, Reject
from toolsearch_hookspecs.text import one_line

from ._records import State, StoredRequest
from ._store import Store

logger = logging.getLogger(__name__)

FOR_A_PERSON = {"for_a_person": True}
"""Marks what the command line says on its error stream though nobody asked for its log."""

FIRST_POLL_S = 0.05
LAST_POLL_S = 0.4
BEAT_S = 2.0


@attrs.define
class Waiting:
    """Answers from standing grants at once, and otherwise waits for what others write."""

    store: Store
    waits: bool
    keep_days: int
    _withdrawals: set[asyncio.Future[None]] = attrs.field(factory=set, init=False)
    _tidied: bool = attrs.field(default=False, init=False)

    async def decision(self, request: ApprovalRequest) -> ApprovalDecision | None:
        """The answer; None where it has to come from somebody else, or came too late."""
        grant = await asyncio.to_thread(self.store.granting, request.call)
        if grant is not None:
            # `once`: the grant goes on to hold by itself, and can be revoked.
            return Approve(scope="once", by=f"grant {grant.id} of {grant.by}")
        opening = asyncio.ensure_future(asyncio.to_thread(self._open, request))
        try:
            await asyncio.shield(opening)
            return await self._answer(request) if self.waits else None
        finally:
            # Not awaited: this may be a cancellation, which does not wait.
            withdrawal = asyncio.ensure_future(self._withdraw(request.id, opening))
            self._withdrawals.add(withdrawal)
            withdrawal.add_done_callback(self._withdrawals.discard)

    async def aclose(self) -> None:
        """See the last requests marked as over."""
        if self._withdrawals:
            await asyncio.wait(self._withdrawals)

    def _open(self, request: ApprovalRequest) -> None:
        if not self._tidied:
            self._tidied = True
            self.store.forget(self.keep_days)
        self.store.open(request)
        if self.waits and not request.handed_over:
            logger.warning(
                "approval needed for %s; waiting up to %d s for it: "
                "toolsearch approvals approve %s (or deny)",
                one_line(request.tool.id, 160),
                math.ceil(request.expires.timestamp() - self.store.clock()),
                request.id,
                extra=FOR_A_PERSON,
            )

    async def _withdraw(self, id_: str, opening: asyncio.Future[None]) -> None:
        """Mark as over what nobody answered here, once it is there."""
        try:
            await opening
            await asyncio.to_thread(self.store.withdraw, id_)
        except sqlite3.Error as error:
            logger.warning("approval request %s could not be marked as over: %s", id_, error)

    async def _answer(self, request: ApprovalRequest) -> ApprovalDecision | None:
        pause, since_beat = FIRST_POLL_S, 0.0
        while True:
            await asyncio.sleep(pause)
            kept = await asyncio.to_thread(self.store.request, request.id)
            if kept is None:
                return None
            if kept.state is not State.PENDING:
                return _decided(kept)
            if self.store.clock() >= kept.expires:
                return None
            since_beat += pause
            if since_beat >= BEAT_S:
                since_beat = 0.0
                await asyncio.to_thread(self.store.beat, request.id)
            pause = min(pause * 1.5, LAST_POLL_S)


def _decided(request: StoredRequest) -> ApprovalDecision | None:
    by = request.by or "somebody"
    match request.state:
        case State.APPROVED:
            scope = request.scope or "once"
            return Approve(scope=scope, arguments=request.arguments, by=by)
        case State.REJECTED:
            return Reject(message=request.message or "the request was denied", by=by)
        case _:
            return None
