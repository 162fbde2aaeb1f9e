"""The lenient layer: what a server answers reaches us raw, past the SDK's strict types.

The SDK validates each result against the protocol's types and gives up a whole listing for one
malformed tool. So the results of the few requests that we make are put, untouched, into the
`_meta` of a minimal valid one, which the SDK takes; `raw_result` takes them out again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ._messages import RAW_KEY

if TYPE_CHECKING:
    from mcp.client import Transport
    from mcp.shared.message import SessionMessage

    Incoming = SessionMessage | Exception

INFO_KEYS = ("name", "version")
HEADER_KEY = "x-mcp-header"
_CACHE_HINTS = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def raw_result(result: Mapping[str, Any]) -> dict[str, Any]:
    """What the server answered, out of the envelope."""
    meta = result.get("_meta")
    raw = meta.get(RAW_KEY) if isinstance(meta, Mapping) else None
    return raw if isinstance(raw, dict) else {"content": raw}


def enveloped_result(
    method: str, raw: dict[str, Any], *, mirrors_headers: bool = False
) -> dict[str, Any]:
    """A result that every revision of the protocol accepts for `method`, with `raw` inside.

    Over HTTP the SDK mirrors some arguments into headers, for which it has to see the schemas of
    the tools that ask for it (`mirrors_headers`).
    """
    meta = {RAW_KEY: raw.get(RAW_KEY, raw)}
    match method:
        case "initialize":
            return {
                "protocolVersion": raw.get("protocolVersion"),
                "capabilities": _capabilities(raw),
                "serverInfo": _server_info(raw.get("serverInfo")),
                **_instructions(raw),
            }
        case "server/discover":
            versions = raw.get("supportedVersions")
            return {
                "supportedVersions": versions if isinstance(versions, list) else [],
                "capabilities": _capabilities(raw),
                **_instructions(raw),
                **_CACHE_HINTS,
            }
        case "tools/list":
            tools = _with_headers(raw.get("tools")) if mirrors_headers else []
            return {"tools": tools, "_meta": meta, **_CACHE_HINTS}
        case "tools/call":
            return {"content": [], "resultType": "complete", "_meta": meta}
    return raw


def _capabilities(raw: Mapping[str, Any]) -> dict[str, Any]:
    match raw.get("capabilities"):
        case {"tools": {"listChanged": bool(announced)}}:
            return {"tools": {"listChanged": announced}}
        case {"tools": _}:
            return {"tools": {}}
    return {}


def _instructions(raw: Mapping[str, Any]) -> dict[str, str]:
    match raw.get("instructions"):
        case str(text):
            return {"instructions": text}
    return {}


def _server_info(raw: Any) -> dict[str, str]:
    known = raw if isinstance(raw, dict) else {}
    return {key: known[key] if isinstance(known.get(key), str) else "" for key in INFO_KEYS}


def _with_headers(tools: Any) -> list[dict[str, Any]]:
    """The tools whose arguments go into HTTP headers: the SDK has to know their schemas."""
    if not isinstance(tools, list):
        return []
    found = []
    for tool in tools:
        match tool:
            case {"name": str(name), "inputSchema": dict(schema)} if HEADER_KEY in str(schema):
                found.append({"name": name, "inputSchema": {"type": "object", **schema}})
    return found


class _Writer:
    """Notes which request has which id on the way out."""

    def __init__(self, inner: Any, methods: dict[str, str]) -> None:
        self._inner = inner
        self._methods = methods

    async def send(self, item: SessionMessage) -> None:
        message: Any = item.message
        match getattr(message, "method", None):
            case "notifications/cancelled":
                self._methods.pop(str((message.params or {}).get("requestId")), None)
            case str(method) if hasattr(message, "id"):
                self._methods[str(message.id)] = method
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class _Reader:
    """Puts each answer into its envelope on the way in."""

    def __init__(self, inner: Any, methods: dict[str, str], *, mirrors_headers: bool) -> None:
        self._inner = inner
        self._methods = methods
        self._mirrors_headers = mirrors_headers

    async def receive(self) -> Incoming:
        item: Incoming = await self._inner.receive()
        if isinstance(item, Exception):
            return item
        message: Any = item.message
        if not hasattr(message, "method"):
            method = self._methods.pop(str(message.id), None)
            if method is not None and hasattr(message, "result"):
                message.result = enveloped_result(
                    method, message.result, mirrors_headers=self._mirrors_headers
                )
        return item

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> _Reader:
        return self

    async def __anext__(self) -> Incoming:
        import anyio

        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


@asynccontextmanager
async def enveloping(
    transport: Transport | AbstractAsyncContextManager[Any], *, mirrors_headers: bool = False
) -> AsyncIterator[tuple[Any, Any]]:
    """A transport whose answers arrive enveloped."""
    methods: dict[str, str] = {}
    async with transport as (read, write):
        yield _Reader(read, methods, mirrors_headers=mirrors_headers), _Writer(write, methods)
