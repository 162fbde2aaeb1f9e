"""`toolsearch auth login|logout|status`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from toolsearch_hookspecs import (
    Command,
    CommandContext,
    ConfigError,
    Parameter,
    PluginContext,
)

from ._expand import Expansion
from ._failures import ServerError, described, leaves
from ._identity import origin
from ._settings import McpSettings, ServerSettings
from ._vault import Grant, Vault, vault

SERVER = Parameter(name="server", kind="argument", required=True, help="A server of mcpServers.")


def auth_commands(
    plugin: PluginContext,
    servers: Mapping[str, ServerSettings],
    open_url: Callable[[str], None] | None = None,
) -> Iterable[Command]:
    """The commands over the configured servers; `open_url` shows a person an address."""
    no_browser = Parameter(name="no_browser", kind="flag", help="Show the address, open nothing.")

    async def login(context: CommandContext, given: Mapping[str, Any]) -> int | None:
        alias, settings = _over_http(servers, given["server"])
        said = await _log_in(plugin, alias, settings, open_url, quiet=bool(given.get("no_browser")))
        context.show({"server": alias, "state": said}, text=f"{alias}: {said}")
        return None

    async def logout(context: CommandContext, given: Mapping[str, Any]) -> int | None:
        alias, settings = _over_http(servers, given["server"])
        held = await asyncio.to_thread(vault, plugin.state_dir)
        await asyncio.to_thread(held.delete, origin(settings))
        context.show({"server": alias, "state": "forgotten"}, text=f"{alias}: forgotten")
        return None

    async def status(context: CommandContext, given: Mapping[str, Any]) -> int | None:
        held = await asyncio.to_thread(vault, plugin.state_dir)
        named = {given["server"]} if given.get("server") else set(servers)
        rows = [
            {"server": alias, "state": await asyncio.to_thread(state_of, settings, held)}
            for alias, settings in servers.items()
            if alias in named
        ]
        context.show(rows, text="\n".join(f"{row['server']}: {row['state']}" for row in rows))
        return None

    yield Command(
        name="auth login",
        help="Authorize with an MCP server, in a browser.",
        run=login,
        parameters=(SERVER, no_browser),
    )
    yield Command(
        name="auth logout",
        help="Forget what an MCP server granted.",
        run=logout,
        parameters=(SERVER,),
    )
    yield Command(
        name="auth status",
        help="Show how each MCP server is authorized; no token is shown.",
        run=status,
        parameters=(SERVER.model_copy(update={"required": False}),),
    )


def state_of(settings: ServerSettings, held: Vault) -> str:
    """How a server is authorized, without asking it."""
    if settings.url is None:
        return "started here; needs no token"
    if settings.sends_credentials:
        return "credentials from the settings"
    grant = held.read(origin(settings))
    if grant is None or grant.tokens is None:
        return "not authorized"
    if grant.expires_at is None or grant.expires_at > time.time():
        return "authorized"
    return "expired; it is renewed when it is used"


async def _log_in(
    plugin: PluginContext,
    alias: str,
    settings: ServerSettings,
    open_url: Callable[[str], None] | None,
    *,
    quiet: bool,
) -> str:
    from ._callback import WAIT_SECONDS, browse, interaction, show_url
    from ._desk import InputDesk
    from ._http import http_transport
    from ._oauth import provider
    from ._session import opened

    if settings.sends_credentials:
        raise ConfigError(f"{alias} gets its credentials from its settings; take them out first")
    bounds = plugin.settings or McpSettings()
    expansion = Expansion(plugin.environ, plugin.base_dir)
    held = await asyncio.to_thread(vault, plugin.state_dir)
    identity = origin(settings)
    await asyncio.to_thread(held.delete, identity)
    opener = open_url or (show_url if quiet else browse)
    try:
        url = expansion.text(settings.url or "")
        async with interaction(settings.oauth.callback_port, opener) as person:
            transport = http_transport(
                url,
                headers=expansion.hidden_texts(settings.headers),
                auth=provider(url, held, identity, Grant(), settings.oauth, person),
                max_message_bytes=bounds.max_message_bytes,
                ended=lambda: None,
            )
            async with opened(
                transport,
                eras=["legacy", "modern"],
                start_seconds=WAIT_SECONDS,
                ended=asyncio.Event(),
                desk=InputDesk(alias),
                http=True,
                tools_changed=lambda: None,
            ):
                grant = await asyncio.to_thread(held.read, identity)
    except (ServerError, ExceptionGroup) as failure:
        first = next(leaves(failure))
        if isinstance(first, ConfigError):
            raise first from None
        raise ConfigError(f"{alias} could not be authorized: {described(first)}") from None
    return "authorized" if grant is not None and grant.tokens is not None else "needs no token"


def _over_http(servers: Mapping[str, ServerSettings], alias: str) -> tuple[str, ServerSettings]:
    settings = servers.get(alias)
    if settings is None:
        close = get_close_matches(alias, servers, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ConfigError(f"mcpServers has no {alias!r}{hint}")
    if settings.url is None:
        raise ConfigError(f"{alias} is started here, over stdio: its settings hold its credentials")
    return alias, settings
