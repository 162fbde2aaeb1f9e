"""The source: listing operations, and calling the one server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from toolsearch_hookspecs import (
    RunContext,
    SourceKind,
    SourceListing,
    SourceUnavailable,
    ToolCall,
    ToolError,
    ToolSource,
)

from ._document import Document, read_document
from ._operations import Operation, operations
from ._request import Credentials, Request, credentials_of, request_of
from ._settings import DocumentSettings

if TYPE_CHECKING:
    import httpx2

TOLD = 2_000
RETRYABLE = frozenset({408, 425, 429, 502, 503, 504})


@attrs.frozen(eq=False)
class Loaded:
    """A document with its operations."""

    document: Document
    operations: Mapping[str, Operation]


class OpenapiSource(ToolSource):
    """The operations of one document. It is read at the first listing, and kept."""

    kind: SourceKind = "plugin"

    def __init__(
        self, owner: str, settings: DocumentSettings, base_dir: Path, environ: Mapping[str, str]
    ) -> None:
        self.name = owner
        self.trusted = settings.trusted
        self.origin = f"openapi:{settings.server or settings.document}"
        self._settings = settings
        self._base_dir = base_dir
        self._values = {
            scheme: environ[variable]
            for scheme, variable in settings.auth.items()
            if environ.get(variable)
        }
        self._reading = asyncio.Lock()
        self._loaded: Loaded | None = None
        self._client: httpx2.AsyncClient | None = None
        self._closed = False

    async def start(self, changed: Callable[[], None]) -> None:
        """The document is read when it is first asked for, so that a start waits for nothing."""

    async def list_tools(self, run: RunContext) -> SourceListing:
        loaded = await self._ready()
        return SourceListing(
            generation=loaded.document.digest,
            tools=[operation.spec for operation in loaded.operations.values()],
        )

    async def call(self, call: ToolCall) -> Any:
        if self._closed:
            raise SourceUnavailable("the source is closed")
        loaded = await self._ready()
        operation = loaded.operations.get(call.tool.name)
        if operation is None:
            raise ToolError(f"the document has no operation {call.tool.name}")
        credentials = credentials_of(operation, loaded.document, self._values)
        request = request_of(operation, call.arguments, loaded.document.server, credentials)
        return await self._answer(request, credentials)

    async def aclose(self) -> None:
        self._closed = True
        if self._client is not None:
            await self._client.aclose()

    async def _ready(self) -> Loaded:
        async with self._reading:
            if self._loaded is None:
                settings = self._settings
                document = await read_document(
                    settings.document, self._base_dir, settings.server, settings.max_document_bytes
                )
                found = await asyncio.to_thread(
                    operations, document, settings.operations, settings.exclude
                )
                self._loaded = Loaded(document, found)
            return self._loaded

    async def _answer(self, request: Request, credentials: Credentials) -> Any:
        import httpx2

        if self._client is None:
            self._client = httpx2.AsyncClient(timeout=None, trust_env=False)
        headers = {**self._settings.headers, **request.headers}
        try:
            async with self._client.stream(
                request.method, request.url, headers=headers, content=request.content
            ) as response:
                data = await self._read(response)
        except httpx2.ConnectError as error:
            raise SourceUnavailable("the server cannot be reached") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise ToolError(f"the request failed: {type(error).__name__}") from error
        except RuntimeError as error:
            raise SourceUnavailable("the source was closed") from error
        status = response.status_code
        if status >= 400:
            text = _without(data.decode(errors="replace")[:TOLD], credentials.secrets)
            raise ToolError(f"the server answers {status}: {text}", retryable=status in RETRYABLE)
        if 300 <= status < 400:
            raise ToolError(f"the server answers {status}, a redirection, which is not followed")
        return _value(data, response.headers.get("content-type", ""), credentials.secrets)

    async def _read(self, response: httpx2.Response) -> bytes:
        """The body. Raises ToolError where it is larger than allowed."""
        most = self._settings.max_response_bytes
        data = bytearray()
        async for chunk in response.aiter_bytes():
            data += chunk
            if len(data) > most:
                raise ToolError(f"the answer has more than maxResponseBytes ({most})")
        return bytes(data)


def _value(data: bytes, media: str, secrets: set[str]) -> Any:
    kind = media.partition(";")[0].strip().lower()
    if not data:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return f"{len(data)} bytes of {kind or 'an unknown type'}"
    text = _without(text, secrets)
    if kind == "application/json" or kind.endswith("+json"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _without(text: str, secrets: set[str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "[secret]")
    return text
