"""Where a server's requests for input go: to whoever made the call, where it can answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import attrs

from toolsearch_hookspecs import Caller
from toolsearch_hookspecs.text import one_line

if TYPE_CHECKING:
    from mcp.client import ClientRequestContext
    from mcp_types import ElicitRequestParams, ElicitResult, ErrorData

MAX_QUESTIONS = 5
_LONGEST_QUESTION = 2_000


@attrs.define
class InputDesk:
    """The calls under way on one connection, and who made them.

    Before the 2026 revision a question of a server does not say which call it belongs to. It is
    passed on only while a single call is under way, so that nobody is asked about another's.
    """

    server: str
    _under_way: list[Caller | None] = attrs.field(factory=list)

    @contextmanager
    def attended(self, who: Caller | None) -> Iterator[None]:
        """A call of `who` is under way."""
        self._under_way.append(who)
        try:
            yield
        finally:
            self._under_way.remove(who)

    async def elicited(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult | ErrorData:
        """The answer to a question that came by itself."""
        from mcp_types import INVALID_REQUEST, ElicitRequestFormParams, ErrorData

        alone = self._under_way[0] if len(self._under_way) == 1 else None
        if alone is None or not isinstance(params, ElicitRequestFormParams):
            return ErrorData(code=INVALID_REQUEST, message="nobody here can be asked for input")
        return await self._asked(alone, params.message, params.requested_schema)

    async def answered(self, who: Caller, raw: Mapping[str, Any]) -> dict[str, Any] | None:
        """The fields of the next call that answer the questions in a result.

        None where they cannot be answered here.
        """
        requests = raw.get("inputRequests")
        responses: dict[str, Any] = {}
        for key, request in requests.items() if isinstance(requests, dict) else ():
            match request:
                case {
                    "method": "elicitation/create",
                    "params": {"message": str(message), "requestedSchema": dict(schema)},
                }:
                    responses[str(key)] = await self._asked(who, message, schema)
                case _:
                    return None
        state = raw.get("requestState")
        return {
            "input_responses": responses or None,
            "request_state": state if isinstance(state, str) else None,
        }

    async def _asked(self, who: Caller, message: str, schema: Mapping[str, Any]) -> ElicitResult:
        from mcp_types import ElicitResult

        question = f"server {self.server} asks: {one_line(message, _LONGEST_QUESTION)}"
        content = await who.ask(question, schema)
        if content is None:  # nobody answered; that a person refused cannot be said of it
            return ElicitResult(action="cancel")
        return ElicitResult.model_validate({"action": "accept", "content": dict(content)})
