"""The run behind a command: planned for whoever the options name, in the structured mode."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from toolsearch_hookspecs import CallError, ErrorCode

from ._alone import source_alone
from ._hints import missing, why_empty
from ._session import Session

if TYPE_CHECKING:
    from ..host import Host
    from ..runs import Run

T = TypeVar("T")


@asynccontextmanager
async def planned(
    session: Session, who: Mapping[str, Any], *, mode: str = "tools", made: Host | None = None
) -> AsyncIterator[Run]:
    """A run of this invocation's host; what planning has to say, and why there are no tools where
    there are none, is said on the error stream.
    """
    async with session.host(made) as host, await host.plan(**who, mode=mode) as run:
        session.tell(run.diagnostics)
        if (why := await why_empty(host, run)) is not None:
            session.out.warning(why)
        yield run


async def with_tool(
    session: Session, who: Mapping[str, Any], asked: str, work: Callable[[Run], Awaitable[T]]
) -> T:
    """What `work` gives with a run that has the tool that is asked for.

    Where its source alone is enough, no other is started; where that has no such tool for this
    agent, the run is planned with all, so that the answer is the same either way. Of a tool that
    is not there a person is told in other words than a model.
    """
    made = session.new_host()
    only = source_alone(asked, made)
    if only is not None:
        async with (
            session.host(made, only=only) as host,
            await host.plan(**who, mode="tools") as run,
        ):
            if asked in run.catalog.by_id or run.state.down:
                # What rules have to say of tools that were left out here is not the truth.
                session.tell(each for each in run.diagnostics if each.code == "source_unavailable")
                return await work(run)
        made = session.new_host()
    async with planned(session, who, made=made) as run:
        try:
            return await work(run)
        except CallError as error:
            if error.failure.code is not ErrorCode.UNKNOWN_TOOL:
                raise
            said = {"message": await missing(made, run, asked)}
            raise CallError(error.failure.model_copy(update=said)) from error
