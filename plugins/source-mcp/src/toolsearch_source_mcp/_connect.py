"""How the settings of a server become an open connection."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._clues import Clues
from ._desk import InputDesk
from ._expand import Expansion
from ._failures import ServerError, described
from ._process import Command, child_environ
from ._session import Connection, Era, opened
from ._settings import ServerSettings
from ._stdio import StdioLog, stdio_transport
from ._vault import vault

if TYPE_CHECKING:
    from ._surroundings import Surroundings

log = logging.getLogger(__name__)


@asynccontextmanager
async def connect(
    name: str,
    settings: ServerSettings,
    around: Surroundings,
    origin: str,
    start_seconds: float,
    tools_changed: Callable[[], None],
    clues: Clues,
) -> AsyncIterator[Connection]:
    """Start the server, or reach it, and shake hands in the era it was last found to speak.

    Whatever fails in it, or in what is done with the connection, is a `ServerError` with what
    `clues` know of it then.
    """
    ended = asyncio.Event()
    clues.begin()
    expansion = Expansion(around.environ, around.base_dir, clues.secrets)
    try:
        async with opened(
            await _transport(settings, expansion, around, origin, clues.said, ended.set),
            eras=eras_to_try(settings, around.eras.of(origin)),
            http=settings.url is not None,
            start_seconds=start_seconds,
            ended=ended,
            desk=InputDesk(name),
            tools_changed=tools_changed,
        ) as connection:
            around.eras.note(origin, connection.era)
            yield connection
    # The SDK and its transports raise whatever they like, groups of it included, and all of it
    # means the same here: this connection is over.
    except Exception as error:
        raise ServerError(described(error), clues.of(error)) from error
    finally:
        _report(name, clues)


async def _transport(
    settings: ServerSettings,
    expansion: Expansion,
    around: Surroundings,
    origin: str,
    said: StdioLog,
    ended: Callable[[], None],
) -> AbstractAsyncContextManager[Any]:
    if settings.url is None:
        return stdio_transport(
            stdio_command(settings, expansion, around),
            said,
            max_message_bytes=around.bounds.max_message_bytes,
            grace_seconds=around.bounds.shutdown_ms / 1_000,
            ended=ended,
        )
    from ._http import http_transport

    url = expansion.text(settings.url)
    return http_transport(
        url,
        headers=http_headers(settings, expansion),
        auth=await _granted(url, settings, around, origin),
        max_message_bytes=around.bounds.max_message_bytes,
        ended=ended,
    )


async def _granted(url: str, settings: ServerSettings, around: Surroundings, origin: str) -> Any:
    """Authorization by what a person granted before, where the settings send none."""
    if settings.sends_credentials:
        return None
    held = await asyncio.to_thread(vault, around.state_dir)
    grant = await asyncio.to_thread(held.read, origin)
    if grant is None:
        return None
    from ._oauth import provider

    return provider(url, held, origin, grant, settings.oauth)


def http_headers(settings: ServerSettings, expansion: Expansion) -> dict[str, str]:
    """The headers of every request, a bearer token from the environment included."""
    headers = expansion.hidden_texts(settings.headers)
    if settings.bearer_token_env_var is not None:
        headers["Authorization"] = f"Bearer {expansion.variable(settings.bearer_token_env_var)}"
    return headers


def eras_to_try(settings: ServerSettings, remembered: Era) -> list[Era]:
    """One where the deployment chose it; else both, the remembered one first."""
    match settings.protocol:
        case "auto":
            return ["modern", "legacy"] if remembered == "modern" else ["legacy", "modern"]
        case chosen:
            return [chosen]


def stdio_command(settings: ServerSettings, expansion: Expansion, around: Surroundings) -> Command:
    """The command line with its references filled in. Raises `ServerError`."""
    argv = [expansion.text(part) for part in (settings.command or "", *settings.args)]
    if not argv[0]:
        raise ServerError("its command is empty")
    folder = Path(expansion.text(settings.cwd)) if settings.cwd else around.base_dir
    own = expansion.hidden_texts(settings.env)
    return Command(argv, child_environ(around.environ, own), around.base_dir / folder)


def _report(name: str, clues: Clues) -> None:
    """What a server wrote beside the protocol, for the operator: never for a model."""
    said = clues.said
    if said.noise:
        log.info("server %s wrote %d line(s) to stdout that are no messages", name, said.noise)
    if said.returncode not in {0, None} and said.stderr.text:
        words = clues.last_words()
        log.info(
            "server %s exited with %s; its last words:%s%s",
            name,
            said.returncode,
            os.linesep,
            words,
        )
