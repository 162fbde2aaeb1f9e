"""The provider as a server that keeps what it received."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import attrs
import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from .._sse import DONE, event_bytes
from . import _forms
from ._script import Break, Refuse, Script

MODEL = {"id": "scripted", "object": "model", "created": 0, "owned_by": "toolsearch"}


@attrs.frozen
class Received:
    """One request: its path, size in bytes, headers and body."""

    path: str
    size: int
    headers: Mapping[str, str] = attrs.field(repr=False)
    body: Mapping[str, Any] = attrs.field(repr=False)

    @property
    def tools(self) -> list[Mapping[str, Any]]:
        """The tools that it declares, each as the part that has the name."""
        return [tool.get("function", tool) for tool in self.body.get("tools") or ()]

    @property
    def declared(self) -> list[str]:
        return [str(tool.get("name", tool.get("type"))) for tool in self.tools]

    @property
    def tool_bytes(self) -> int:
        return len(json.dumps(self.body.get("tools") or [], separators=(",", ":")).encode())


@attrs.define
class Provider:
    """Answers by a script. `keep` is off where only the answers matter."""

    script: Script
    keep: bool = True
    url: str = ""
    received: list[Received] = attrs.field(factory=list)
    answered: list[Mapping[str, Any]] = attrs.field(factory=list)
    sent: int = 0
    _stored: dict[Any, list[Mapping[str, Any]]] = attrs.field(factory=dict)

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/responses", self._responses, methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/v1/models/scripted", self._model),
            ],
            exception_handlers={ClientDisconnect: _left},
        )

    async def catch_up(self) -> None:
        """Nothing to do: what was received stands here at once."""

    async def _chat(self, request: Request) -> Response:
        body, size = await self._received(request)
        wrong = _forms.unanswered_in_chat(body)
        if wrong is not None:
            return _refused(Refuse(400, wrong))
        step = await self.script(_forms.seen_in_chat(body))
        if isinstance(step, Refuse):
            return _refused(step)
        whole = _forms.chat_answer(body, step, size)
        cut = isinstance(step, Break)
        return self._sent(body, whole, _forms.chat_events(body, whole, cut=cut), done=not cut)

    async def _responses(self, request: Request) -> Response:
        body, size = await self._received(request)
        before = body.get("previous_response_id") or body.get("conversation")
        items = [*self._stored.get(before, ()), *_forms.items_in(body)]
        wrong = _forms.unanswered_in_items(items)
        if wrong is not None:
            return _refused(Refuse(400, wrong))
        step = await self.script(_forms.seen_in_responses(body, items))
        if isinstance(step, Refuse):
            return _refused(step)
        whole = _forms.response(body, step, size)
        if self.keep:
            for name in {whole["id"], body.get("conversation")}:
                self._stored[name] = [*items, *whole["output"]]
        events = _forms.response_events(body, whole, cut=isinstance(step, Break))
        return self._sent(body, whole, events, done=False)

    async def _models(self, request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [MODEL]})

    async def _model(self, request: Request) -> Response:
        return JSONResponse(MODEL)

    async def _received(self, request: Request) -> tuple[Mapping[str, Any], int]:
        raw = await request.body()
        body = json.loads(raw)
        if self.keep:
            kept = Received(request.url.path, len(raw), dict(request.headers), body)
            self.received.append(kept)
        return body, len(raw)

    def _sent(
        self,
        body: Mapping[str, Any],
        whole: Mapping[str, Any],
        events: Iterator[_forms.Named],
        *,
        done: bool,
    ) -> Response:
        if self.keep:
            self.answered.append(whole)
        if not body.get("stream"):
            return JSONResponse(dict(whole))
        return StreamingResponse(self._stream(events, done), media_type="text/event-stream")

    async def _stream(self, events: Iterator[_forms.Named], done: bool) -> AsyncIterator[bytes]:
        """The events, as fast as they are read; `sent` counts them."""
        for name, event in events:
            yield event_bytes(event, name)
            self.sent += 1
        if done:
            yield event_bytes(DONE)


async def _left(request: Request, error: Exception) -> Response:
    return Response(status_code=499)


def _refused(step: Refuse) -> Response:
    error = {"message": step.message, "type": "scripted", "code": "scripted", "param": None}
    return JSONResponse({"error": error}, step.status, dict(step.headers))


@asynccontextmanager
async def serving(provider: Provider, port: int = 0) -> AsyncIterator[Provider]:
    """The provider on a loopback port of its own, for as long as this lasts."""
    listener = socket.create_server(("127.0.0.1", port), backlog=1024)
    config = uvicorn.Config(provider.app, log_level="warning", lifespan="off", access_log=False)
    config.timeout_graceful_shutdown = 1
    config.timeout_keep_alive = 75
    server = _Server(config)
    work = asyncio.ensure_future(server.serve(sockets=[listener]))
    provider.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    try:
        yield provider
    finally:
        server.should_exit = True
        await work
        listener.close()


class _Server(uvicorn.Server):
    """A server that leaves signals alone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
