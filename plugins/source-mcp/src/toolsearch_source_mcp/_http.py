"""Streamable HTTP, with a client under which no failure of the network leaves its own request.

The SDK lets some of them out into the task group that holds the whole connection. Here each
becomes an answer with a code of ours: the request did not leave, was lost, wants authorization,
or belongs to a session that the server no longer knows.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import httpx2
from mcp.client.auth import OAuthFlowError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CONNECTION_CLOSED

from ._codes import NO_SESSION, UNAUTHORIZED, UNREACHABLE

if TYPE_CHECKING:
    from httpx2._types import AuthTypes

log = logging.getLogger(__name__)

SESSION_HEADER = "mcp-session-id"
_CONNECT_SECONDS = 10.0
_FAREWELL_SECONDS = 1.0
_NEVER_LEFT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)


class _Body(httpx2.AsyncByteStream):
    """A response's body: bounded, and cut where the network fails."""

    def __init__(self, inner: httpx2.AsyncByteStream, limit: int | None) -> None:
        self._inner = inner
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for chunk in self._inner:
                size += len(chunk)
                if self._limit is not None and size > self._limit:
                    raise httpx2.StreamError(f"the answer has over {self._limit} bytes")
                yield chunk
        except httpx2.TransportError as error:
            raise httpx2.StreamError("the connection broke off") from error

    async def aclose(self) -> None:
        await self._inner.aclose()


class GuardedClient(httpx2.AsyncClient):
    """An HTTP client of one server. `ended` is called when its session or the server is gone."""

    def __init__(
        self,
        *,
        headers: Mapping[str, str],
        auth: AuthTypes | None,
        limit: int,
        ended: Callable[[], None],
    ) -> None:
        timeout = httpx2.Timeout(_CONNECT_SECONDS, read=None)
        super().__init__(headers=dict(headers), auth=auth, timeout=timeout)
        self._limit = limit
        self._ended = ended
        self.session_id: str | None = None

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        try:
            response = await super().send(request, **options)
        except _NEVER_LEFT as error:
            log.debug("a request did not leave: %s", type(error).__name__)
            if request.method == "POST":
                self._ended()
            return _told(request, 503, UNREACHABLE, "the server cannot be reached")
        except httpx2.TransportError as error:
            log.debug("a request was lost: %s", type(error).__name__)
            return _told(request, 502, CONNECTION_CLOSED, "the connection broke off")
        except OAuthFlowError as error:
            log.debug("authorization failed: %s", type(error).__name__)
            self._ended()
            return _told(request, 401, UNAUTHORIZED, "the server wants authorization")
        self.session_id = response.headers.get(SESSION_HEADER, self.session_id)
        match response.status_code:
            case 401 | 403:
                await response.aclose()
                self._ended()
                return _told(request, 401, UNAUTHORIZED, "the server wants authorization")
            case 404 if request.method == "POST" and SESSION_HEADER in request.headers:
                await response.aclose()
                self._ended()
                return _told(request, 404, NO_SESSION, "the server no longer knows the session")
        self._guard(response)
        return response

    def _guard(self, response: httpx2.Response) -> None:
        streamed = response.headers.get("content-type", "").startswith("text/event-stream")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Body(response.stream, None if streamed else self._limit)


@asynccontextmanager
async def http_transport(
    url: str,
    *,
    headers: Mapping[str, str],
    auth: AuthTypes | None,
    max_message_bytes: int,
    ended: Callable[[], None],
) -> AsyncIterator[tuple[Any, Any]]:
    """Speak with the server at `url`; leaving ends its session where it keeps one."""
    async with GuardedClient(
        headers=headers, auth=auth, limit=max_message_bytes, ended=ended
    ) as client:
        try:
            async with streamable_http_client(
                url,
                http_client=client,
                terminate_on_close=False,
                max_sse_event_size=max_message_bytes,
            ) as streams:
                yield streams
        finally:
            await _say_goodbye(client, url)


async def _say_goodbye(client: GuardedClient, url: str) -> None:
    """Let the server forget the session. It gets a moment for it, no more."""
    if client.session_id is None:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(_FAREWELL_SECONDS):
            await client.delete(url, headers={SESSION_HEADER: client.session_id})


def _told(request: httpx2.Request, status: int, code: int, message: str) -> httpx2.Response:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return httpx2.Response(status, json=error, request=request)
