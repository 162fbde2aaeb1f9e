"""The endpoints."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

import attrs
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import _chat, _responses
from ._approvals import ApprovalDesk
from ._asker import Apps, asker_of, passed_on
from ._errors import ApiError, bad_request, stopping
from ._exchange import Exchange, Gateway
from ._form import Conversation
from ._guard import Guard, refusal
from ._marks import mark_of
from ._metrics import MEDIA_TYPE
from ._sending import Gone, send_stream, until_gone

log = logging.getLogger(__name__)

CLIENT_LEFT = 499
"""The status under which metrics count a client that left; nobody is sent it."""

Converse = Callable[[Mapping[str, Any]], Conversation]


@attrs.frozen
class Endpoint:
    """One of the two APIs, as a raw ASGI application: it must know when the client is gone."""

    gateway: Gateway
    api: str
    converse: Converse
    words: Callable[[Mapping[str, Any]], str | None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        metrics = self.gateway.metrics
        began = monotonic()
        reply = Reply(send)
        try:
            with self.gateway.answering():
                await self._answer(scope, receive, reply)
        except ApiError as error:
            await refusal(error)(scope, receive, reply)
        except Gone:
            reply.status = CLIENT_LEFT
            log.info("a client left before its answer")
        except asyncio.CancelledError:
            if reply.status is None:
                await refusal(final(stopping()))(scope, receive, reply)
            raise
        finally:
            metrics.answered(self.api, reply.status or 500, monotonic() - began)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(self.gateway.requests) > self.gateway.settings.max_requests:
            raise ApiError(503, "too many requests are under way", type="server_error", code="busy")
        request = Request(scope, receive)
        body = await json_body(request)
        asker = asker_of(scope["toolsearch.app"], request.headers, body)
        mark = mark_of(asker.principal, scope["path"], await request.body())
        self.gateway.marks.check(mark, request.headers)
        exchange = Exchange(
            gateway=self.gateway,
            asker=asker,
            conversation=self.converse(body),
            model=body["model"] if isinstance(body.get("model"), str) else None,
            message=self.words(body),
            mark=mark,
        )
        try:
            if body.get("stream"):
                await send_stream(exchange, receive, send, self.gateway.settings)
                exchange.settled()
                return
            answer = await until_gone(exchange.answer(), receive)
        except ApiError as error:
            exchange.settled()
            raise final(error) if exchange.executed else error from None
        finally:
            self.gateway.metrics.used(exchange.conversation.usage)
        await JSONResponse(answer)(scope, receive, send)
        exchange.settled()


@attrs.define
class Reply:
    """Sends, and keeps the status that was sent."""

    send: Send
    status: int | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self.send(message)


def final(error: ApiError) -> ApiError:
    """An error after which the same request must not be sent again: tools have been called."""
    return attrs.evolve(error, headers={**error.headers, "x-should-retry": "false"})


def application(gateway: Gateway, apps: Apps, operator: bytes, desk: ApprovalDesk) -> ASGIApp:
    """The whole thing as an ASGI application."""
    aliases: dict[str, str] = {}

    def converse(body: Mapping[str, Any]) -> Conversation:
        return _responses.ResponsesConversation(body, aliases)

    chat = Endpoint(gateway, "chat", _chat.ChatConversation, _chat.last_words)
    responses = Endpoint(gateway, "responses", converse, _responses.last_words)

    async def models(request: Request) -> Response:
        path = request.url.path.removeprefix("/v1/")
        return JSONResponse(dict(await gateway.upstream.get(path, passed_on(request.headers))))

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def metrics(request: Request) -> Response:
        text = gateway.metrics.text(
            running=len(gateway.requests), waiting=len(gateway.waiting), approvals=len(desk)
        )
        return PlainTextResponse(text, media_type=MEDIA_TYPE)

    async def approvals(request: Request) -> Response:
        return JSONResponse({"object": "list", "data": desk.listed()})

    async def approval(request: Request) -> Response:
        id = request.path_params["id"]
        if request.method == "GET":
            return JSONResponse(dict(desk.one(id)))
        decision = desk.answer(id, await json_body(request))
        return JSONResponse({"id": id, "decision": decision.model_dump(mode="json")})

    app = Starlette(
        routes=[
            Route("/v1/chat/completions", chat, methods=["POST"]),
            Route("/v1/responses", responses, methods=["POST"]),
            Route("/v1/models", models),
            Route("/v1/models/{id:path}", models),
            Route("/health", health),
            Route("/metrics", metrics),
            Route("/approvals", approvals),
            Route("/approvals/{id}", approval, methods=["GET", "POST"]),
        ],
        exception_handlers={ApiError: _api_error, HTTPException: _http_error},
    )
    return Guard(app, apps, operator, gateway.settings)


async def json_body(request: Request) -> Mapping[str, Any]:
    """The body as an object. Raises ApiError."""
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise bad_request("the body is no JSON") from error
    if not isinstance(body, dict):
        raise bad_request("the body must be a JSON object")
    return body


async def _api_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, ApiError):
        raise error
    return refusal(error)


async def _http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return refusal(
        ApiError(error.status_code, f"{request.method} {request.url.path}: {error.detail}")
    )
