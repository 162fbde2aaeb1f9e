"""The client as the caller of one call: told of progress, asked for input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from toolsearch_hookspecs import ApprovalDecision, ApprovalRequest

from ._clients import can_ask
from ._questions import SCHEMA, decision_of, question

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import ElicitResult


@attrs.frozen
class FarEnd:
    """Whoever sent one request. Nothing that goes wrong on the way to it fails the call."""

    ctx: ServerRequestContext[Any, Any]

    async def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Pass on how far the call is, where the client wants to know."""
        await self.ctx.session.report_progress(done, total, message)

    async def ask(self, message: str, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Have the client ask its person. In the 2026 revision no question can be put mid-call."""
        answer = await self._asked(message, schema)
        return answer.content or {} if answer is not None and answer.action == "accept" else None

    async def approval(self, request: ApprovalRequest) -> ApprovalDecision | None:
        """Have the person decide on a real call of this client; None where it cannot be asked."""
        answer = await self._asked(question(request), SCHEMA)
        return None if answer is None else decision_of(answer)

    async def _asked(self, message: str, schema: Mapping[str, Any]) -> ElicitResult | None:
        from mcp import MCPError

        if not can_ask(self.ctx) or not self.ctx.session.can_send_request:
            return None
        try:
            return await self.ctx.session.elicit_form(message, dict(schema), self.ctx.request_id)
        except MCPError:
            return None
