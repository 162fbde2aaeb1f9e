"""`toolsearch serve`."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from socket import socket
from typing import Any

from toolsearch_hookspecs import (
    Command,
    CommandContext,
    ConfigError,
    HostApi,
    Parameter,
    PluginContext,
)

from ._front import Front
from ._settings import HIGHEST_PORT, ServeSettings

HELP = """Serve the configured tools, behind a compact surface, to an MCP client.

Without --http the client is the program that started this one, over standard input and output;
that is how MCP clients start a server. With --http any number of clients connect, with the token."""

PARAMETERS = (
    Parameter(name="http", kind="flag", help="Listen for streamable HTTP."),
    Parameter(name="host", help="The address to listen on."),
    Parameter(name="port", type="int", help="The port to listen on; 0 takes any that is free."),
    Parameter(name="no_auth", kind="flag", help="Need no token; on a loopback address only."),
    Parameter(name="mode", help="What clients see: tools, directory, code or direct."),
    Parameter(name="agent", help="The agent whose policy holds."),
    Parameter(name="profile", help="The profile whose policy holds."),
    Parameter(name="split_calls", kind="flag", help="Show tool_call as three, by effect."),
)


def serve_command(plugin: PluginContext) -> Command:
    async def run(context: CommandContext, given: Mapping[str, Any]) -> int | None:
        settings = chosen(plugin.settings or ServeSettings(), given)
        if not given.get("http"):
            _refuse_unused(given)
        elif given.get("no_auth") and not _loopback(settings.host):
            raise ConfigError(f"--no-auth is for a loopback address, not for {settings.host}")
        await context.until_told(_serve(context, settings, given, plugin))
        return None

    return Command(name="serve", help=HELP, run=run, parameters=PARAMETERS, turns_on=True)


def _refuse_unused(given: Mapping[str, Any]) -> None:
    """Raise ConfigError for an option that would say nothing: none is dropped in silence."""
    for name in ("host", "port", "no_auth"):
        value = given.get(name)
        if value is not None and value is not False:
            raise ConfigError(f"--{name.replace('_', '-')} is for --http, which is not given")


def chosen(settings: ServeSettings, given: Mapping[str, Any]) -> ServeSettings:
    """The settings with what the command line says over them. Raises ConfigError."""
    names = ("host", "port", "split_calls")
    said = {name: value for name in names if (value := given.get(name)) is not None}
    if not given.get("split_calls"):
        said.pop("split_calls", None)
    port = said.get("port")
    if port is not None and not 0 <= port <= HIGHEST_PORT:
        raise ConfigError(f"--port {port} is no port; give one up to {HIGHEST_PORT}, or 0 for any")
    return settings.model_copy(update=said)


@asynccontextmanager
async def fronted(
    host: HostApi, settings: ServeSettings, given: Mapping[str, Any]
) -> AsyncIterator[Front]:
    """A front over a host, closed with its clients' runs."""
    names = ("mode", "agent", "profile")
    who = {name: given[name] for name in names if given.get(name) is not None}
    front = Front(host, settings, who | {"channel": "mcp"})
    try:
        yield front
    finally:
        await front.aclose()


async def _serve(
    context: CommandContext,
    settings: ServeSettings,
    given: Mapping[str, Any],
    plugin: PluginContext,
) -> None:
    if not given.get("http"):
        async with context.host() as host, fronted(host, settings, given) as front:
            front.say = _say
            await _over_stdio(front, settings)
        return
    from ._http import token_of

    needs_token = not given.get("no_auth")
    token = token_of(settings, plugin.environ, plugin.state_dir) if needs_token else None
    with context.listening(settings.host, settings.port) as listener:
        async with context.host() as host, fronted(host, settings, given) as front:
            front.say = _say
            await _over_http(front, settings, plugin, listener, token)


async def _over_stdio(front: Front, settings: ServeSettings) -> None:
    from ._ending import serving
    from ._server import server_for
    from ._stdio import stdio_streams

    async with stdio_streams(settings.max_message_bytes) as (read, write):
        await front.instructions()  # or say that the mode cannot be had
        server = server_for(front)
        answering = server.run(read, write, server.create_initialization_options())
        await serving(answering, front)


async def _over_http(
    front: Front,
    settings: ServeSettings,
    plugin: PluginContext,
    listener: socket,
    token: str | None,
) -> None:
    from ._http import application, serve, token_path
    from ._server import server_for

    await front.instructions()  # or say that the mode cannot be had, before the address
    app = application(server_for(front), settings, token, front.clients)
    address, port = listener.getsockname()[:2]
    _say(f"serving at http://{address}:{port}{settings.path}")
    if token is not None and settings.token_variable not in plugin.environ:
        _say(f"the bearer token is in {token_path(plugin.state_dir)}")
    await serve(app, listener, front)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _loopback(host: str) -> bool:
    from ._http import is_loopback

    return is_loopback(host)
