"""A gateway over a host, opened and closed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from toolsearch_hookspecs import HostApi

from ._exchange import Gateway
from ._kept import WaitingTurns
from ._marks import Marks
from ._metrics import Metrics
from ._settings import GatewaySettings
from ._upstream import Upstream


@asynccontextmanager
async def opened(
    host: HostApi, settings: GatewaySettings, environ: Mapping[str, str], metrics: Metrics
) -> AsyncIterator[Gateway]:
    upstream = Upstream(settings.upstream, environ.get(settings.upstream.key_variable))
    waiting = WaitingTurns(settings.waiting_seconds, settings.max_waiting)
    marks = Marks(host.state_dir / "gateway-openai.begun")
    marks.tidy()
    gateway = Gateway(host, settings, upstream, waiting, metrics, marks)
    try:
        yield gateway
    finally:
        await gateway.aclose()
