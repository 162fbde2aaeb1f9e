"""One open connection to a server: handshake in the right era, raw listings, raw calls."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import attrs

from toolsearch_hookspecs import Caller

from ._codes import NO_SESSION, UNAUTHORIZED, UNREACHABLE
from ._desk import MAX_QUESTIONS, InputDesk
from ._envelope import enveloping, raw_result
from ._failures import LostCallError, NotSentError, ServerError
from ._messages import sendable

if TYPE_CHECKING:
    from mcp.client import ClientSession, IncomingMessage
    from mcp.client.session import MessageHandlerFnT
    from mcp.shared.dispatcher import ProgressFnT
    from pydantic import TypeAdapter

log = logging.getLogger(__name__)

Era = Literal["legacy", "modern"]

WANTS_AUTHORIZATION = (
    "it wants authorization, which the operator gives with `toolsearch auth login`"
)


@cache
def _raw_adapter() -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(dict[str, Any])


@attrs.define
class Connection:
    """An open session. `ended` is set when the server is gone; requests then fail at once."""

    session: ClientSession
    era: Era
    ended: asyncio.Event
    desk: InputDesk

    async def tools_page(self, cursor: str | None) -> dict[str, Any]:
        """One raw page of `tools/list`."""
        from mcp_types import PaginatedRequestParams

        page = await self._answered(
            self.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        )
        return raw_result({"_meta": page.meta})

    async def call(
        self, name: str, arguments: Mapping[str, Any], who: Caller | None = None
    ) -> dict[str, Any]:
        """The raw result of one `tools/call`. Raises `LostCallError`, `NotSentError` or `MCPError`.

        `who` is told of progress, and asked where the server wants input: in the 2026 revision
        the server gives its questions as a result and is called again with the answers.
        """
        from mcp_types import CallToolRequest, CallToolRequestParams

        sent = sendable(arguments)
        answers: dict[str, Any] = {}
        for _ in range(MAX_QUESTIONS):
            if self.ended.is_set():
                raise NotSentError
            params = CallToolRequestParams(name=name, arguments=sent, **answers)
            request = self.session.send_request(
                CallToolRequest(params=params), _raw_adapter(), progress_callback=_told(who)
            )
            with self.desk.attended(who):
                raw = raw_result(await self._answered(request))
            if who is None or raw.get("resultType") != "input_required":
                break
            given = await self.desk.answered(who, raw)
            if given is None:
                break
            answers = given
        return raw

    async def listen(self, heard: Callable[[], None]) -> None:
        """Call `heard` for each announcement of changed tools, until the server ends the stream.

        And once when the stream is open, for what changed before. The 2026 revision has this
        stream; in those before it announcements come unasked. Raises
        `MCPError` where the server has no such stream, `SubscriptionLost` where it broke off.
        """
        from mcp.client.subscriptions import listen

        async with listen(self.session, tools_list_changed=True) as subscription:
            heard()
            async for _ in subscription:
                heard()

    async def _answered(self, request: Awaitable[Any]) -> Any:
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED

        try:
            return await request
        except MCPError as error:
            if error.code in {UNREACHABLE, NO_SESSION}:
                raise NotSentError from error
            if error.code == UNAUTHORIZED:
                raise ServerError(WANTS_AUTHORIZATION) from error
            if error.code == CONNECTION_CLOSED:
                raise LostCallError from error
            raise


@asynccontextmanager
async def opened(
    transport: AbstractAsyncContextManager[Any],
    *,
    eras: Sequence[Era],
    http: bool,
    start_seconds: float,
    ended: asyncio.Event,
    desk: InputDesk,
    tools_changed: Callable[[], None],
) -> AsyncIterator[Connection]:
    """Connect and shake hands within `start_seconds`, in the first of `eras` that is answered."""
    import anyio
    from mcp.client import ClientSession

    async with AsyncExitStack() as stack:
        read, write = await stack.enter_async_context(enveloping(transport, mirrors_headers=http))
        session = await stack.enter_async_context(
            ClientSession(
                read,
                write,
                message_handler=_listener(tools_changed),
                elicitation_callback=desk.elicited,
                client_info=_client_info(),
            )
        )
        try:
            with anyio.fail_after(start_seconds):
                era = await _shake_hands(session, eras)
        except TimeoutError:
            raise ServerError(f"it did not answer within {start_seconds:g} s") from None
        yield Connection(session, era, ended, desk)


async def _shake_hands(session: ClientSession, eras: Sequence[Era]) -> Era:
    """The era in which the server answered.

    A server that refuses the first is asked again in the second, on the same connection: both
    revisions of the protocol have it answer what it does not know with an error.
    """
    from mcp import MCPError
    from mcp_types import CONNECTION_CLOSED
    from pydantic import ValidationError

    refused: ServerError | None = None
    for era in eras:
        try:
            await (session.initialize() if era == "legacy" else session.discover())
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                raise ServerError("it stopped before it answered") from error
            if error.code == UNREACHABLE:
                raise ServerError("it cannot be reached") from error
            if error.code == UNAUTHORIZED:
                raise ServerError(WANTS_AUTHORIZATION) from error
            refused = refused or ServerError(f"it refused the handshake (code {error.code})")
        except ValidationError:
            refused = refused or ServerError("its answer to the handshake breaks the protocol")
        except RuntimeError:
            refused = refused or ServerError("it speaks no revision of the protocol known here")
        else:
            return era
    raise refused or ServerError("no era of the protocol is allowed for it")


def _told(who: Caller | None) -> ProgressFnT | None:
    if who is None:
        return None

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        await who.progress(progress, total, message)

    return tell


def _listener(tools_changed: Callable[[], None]) -> MessageHandlerFnT:
    async def listen(message: IncomingMessage) -> None:
        from mcp_types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            tools_changed()

    return listen


def _client_info() -> Any:
    from importlib.metadata import version

    from mcp_types import Implementation

    return Implementation(name="toolsearch", version=version("toolsearch-source-mcp"))
