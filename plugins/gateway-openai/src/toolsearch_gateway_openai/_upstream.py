"""The provider behind the gateway."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from ._errors import ApiError, upstream_error
from ._pools import Pools
from ._settings import UpstreamSettings
from ._sse import ServerEvent, TooLongError, read_events

log = logging.getLogger(__name__)

Headers = Mapping[str, str]

NOT_TAKEN = frozenset({429, 503, 529})
"""Statuses with which a provider says that it did not begin."""

_LONGEST_PAUSE_S = 20.0
_FIRST_PAUSE_S = 0.5
_PASSED_ON = ("retry-after", "x-request-id", "x-should-retry")
_ANSWER_MEDIA = "text/event-stream"


class Upstream:
    """Asks the provider. A request is sent again only where the provider certainly did not take
    it: it could not be reached, or said so itself. Close it with `aclose`.
    """

    def __init__(self, settings: UpstreamSettings, key: str | None) -> None:
        self._settings = settings
        self._key = key or None
        self._pools = Pools(settings)

    async def answer(
        self, path: str, body: Mapping[str, Any], passed: Headers
    ) -> Mapping[str, Any]:
        """A whole answer. Raises ApiError."""
        async with self._sent("POST", path, body, passed) as response:
            return await self._read_json(response)

    async def get(self, path: str, passed: Headers) -> Mapping[str, Any]:
        """What the provider has under a path. Raises ApiError."""
        async with self._sent("GET", path, None, passed) as response:
            return await self._read_json(response)

    @asynccontextmanager
    async def events(
        self, path: str, body: Mapping[str, Any], passed: Headers
    ) -> AsyncIterator[AsyncIterator[ServerEvent]]:
        """A streamed answer, read as fast as it is taken. Raises ApiError, also half-way."""
        async with self._sent("POST", path, body, passed) as response:
            if not response.headers.get("content-type", "").startswith(_ANSWER_MEDIA):
                raise upstream_error(502, "the provider did not stream", "upstream_not_streamed")
            yield self._events(response)

    async def aclose(self) -> None:
        await self._pools.aclose()

    async def _events(self, response: httpx2.Response) -> AsyncIterator[ServerEvent]:
        try:
            async for event in read_events(response.aiter_bytes(), self._settings.max_answer_bytes):
                yield event
        except TooLongError as error:
            raise _too_long() from error
        except httpx2.HTTPError as error:
            raise _broken(error) from error

    @asynccontextmanager
    async def _sent(
        self, method: str, path: str, body: Mapping[str, Any] | None, passed: Headers
    ) -> AsyncIterator[httpx2.Response]:
        """A response with a good status, its body not read yet."""
        with self._pools.client() as client:
            response = await self._taken(client, method, path, body, passed)
            try:
                if response.status_code >= 400:
                    raise await self._refusal(response)
                yield response
            finally:
                await response.aclose()

    async def _taken(
        self,
        client: httpx2.AsyncClient,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        passed: Headers,
    ) -> httpx2.Response:
        """Send until the provider takes it, as often as is allowed."""
        for left in range(self._settings.retries, -1, -1):
            try:
                request = self._request(client, method, path, body, passed)
                response = await client.send(request, stream=True)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                if not left:
                    raise _unreachable(error) from error
                pause = self._pause(left, None)
            except httpx2.HTTPError as error:
                raise _broken(error) from error
            else:
                if not left or response.status_code not in NOT_TAKEN:
                    return response
                pause = self._pause(left, response.headers.get("retry-after"))
                await response.aclose()
            log.info("the provider did not take a request; again in %.1f s", pause)
            await asyncio.sleep(pause)
        raise AssertionError  # the last round returns or raises

    def _request(
        self,
        client: httpx2.AsyncClient,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        passed: Headers,
    ) -> httpx2.Request:
        own = {} if self._key is None else {"authorization": f"Bearer {self._key}"}
        headers = dict(passed) if self._settings.pass_key else own
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        if content is not None:
            headers["content-type"] = "application/json"
        return client.build_request(method, path, content=content, headers=headers)

    def _pause(self, left: int, told: str | None) -> float:
        """Seconds until the next try: what the provider said, else longer each time."""
        try:
            asked = float(told) if told is not None else None
        except ValueError:
            asked = None
        tried = self._settings.retries - left
        pause = _FIRST_PAUSE_S * 2**tried * random.uniform(0.8, 1.2)  # noqa: S311  (a pause)
        return min(pause if asked is None else max(asked, 0.0), _LONGEST_PAUSE_S)

    async def _read_json(self, response: httpx2.Response) -> Mapping[str, Any]:
        try:
            value = json.loads(await self._read(response))
        except ValueError as error:
            raise upstream_error(502, "the provider sent no JSON", "upstream_malformed") from error
        if not isinstance(value, dict):
            raise upstream_error(502, "the provider sent no object", "upstream_malformed")
        return value

    async def _read(self, response: httpx2.Response) -> bytes:
        parts, size = [], 0
        try:
            async for part in response.aiter_bytes():
                size += len(part)
                if size > self._settings.max_answer_bytes:
                    raise _too_long()
                parts.append(part)
        except httpx2.HTTPError as error:
            raise _broken(error) from error
        return b"".join(parts)

    async def _refusal(self, response: httpx2.Response) -> ApiError:
        """What the provider answered, as it answered it where that is in form."""
        headers = {name: response.headers[name] for name in _PASSED_ON if name in response.headers}
        status = response.status_code
        try:
            body = json.loads(await self._read(response))
        except ValueError:
            body = None
        if isinstance(body, dict) and "error" in body:
            return ApiError(status, "the provider refused", headers=headers, body=body)
        return ApiError(
            status,
            f"the provider answered with status {status}",
            type="upstream_error",
            code="upstream_refused",
            headers=headers,
        )


def _unreachable(error: httpx2.HTTPError) -> ApiError:
    return upstream_error(
        502, f"the provider cannot be reached ({type(error).__name__})", "upstream_unreachable"
    )


def _broken(error: httpx2.HTTPError) -> ApiError:
    if isinstance(error, httpx2.TimeoutException):
        return upstream_error(504, "the provider was silent for too long", "upstream_timeout")
    return upstream_error(
        502, f"the connection to the provider broke ({type(error).__name__})", "upstream_broken"
    )


def _too_long() -> ApiError:
    return upstream_error(502, "the provider's answer is too long", "upstream_too_long")
