"""`toolsearch gateway`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolsearch_hookspecs import Command, CommandContext, ConfigError, Parameter, PluginContext

from ._settings import HIGHEST_PORT, GatewaySettings, checked_url, shown_url
from ._watch import Watch

HELP = """Serve the OpenAI API, with the configured tools behind it.

An app that speaks that API gets the tools by a change of its base URL: it asks this address with
a key of this gateway, and the gateway asks the provider. Tools of the app's own stay its own."""

PARAMETERS = (
    Parameter(name="base_url", help="The provider's base URL, up to and with /v1."),
    Parameter(name="host", help="The address to listen on."),
    Parameter(name="port", type="int", help="The port to listen on; 0 takes any that is free."),
    Parameter(name="no_auth", kind="flag", help="Need no key; on a loopback address only."),
    Parameter(name="mode", help="What models see: tools, directory, code or direct."),
    Parameter(name="agent", help="The agent whose policy holds."),
    Parameter(name="profile", help="The profile whose policy holds."),
)


def gateway_command(plugin: PluginContext, watch: Watch) -> Command:
    async def run(context: CommandContext, given: Mapping[str, Any]) -> int | None:
        settings = chosen(plugin.settings or GatewaySettings(), given)
        await context.until_told(_serve(context, settings, given, plugin, watch))
        return None

    return Command(name="gateway", help=HELP, run=run, parameters=PARAMETERS, turns_on=True)


def chosen(settings: GatewaySettings, given: Mapping[str, Any]) -> GatewaySettings:
    """The settings with what the command line says over them. Raises ConfigError."""
    said = {name: given[name] for name in ("host", "port") if given.get(name) is not None}
    port, url = said.get("port"), given.get("base_url")
    if port is not None and not 0 <= port <= HIGHEST_PORT:
        raise ConfigError(f"--port {port} is no port; give one up to {HIGHEST_PORT}, or 0 for any")
    if url is not None:
        try:
            upstream = settings.upstream.model_copy(update={"base_url": checked_url(url)})
        except ValueError as error:
            raise ConfigError(f"--base-url {error}") from error
        said["upstream"] = upstream
    return settings.model_copy(update=said)


async def _serve(
    context: CommandContext,
    settings: GatewaySettings,
    given: Mapping[str, Any],
    plugin: PluginContext,
    watch: Watch,
) -> None:
    from ._app import application
    from ._approvals import ApprovalDesk
    from ._guard import is_loopback
    from ._metrics import Metrics
    from ._opening import opened
    from ._serving import KEY_FILE, OPERATOR_FILE, apps_of, key_of, say, serve
    from ._starting import check_runs, check_variables, provider_key

    needs_key = not given.get("no_auth")
    if not needs_key and not is_loopback(settings.host):
        raise ConfigError(f"--no-auth is for a loopback address, not for {settings.host}")
    names = ("mode", "agent", "profile")
    who = {name: given[name] for name in names if given.get(name) is not None}
    environ, state_dir = plugin.environ, plugin.state_dir
    check_variables(settings, environ)
    provider_key(settings.upstream, environ)
    apps = apps_of(settings, environ, state_dir, who, needs_key=needs_key)
    operator = key_of(settings.operator_variable, environ, state_dir / OPERATOR_FILE)
    desk, metrics = ApprovalDesk(), Metrics()
    with context.listening(settings.host, settings.port) as listener:
        async with (
            watch.by(desk.decision, metrics.happened),
            context.host() as host,
            opened(host, settings, environ, metrics) as gateway,
        ):
            await check_runs(host, settings, apps.all)
            address, port = listener.getsockname()[:2]
            asking = shown_url(settings.upstream.base_url)
            say(f"serving at http://{address}:{port}/v1, asking {asking}")
            if needs_key and not settings.apps and settings.key_variable not in environ:
                say(f"the key for apps is in {state_dir / KEY_FILE}")
            if settings.operator_variable not in environ:
                say(f"the operator's key is in {state_dir / OPERATOR_FILE}")
            await serve(application(gateway, apps, operator.encode(), desk), listener)
