"""The server's side of the protocol over the host's runs."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal

from toolsearch_hookspecs import (
    CallFailure,
    ErrorCode,
    HostApi,
    RunApi,
    Tool,
    ToolResult,
    calling,
)

from ._about import UNDER_WAY, about, why_little
from ._clients import Client, Clients
from ._far_end import FarEnd
from ._questions import SCHEMA, decision_of, question
from ._settings import ServeSettings
from ._tools import CALL, DESCRIBE, SPLIT, Showing, covers, effect_of

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.context import ServerRequestContext

    Context = ServerRequestContext[Any, Any]

log = logging.getLogger(__name__)

PATIENCE_S = 3.0  # what a client that comes waits for sources; some give up after ten
FAREWELL_S = 3.0  # what calls under way may take when the server is asked to stop
QUESTION = "approval"
HOSTS_OWN = "openclaw:toolsearch:"
"""What the host itself answers, reading on in a long result: it changes nothing."""


class Front:
    """Answers `tools/list` and `tools/call` of every client, each from its own run.

    `who` are the fields of the run context that the deployment chose for this server.
    """

    def __init__(self, host: HostApi, settings: ServeSettings, who: Mapping[str, Any]) -> None:
        self._host = host
        self._settings = settings
        self._who = who
        self.clients = Clients(self.planned, settings)
        self.announce: Callable[[], Awaitable[None]] | None = None
        self.say: Callable[[str], None] = log.info
        self.patience_s = PATIENCE_S
        self._shown_first: RunApi | None = None
        self._instructing: asyncio.Task[str | None] | None = None
        self._instructed_by = 0.0
        self._under_way = 0
        self._idle = asyncio.Event()
        self._stopping = False

    async def instructions(self) -> str | None:
        """What a client's model is told once, before anything is asked, as it is now.

        In general words where sources keep that waiting. Raises ConfigError where the mode cannot
        be had.
        """
        now = asyncio.get_running_loop().time()
        instructing = self._instructing
        if instructing is None or instructing.done():
            instructing = self._instructing = asyncio.create_task(self._instructions())
            instructing.add_done_callback(_said_late)
            self._instructed_by = now + self.patience_s
        await asyncio.wait({instructing}, timeout=max(0.0, self._instructed_by - now))
        return instructing.result() if instructing.done() else UNDER_WAY

    async def _instructions(self) -> str | None:
        run = self._shown_first
        if run is None:
            run = self._shown_first = await self.planned("mcp-instructions", hands_over=False)
        await run.refresh()
        told = about(run.surface, split=self._settings.split_calls)
        little = why_little(self._host.diagnostics(), empty=not await self.known())
        return "\n\n".join(filter(None, (told, little))) or None

    async def planned(self, session: str, hands_over: bool) -> RunApi:
        approvals: Literal["return", "wait"] = "return" if hands_over else "wait"
        return await self._host.plan(**self._who, session=session, approvals=approvals)

    async def list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        import mcp_types as types
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        client = await self.clients.of(ctx)
        modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        client.busy += 1
        try:
            changed = await client.run.refresh()
        finally:
            client.busy -= 1
        if changed and modern and client.tell is not None:
            await client.tell()  # others that name themselves alike share the run
        client.tell = self.announce if modern else ctx.session.send_tool_list_changed
        client.watch()
        surface = client.run.surface
        tools = await self.known()
        names = [definition.name for definition in surface.tools]
        visible = {name: tool for name in names if (tool := _of_name(tools, name)) is not None}
        return types.ListToolsResult(
            tools=Showing(self._settings.split_calls, visible).tools(surface)
        )

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if self._stopping:
            raise _stopping()
        with self._call_under_way():
            client = await self.clients.of(ctx)
            client.busy += 1
            try:
                result = await self._result(ctx, client, params)
            finally:
                client.busy -= 1
            if not self._stopping:
                client.look()
            return answered(client, result)

    async def farewell(self) -> None:
        """Begin no call any more, let those under way end for a moment, then cancel the rest:
        their clients are told so.
        """
        self._stopping = True
        if self._under_way:
            calls = "1 call" if self._under_way == 1 else f"{self._under_way} calls"
            self.say(f"stopping; {calls} under way may take {FAREWELL_S:g} s more")
        await self._without_calls(FAREWELL_S)
        await self.clients.aclose()
        await self._without_calls(FAREWELL_S)

    async def aclose(self) -> None:
        await self.clients.aclose()
        if self._instructing is not None:
            self._instructing.cancel()
            await asyncio.wait({self._instructing})
        if self._shown_first is not None:
            await self._shown_first.aclose()

    async def _without_calls(self, seconds: float) -> None:
        if self._under_way:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._idle.wait()

    @contextmanager
    def _call_under_way(self) -> Iterator[None]:
        self._under_way += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()

    async def _result(
        self, ctx: Context, client: Client, params: types.CallToolRequestParams
    ) -> ToolResult:
        state = params.request_state
        if state is not None:
            return await self._resumed(client, state, params.input_responses or {})
        call_id = f"call_{secrets.token_hex(8)}"
        arguments = params.arguments or {}
        name = params.name
        if self._settings.split_calls and name in SPLIT:
            refused = await self._misplaced(client, name, arguments)
            if refused is not None:
                return refused
            name = CALL
        with calling(FarEnd(ctx)):
            return await client.run.handle(name, arguments, call_id=call_id)

    async def _resumed(
        self, client: Client, state: str, responses: Mapping[str, Any]
    ) -> ToolResult:
        import mcp_types as types

        request = client.pending.pop(state, None)
        answer = responses.get(QUESTION)
        if request is None or not isinstance(answer, types.ElicitResult):
            message = "no approval of this client waits under that state"
            return ToolResult(error=CallFailure(code=ErrorCode.INVALID_ARGUMENTS, message=message))
        try:
            return await self._host.resume(request.id, decision_of(answer))
        except LookupError:
            message = "the approval came too late. Not executed."
            return ToolResult(error=CallFailure(code=ErrorCode.BLOCKED, message=message))

    async def _misplaced(
        self, client: Client, name: str, arguments: Mapping[str, Any]
    ) -> ToolResult | None:
        """The answer to a call through a tool that is not for it; None where it is."""
        asked = arguments.get("id")
        if isinstance(asked, str) and asked.strip().startswith(HOSTS_OWN):
            return None
        described = await client.run.control(DESCRIBE, {"id": asked})
        found = described.value if isinstance(described.value, dict) else {}
        tool = (await self.known()).get(str(found.get("id")))
        effect = "destructive" if tool is None else effect_of(tool)
        if covers(SPLIT[name], effect):
            return None
        right = next(shown for shown, of in SPLIT.items() if of == effect)
        message = f"this tool is not for {name}; call it through {right}. Not executed."
        return ToolResult(error=CallFailure(code=ErrorCode.INVALID_ARGUMENTS, message=message))

    async def known(self) -> Mapping[str, Tool]:
        """Every tool by id, as it is now."""
        return {tool.id: tool for tool in await self._host.all_tools()}


def answered(
    client: Client, result: ToolResult
) -> types.CallToolResult | types.InputRequiredResult:
    """A result on the wire. A question to a person becomes what the 2026 revision has for it."""
    import mcp_types as types

    if result.pending is not None:
        client.pending[result.pending.id] = result.pending
        asked = types.ElicitRequest(
            params=types.ElicitRequestFormParams(
                message=question(result.pending), requested_schema=SCHEMA
            )
        )
        return types.InputRequiredResult(
            input_requests={QUESTION: asked}, request_state=result.pending.id
        )
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=result.text)], is_error=result.is_error
    )


def _said_late(instructing: asyncio.Task[str | None]) -> None:
    """A mode that cannot be had, found when nobody waited any more: each list says so, too."""
    if not instructing.cancelled() and (failure := instructing.exception()) is not None:
        log.warning("clients cannot be served: %s", failure)


def _stopping() -> Exception:
    from mcp import MCPError
    from mcp_types import CONNECTION_CLOSED

    return MCPError(code=CONNECTION_CLOSED, message="the server is stopping. Not executed.")


def _of_name(tools: Mapping[str, Tool], name: str) -> Tool | None:
    """The tool that a visible name stands for: the name, where one tool alone has it."""
    found = [tool for tool in tools.values() if tool.name == name]
    return found[0] if len(found) == 1 else None
