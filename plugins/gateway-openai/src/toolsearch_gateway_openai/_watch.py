"""Between the plugin's hooks and whoever of its commands runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import attrs

from toolsearch_hookspecs import ApprovalDecision, ApprovalRequest, Event

Decide = Callable[[ApprovalRequest], Awaitable[ApprovalDecision | None]]
See = Callable[[Event], None]


@attrs.define
class Watch:
    """Who is asked for approvals and told of events, while a command runs; nobody otherwise."""

    decide: Decide | None = None
    see: See | None = None

    @asynccontextmanager
    async def by(self, decide: Decide | None, see: See) -> AsyncIterator[None]:
        self.decide, self.see = decide, see
        try:
            yield
        finally:
            self.decide, self.see = None, None
