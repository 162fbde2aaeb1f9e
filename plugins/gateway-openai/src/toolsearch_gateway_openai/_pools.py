"""Connections to the provider, in pools of bounded size.

A pool of the client library looks at each of its connections for each request: one pool of five
hundred connections would spend more time on that than on everything else.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import attrs
import httpx2

from ._settings import UpstreamSettings

SIZE = 16

_IDLE_S = 3.0  # many servers close what was idle for five seconds, just as it is used again


@attrs.define
class Pool:
    """A client, and how many requests are under way in it."""

    client: httpx2.AsyncClient
    busy: int = 0


class Pools:
    """As many pools as there is need for. The first that has room takes a request, so that few
    requests keep few connections.
    """

    def __init__(self, settings: UpstreamSettings) -> None:
        self._settings = settings
        self._pools: list[Pool] = []
        self._tls: ssl.SSLContext | None = None

    @contextmanager
    def client(self) -> Iterator[httpx2.AsyncClient]:
        """A client for the time of one request."""
        pool = next((pool for pool in self._pools if pool.busy < SIZE), None)
        if pool is None:
            pool = Pool(self._made())
            self._pools.append(pool)
        pool.busy += 1
        try:
            yield pool.client
        finally:
            pool.busy -= 1

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.client.aclose()

    def _made(self) -> httpx2.AsyncClient:
        settings = self._settings
        if self._tls is None:
            self._tls = httpx2.create_ssl_context()
        seconds = settings.read_ms / 1000
        return httpx2.AsyncClient(
            base_url=settings.base_url.rstrip("/") + "/",
            verify=self._tls,
            timeout=httpx2.Timeout(seconds, connect=settings.connect_ms / 1000),
            limits=httpx2.Limits(
                max_connections=None, max_keepalive_connections=SIZE, keepalive_expiry=_IDLE_S
            ),
            headers={"user-agent": "toolsearch-gateway", **settings.headers},
        )
