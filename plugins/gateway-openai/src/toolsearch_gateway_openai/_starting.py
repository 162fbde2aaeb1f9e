"""What is looked at before the first request: a gateway that could answer none does not start."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from toolsearch_hookspecs import ConfigError, HostApi

from ._asker import App, Asker
from ._sendable import is_sendable
from ._settings import OPENAI, GatewaySettings, UpstreamSettings

SURFACES = ("openai-chat", "openai-responses")
_SESSION = "gateway-start"
_HERE = "plugins.settings.gateway-openai"


def check_variables(settings: GatewaySettings, environ: Mapping[str, str]) -> None:
    """Raise ConfigError where a variable that the configuration names is not set: nobody would
    be let in with the key that was meant.
    """
    variables = {"key_variable": "keyVariable", "operator_variable": "operatorVariable"}
    if settings.apps:
        del variables["key_variable"]
    for field, key in variables.items():
        variable = getattr(settings, field)
        if field in settings.model_fields_set and variable not in environ:
            raise ConfigError(
                f"{variable}, which {_HERE}.{key} names, is not set; set it to a key, "
                f"or leave {key} out and have one made"
            )


def provider_key(upstream: UpstreamSettings, environ: Mapping[str, str]) -> str | None:
    """The key for the provider, where there is one.

    Raises ConfigError for one that is named and not set, that OpenAI itself would need, or that
    no request can carry.
    """
    if upstream.pass_key:
        return None
    variable = upstream.key_variable
    key = environ.get(variable)
    if key and not is_sendable(key):
        raise ConfigError(
            f"{variable} has something that no header can carry, such as a line break; "
            "set it to the provider's key alone"
        )
    if key or "authorization" in {name.lower() for name in upstream.headers}:
        return key
    where = f"{_HERE}.upstream"
    if "key_variable" in upstream.model_fields_set:
        raise ConfigError(
            f"{variable}, which {where}.keyVariable names, is not set; set it to the provider's "
            "key, or leave keyVariable out where the provider needs none"
        )
    if upstream.base_url.rstrip("/") == OPENAI:
        raise ConfigError(
            f"{variable} is not set, and {OPENAI} answers nobody without a key; set it, give "
            f"another --base-url, or have each app send its own with {where}.passKey"
        )
    return None


async def check_runs(host: HostApi, settings: GatewaySettings, apps: Iterable[App]) -> None:
    """Plan what each app would be given. Raises ConfigError where no request of it could be
    answered: its mode cannot be had, or no loaded plugin draws it in a form of the API.
    """
    first = {repr(_context(app)): app for app in reversed(tuple(apps))}
    async with asyncio.TaskGroup() as group:
        found = {
            app.name: group.create_task(_refusal(host, settings, _context(app)))
            for app in first.values()
        }
    for name, refusal in found.items():
        if (error := refusal.result()) is not None:
            raise ConfigError(f"the app {name!r}: {error}") if settings.apps else error


def _context(app: App) -> Mapping[str, Any]:
    return {**Asker(app, None, None).context, "session": _SESSION, "principal": None}


async def _refusal(
    host: HostApi, settings: GatewaySettings, who: Mapping[str, Any]
) -> ConfigError | None:
    upstream = settings.upstream
    try:
        run = await host.plan(
            **who, provider=upstream.provider, context_chars=upstream.context_chars
        )
    except ConfigError as error:
        return error
    refusals = []
    try:
        for surface in SURFACES:
            try:
                run.rendered(surface)
            except ConfigError as error:
                refusals.append(error)
    finally:
        await run.aclose()
    if len(refusals) < len(SURFACES):
        return None
    forms = " and ".join(SURFACES)
    return ConfigError(f"{refusals[0]}. The gateway speaks {forms}, which surface-openai has")
