"""Answers on the wire: work ends when the client leaves, and goes no faster than it reads."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from starlette.types import Message, Receive, Send

from ._errors import ApiError, stopping
from ._exchange import Exchange
from ._form import Sink
from ._settings import GatewaySettings
from ._sse import COMMENT, event_bytes

T = TypeVar("T")

READ_AHEAD = 8
"""How many events of the provider may wait for the client to read."""

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]


class Gone(Exception):
    """The client left."""


async def until_gone(work: Coroutine[Any, Any, T], receive: Receive) -> T:
    """The result of the work. Raises Gone where the client leaves first; the work is cancelled."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Gone
        return task.result()
    finally:
        await _ended(task, gone)


async def send_stream(
    exchange: Exchange, receive: Receive, send: Send, settings: GatewaySettings
) -> None:
    """Send an exchange as events. Raises ApiError where nothing was sent yet.

    An error that comes later is the last event.
    """
    events: asyncio.Queue[bytes] = asyncio.Queue(READ_AHEAD)
    gone = asyncio.ensure_future(_left(receive))
    work = asyncio.ensure_future(exchange.stream(_into(events)))
    silence = settings.keep_alive_ms / 1000
    begun = False
    try:
        while (event := await _next(events, work, gone, silence)) is not None:
            if not begun:
                await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
                begun = True
            await send(_part(event))
        failed = work.exception()
        if failed is not None and not (begun and isinstance(failed, ApiError)):
            raise failed
        if isinstance(failed, ApiError):
            await exchange.conversation.fail(_directly(send), failed.error)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    except asyncio.CancelledError:
        if begun:
            await exchange.conversation.fail(_directly(send), stopping().error)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        raise
    finally:
        await _ended(work, gone)


def _into(events: asyncio.Queue[bytes]) -> Sink:
    async def sink(event: Mapping[str, Any] | str, name: str | None = None) -> None:
        await events.put(event_bytes(event, name))

    return sink


def _directly(send: Send) -> Sink:
    async def sink(event: Mapping[str, Any] | str, name: str | None = None) -> None:
        await send(_part(event_bytes(event, name)))

    return sink


def _part(body: bytes) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": True}


async def _next(
    events: asyncio.Queue[bytes],
    work: asyncio.Task[None],
    gone: asyncio.Task[None],
    silence: float,
) -> bytes | None:
    """The next event, a comment where there was none for a while, None at the end.

    Raises Gone where the client has left.
    """
    while True:
        if gone.done():
            raise Gone
        if not events.empty():
            return events.get_nowait()
        if work.done():
            return None
        coming = asyncio.ensure_future(events.get())
        try:
            done, _ = await asyncio.wait(
                {coming, work, gone}, timeout=silence, return_when=asyncio.FIRST_COMPLETED
            )
            if coming in done:
                return coming.result()
        finally:
            coming.cancel()
        if not done:
            return COMMENT


async def _left(receive: Receive) -> None:
    """Returns when the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _ended(*tasks: asyncio.Task[Any]) -> None:
    """See tasks end; what they raise was looked at, or does not matter any more."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled():
            task.exception()
