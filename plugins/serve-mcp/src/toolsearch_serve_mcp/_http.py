"""Streamable HTTP: loopback by default, for those who know the token."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from toolsearch_hookspecs import ConfigError

from ._clients import SESSION_HEADER, Clients
from ._ending import serving
from ._front import Front
from ._leaving import Leaving
from ._server import FrontServer
from ._settings import ServeSettings

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_TOKEN_FILE = "serve-mcp.token"  # noqa: S105  (a file's name)
_SHORTEST_TOKEN = 16
_GOODBYE_SECONDS = 1  # for the connections, once nothing is open on them


def token_of(settings: ServeSettings, environ: Mapping[str, str], state_dir: Path) -> str:
    """The bearer token: from the environment, else made once and kept for its owner alone.

    Raises ConfigError for one that is named and not set, too short, or that nobody could send.
    """
    variable = settings.token_variable
    given = environ.get(variable)
    if given is not None:
        return _checked(given, variable)
    if "token_variable" in settings.model_fields_set:
        raise ConfigError(
            f"{variable}, which plugins.settings.serve-mcp.tokenVariable names, is not set; set "
            "it to a token, or leave tokenVariable out and have one made"
        )
    path = token_path(state_dir)
    try:
        kept = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    else:
        if len(kept) < _SHORTEST_TOKEN:
            raise ConfigError(f"{path} holds no whole token; delete it, and a new one is made")
        return kept
    made = secrets.token_urlsafe(32)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(made)
    return made


def _checked(token: str, where: str) -> str:
    if len(token) < _SHORTEST_TOKEN:
        raise ConfigError(
            f"{where} has {len(token)} characters; give the token at least {_SHORTEST_TOKEN}"
        )
    if not (token.isascii() and token.isprintable() and token == token.strip()):
        raise ConfigError(
            f"{where} has something that no header can carry, such as a line break, so that "
            "nobody could send it; give printable ASCII characters"
        )
    return token


def token_path(state_dir: Path) -> Path:
    return state_dir / _TOKEN_FILE


def security(settings: ServeSettings) -> TransportSecuritySettings:
    """Which `Host` and `Origin` a request may carry: loopback's, and what the deployment adds."""
    hosts = [f"{name}:*" for name in LOOPBACK] + list(LOOPBACK)
    origins = [f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*hosts, *settings.allowed_hosts],
        allowed_origins=[*origins, *settings.allowed_origins],
    )


def is_loopback(host: str) -> bool:
    return host in {"127.0.0.1", "localhost", "::1"} or host.startswith("127.")


class Guarded:
    """Lets in who sends the token, and has a client forgotten that ends its session."""

    def __init__(self, app: ASGIApp, token: str | None, clients: Clients) -> None:
        self._app = app
        self._token = None if token is None else token.encode()
        self._clients = clients

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        if not self._may_enter(headers):
            await _refuse(send)
            return
        session = headers.get(SESSION_HEADER.encode())
        await self._app(scope, receive, send)
        if scope["method"] == "DELETE" and session is not None:
            await self._clients.forget(f"session:{session.decode('latin-1')}")

    def _may_enter(self, headers: Mapping[bytes, bytes]) -> bool:
        if self._token is None:
            return True
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._token)


async def _refuse(send: Send) -> None:
    headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": b"a bearer token is needed"})


def application(
    server: FrontServer, settings: ServeSettings, token: str | None, clients: Clients
) -> Leaving:
    """The whole thing as an ASGI application, its lifespan included."""
    app = server.streamable_http_app(
        streamable_http_path=settings.path,
        host=settings.host,
        transport_security=security(settings),
        max_request_body_size=settings.max_message_bytes,
        session_idle_timeout=float(settings.idle_seconds),
        max_sessions=settings.max_clients,
    )
    return Leaving(Guarded(app, token, clients))


async def serve(app: Leaving, listener: socket.socket, front: Front) -> None:
    """Answer until this is cancelled and the calls under way have ended."""
    config = uvicorn.Config(app, log_level="warning", lifespan="on", access_log=False)
    config.timeout_graceful_shutdown = _GOODBYE_SECONDS
    server = _Server(config)

    def stop() -> None:
        app.leave()
        server.should_exit = True

    await serving(server.serve(sockets=[listener]), front, stop)


class _Server(uvicorn.Server):
    """A server that leaves signals to the command, so that it closes in its order."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
