"""One run a client, so that several at once do not see each other."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import attrs

from toolsearch_hookspecs import ApprovalRequest, ConfigError, RunApi

from ._settings import ServeSettings

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

SESSION_HEADER = "mcp-session-id"
WATCHED_S = 180.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0

log = logging.getLogger(__name__)


@attrs.define
class Client:
    """A client's run, what it was asked and has not answered, and how it is told that its list of
    tools is another, once it has seen one.
    """

    key: str
    run: RunApi
    hands_over: bool
    seen: float
    pending: dict[str, ApprovalRequest] = attrs.field(factory=dict)
    busy: int = 0
    tell: Callable[[], Awaitable[None]] | None = None
    _gone: bool = False
    _look_due: bool = False
    _looking: asyncio.Task[None] | None = None
    _watching: asyncio.Task[None] | None = None

    def watch(self) -> None:
        """Look from time to time for some minutes, in which slow sources come that a list lacked."""
        if not self._gone and (self._watching is None or self._watching.done()):
            self._watching = asyncio.create_task(self._watched())

    async def _watched(self) -> None:
        pause, waited = FIRST_PAUSE_S, 0.0
        while waited < WATCHED_S:
            await asyncio.sleep(pause)
            self.look()
            waited += pause
            pause = min(pause * 1.5, LONGEST_PAUSE_S)

    def look(self) -> None:
        """Look whether its tools are others now, beside what goes on, and tell it so."""
        if self.tell is None or self._gone:
            return
        self._look_due = True
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._looked())

    async def _looked(self) -> None:
        from anyio import BrokenResourceError, ClosedResourceError

        while self._look_due:
            self._look_due = False
            try:
                if await self.run.refresh() and self.tell is not None:
                    await self.tell()
            except ConfigError as error:  # the next `tools/list` is answered with it
                log.warning("the tools of a client cannot be shown any more: %s", error)
            except (BrokenResourceError, ClosedResourceError):
                log.info("a client left before it was told that its tools are others")
            except Exception as error:  # noqa: BLE001 - of a renderer or the SDK, beside all requests
                log.warning("a client could not be told of its tools: %s", type(error).__name__)

    async def aclose(self) -> None:
        self._gone = True
        for task in (self._watching, self._looking):
            if task is not None:
                task.cancel()
                await asyncio.wait({task})
        await self.run.aclose()


Plan = Callable[[str, bool], Awaitable[RunApi]]


class Clients:
    """The clients of one server. Those that were silent for long, or left, are forgotten."""

    def __init__(self, plan: Plan, settings: ServeSettings) -> None:
        self._plan = plan
        self._settings = settings
        self._planned: dict[str, asyncio.Task[Client]] = {}
        self._salt = secrets.token_hex(8)

    async def of(self, ctx: ServerRequestContext[Any, Any]) -> Client:
        """The client behind a request, planned for on its first. One does not wait for another."""
        key = client_key(ctx)
        now = asyncio.get_running_loop().time()
        planning = self._planned.get(key)
        if planning is None:
            planning = asyncio.create_task(self._new(key, takes_pending(ctx), now))
            planning.add_done_callback(lambda done: self._drop_failed(key, done))
            self._planned[key] = planning
            await self._make_room(now)
        client = await asyncio.shield(planning)
        client.seen = now
        return client

    async def forget(self, key: str) -> None:
        """A client said goodbye."""
        planning = self._planned.pop(key, None)
        if planning is None:
            return
        planning.cancel()
        await asyncio.wait({planning})
        if not planning.cancelled() and planning.exception() is None:
            await planning.result().aclose()

    async def aclose(self) -> None:
        for key in list(self._planned):
            await self.forget(key)

    async def _new(self, key: str, hands_over: bool, now: float) -> Client:
        run = await self._plan(self._session(key), hands_over)
        return Client(key, run, hands_over, now)

    def _ready(self) -> list[Client]:
        done = [planning for planning in self._planned.values() if planning.done()]
        return [one.result() for one in done if not one.cancelled() and one.exception() is None]

    def _drop_failed(self, key: str, planning: asyncio.Task[Client]) -> None:
        failed = planning.cancelled() or planning.exception() is not None
        if failed and self._planned.get(key) is planning:
            del self._planned[key]

    def _session(self, key: str) -> str:
        """The name of a client's session, of which its key cannot be told."""
        return "mcp-" + hashlib.sha256(f"{self._salt}{key}".encode()).hexdigest()[:16]

    async def _make_room(self, now: float) -> None:
        idle = sorted((one for one in self._ready() if not one.busy), key=lambda one: one.seen)
        over = len(self._planned) - self._settings.max_clients
        for place, client in enumerate(idle):
            if place < over or now - client.seen > self._settings.idle_seconds:
                await self.forget(client.key)


def client_key(ctx: ServerRequestContext[Any, Any]) -> str:
    """Who is behind a request: its session where the protocol has one, else its own name.

    The 2026 revision knows no sessions over HTTP. There two clients that name themselves alike,
    with the same token, share a run; result handles in it are random, so they share nothing else.
    """
    if ctx.request is None:
        return "stdio"
    session = ctx.request.headers.get(SESSION_HEADER)
    if session is not None:
        return f"session:{session}"
    known = ctx.session.client_params
    name = "" if known is None else f"{known.client_info.name}/{known.client_info.version}"
    host = "" if ctx.request.client is None else ctx.request.client.host
    return f"name:{host}/{name}"


def takes_pending(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether this client gets questions as results, as the 2026 revision has it."""
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS

    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and can_ask(ctx)


def can_ask(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether a person can be asked through this client."""
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and capabilities.elicitation is not None
