"""Requests that stay open for as long as the client likes, ended when the server leaves."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Leaving:
    """An application whose open answers end, in form, once `leave` was called."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: set[asyncio.Task[None]] = set()
        self._left = False

    def leave(self) -> None:
        """End what is open: a client that listens, say. Nobody is answered any more."""
        self._left = True
        for task in self._open:
            task.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        reply = _Reply(send)
        task: asyncio.Task[Any] = asyncio.ensure_future(self._run(scope, receive, reply))
        self._open.add(task)
        try:
            await asyncio.wait({task})
        finally:
            self._open.discard(task)
            task.cancel()
        if not (task.cancelled() and self._left):
            task.result()
            return
        await reply.end()

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


class _Reply:
    """What has been sent of one answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = self._ended = False

    async def __call__(self, message: Message) -> None:
        self._begun = True
        self._ended = message["type"] == "http.response.body" and not message.get("more_body")
        await self._send(message)

    async def end(self) -> None:
        """The rest of it: of an answer that has not begun, that the server is not there."""
        if not self._begun:
            await self({"type": "http.response.start", "status": 503, "headers": []})
        if not self._ended:
            await self({"type": "http.response.body", "body": b""})
