"""Keys, and answering until told to stop."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from toolsearch_hookspecs import ConfigError

from ._asker import App, Apps
from ._sendable import is_sendable
from ._settings import AppKey, GatewaySettings

KEY_FILE = "gateway-openai.key"
OPERATOR_FILE = "gateway-openai.operator.key"

_SHORTEST_KEY = 16
_FAREWELL_SECONDS = 3
_IDLE_SECONDS = 75  # more than clients wait: who closes first must not be in doubt


def apps_of(
    settings: GatewaySettings,
    environ: Mapping[str, str],
    state_dir: Path,
    who: Mapping[str, Any],
    *,
    needs_key: bool,
) -> Apps:
    """The apps that may ask; `who` is what the command line says of all of them.

    Raises ConfigError for keys that are not there, are short or are given twice.
    """
    if not needs_key:
        everybody = App("open", None, AppKey(variable="-").model_copy(update=dict(who)))
        return Apps((), everybody)
    if not settings.apps:
        key = key_of(settings.key_variable, environ, state_dir / KEY_FILE)
        only = AppKey(variable=settings.key_variable).model_copy(update=dict(who))
        return Apps((App("app", key.encode(), only),))
    apps = []
    for name, app in settings.apps.items():
        given = environ.get(app.variable)
        if given is None:
            raise ConfigError(
                f"{app.variable}, the key of the app {name!r}, is not set; set it to a key of at "
                f"least {_SHORTEST_KEY} characters, or take the app out of "
                "plugins.settings.gateway-openai.apps"
            )
        secret = checked(given, app.variable).encode()
        apps.append(App(name, secret, app.model_copy(update=dict(who))))
    if len({app.secret for app in apps}) < len(apps):
        raise ConfigError("two apps of plugins.settings.gateway-openai.apps have the same key")
    return Apps(tuple(apps))


def key_of(variable: str, environ: Mapping[str, str], file: Path) -> str:
    """A key: from the environment, else made once and kept for its owner alone."""
    given = environ.get(variable)
    if given is not None:
        return checked(given, variable)
    try:
        kept_key = file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    else:
        if len(kept_key) < _SHORTEST_KEY:
            raise ConfigError(f"{file} holds no whole key; delete it, and a new one is made")
        return kept_key
    made = secrets.token_urlsafe(32)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as kept:
        kept.write(made)
    return made


def checked(key: str, where: str) -> str:
    """A key that somebody can send and nobody can guess. Raises ConfigError."""
    if len(key) < _SHORTEST_KEY:
        raise ConfigError(f"{where} has {len(key)} characters; give a key at least {_SHORTEST_KEY}")
    if not is_sendable(key):
        raise ConfigError(
            f"{where} has something that no header can carry, such as a line break, so that "
            "nobody could send it; give printable ASCII characters"
        )
    return key


async def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Answer until this is cancelled, then let answers under way end for a moment."""
    config = uvicorn.Config(
        app, log_level="warning", lifespan="off", access_log=False, server_header=False
    )
    config.timeout_keep_alive = _IDLE_SECONDS
    config.timeout_graceful_shutdown = _FAREWELL_SECONDS
    server = _Server(config)
    serving = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        await asyncio.shield(serving)
    except asyncio.CancelledError:
        server.should_exit = True
        await serving
        raise


class _Server(uvicorn.Server):
    """A server that leaves signals to the command, so that the host is closed after it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def say(text: str) -> None:
    """To the person at the terminal."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
