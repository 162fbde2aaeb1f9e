"""The run behind a command: planned for whoever the options name, in the structured mode."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from ._hints import why_empty
from ._session import Session

if TYPE_CHECKING:
    from ..runs import Run


@asynccontextmanager
async def planned(
    session: Session, who: Mapping[str, Any], *, mode: str = "tools"
) -> AsyncIterator[Run]:
    """A run of this invocation's host; what planning has to say, and why there are no tools where
    there are none, is said on the error stream.
    """
    async with session.host() as host, await host.plan(**who, mode=mode) as run:
        session.tell(run.diagnostics)
        if (why := await why_empty(host, run)) is not None:
            session.out.warning(why)
        yield run
