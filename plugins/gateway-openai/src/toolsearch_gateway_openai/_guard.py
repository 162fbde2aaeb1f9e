"""What every request passes first: its `Host` and `Origin`, its key, and the size of its body."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any

import attrs
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ._asker import KEY_HEADER, Apps, bearer_of
from ._errors import ApiError
from ._settings import GatewaySettings

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
OPEN_PATHS = frozenset({"/health"})
OPERATOR_PATHS = ("/approvals", "/metrics")


@attrs.frozen
class Guard:
    """Lets in apps with their keys, the operator with another, and everybody to `/health`."""

    app: ASGIApp
    apps: Apps
    operator: bytes = attrs.field(repr=False)
    settings: GatewaySettings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._known_host(headers)
            self._admit(scope, headers)
            bounded = self._bounded(headers, receive)
        except ApiError as error:
            await refusal(error)(scope, receive, send)
            return
        await self.app(scope, bounded, send)

    def _known_host(self, headers: Mapping[str, str]) -> None:
        """A page that a browser shows must not reach us under a name of its own."""
        allowed = {*LOOPBACK, *self.settings.allowed_hosts}
        if host_of(headers.get("host", "")) not in allowed:
            raise ApiError(421, "this host name is not served here", code="unknown_host")
        origin = headers.get("origin")
        if origin is None or origin in self.settings.allowed_origins:
            return
        if host_of(origin.partition("://")[2]) not in LOOPBACK:
            raise ApiError(403, "this origin may not ask", code="unknown_origin")

    def _admit(self, scope: Scope, headers: Mapping[str, str]) -> None:
        path: str = scope["path"]
        if path in OPEN_PATHS:
            return
        if path.startswith(OPERATOR_PATHS):
            given = (bearer_of(headers) or "").encode()
            if not hmac.compare_digest(given, self.operator):
                raise _no_key("the operator's key is needed here")
            return
        own = headers.get(KEY_HEADER)
        app = self.apps.of_key(bearer_of(headers) if own is None else own)
        if app is None:
            raise _no_key("a key of this gateway is needed, as a bearer token")
        scope["toolsearch.app"] = app

    def _bounded(self, headers: Mapping[str, str], receive: Receive) -> Receive:
        """Receives at most so many bytes, whatever the request says of its length."""
        most = self.settings.max_body_bytes
        said = headers.get("content-length", "")
        if said.isdigit() and int(said) > most:
            raise _too_large(most)
        got = 0

        async def bounded() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > most:
                raise _too_large(most)
            return message

        return bounded


def refusal(error: ApiError) -> JSONResponse:
    """An error as a whole answer."""
    headers = dict(error.headers)
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    return JSONResponse(_plain(error.json), error.status, headers)


def host_of(named: str) -> str:
    """The name in `name:port`, `[address]:port`, or a bare one."""
    if named.startswith("["):
        return named[1:].partition("]")[0].lower()
    return named.partition(":")[0].lower()


def is_loopback(host: str) -> bool:
    return host in LOOPBACK or host.startswith("127.")


def _plain(body: Mapping[str, Any]) -> dict[str, Any]:
    return dict(body)


def _no_key(message: str) -> ApiError:
    return ApiError(401, message, type="authentication_error", code="invalid_api_key")


def _too_large(most: int) -> ApiError:
    return ApiError(413, f"the body is over {most} bytes", code="body_too_large")
