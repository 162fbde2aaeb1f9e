"""Commands that plugins bring as neutral records, turned into commands of this application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import attrs
import click

from toolsearch_hookspecs import Command, HostApi, Parameter, PluginError, ToolsearchError

from ..isolation import contained
from ..plugins import Stamped
from ._declared import refuse_unknown_modes
from ._failures import Failed
from ._hints import no_tools
from ._options import SHARED, SessionCommand, SessionGroup
from ._session import Session
from ._who import check_who

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from socket import socket

    from ..host import Host

_TYPES: Mapping[str, click.ParamType[Any]] = {
    "text": click.STRING,
    "int": click.INT,
    "float": click.FLOAT,
    "path": click.Path(),
}


@attrs.define
class Invocation:
    """The `CommandContext` that a plugin's command is handed.

    Its host is the one whose plugin brought the command, so that the command and the plugin's
    hooks know each other.
    """

    session: Session
    turns_on: bool = False
    made: Host | None = None

    @property
    def json(self) -> bool:
        return self.session.json

    @asynccontextmanager
    async def host(self) -> AsyncIterator[HostApi]:
        made, self.made = self.made, None
        if made is None:
            made = self.session.new_host(turned_on=self.turns_on)
        elif self.turns_on:
            made.config = made.config.turned_on()
        async with made as host:
            self.session.out.diagnostics(host.diagnostics())
            looking = asyncio.ensure_future(self._look(host)) if self.turns_on else None
            try:
                yield host
            finally:
                if looking is not None:
                    looking.cancel()

    async def _look(self, host: Host) -> None:
        """Say what cannot be served, or that there is nothing; serving does not wait for that."""
        tools, down = await host.all_tools(), await host.sources_down()
        for each in down:
            self.session.out.warning(f"{each.title} is unavailable: {each.detail or each.reason}")
        if not tools and not down:
            self.session.out.warning(no_tools(host))

    def listening(self, host: str, port: int) -> socket:
        from ._serving import listening

        return listening(host, port)

    async def until_told(self, work: Coroutine[Any, Any, None]) -> None:
        from ._serving import until_told

        await until_told(work)

    def show(self, data: Any, *, text: str | None = None) -> None:
        """`data` as JSON where that was asked for; else `text`, or `data` laid out."""
        out = self.session.out
        if self.json:
            out.data(data)
        elif text is not None:
            out.text(text)
        elif _is_rows(data):
            titles = list(data[0])
            out.table(titles, [[row.get(title) for title in titles] for row in data])
        elif isinstance(data, str):
            out.text(data)
        else:
            out.data(data)


@attrs.frozen
class Collected:
    """The commands of all loaded plugins, and their host, which is not started; `complete` where
    none of the plugins failed.
    """

    commands: tuple[Stamped[Command], ...]
    complete: bool
    host: Host


def collected(session: Session) -> Collected:
    """Ask the loaded plugins for commands. Raises what stops a host from being made."""
    host = session.new_host()
    commands = host.plugins.hooks.commands()
    told = host.diagnostics()
    if session.verbose:
        session.out.diagnostics(told)
    return Collected(commands, complete=all(each.level != "error" for each in told), host=host)


def plugin_command(session: Session, word: str) -> click.Command | None:
    """The command, or the group of commands, that plugins bring under a word."""
    found = collected(session)
    below = [stamped for stamped in found.commands if stamped.value.name.split()[0] == word]
    return _command(word, below, 1, Loaded(found.host, session)) if below else None


@attrs.frozen
class Loaded:
    """A host whose plugins brought the commands, and the options by which they were loaded."""

    host: Host
    session: Session


def _command(
    word: str, stamped: Sequence[Stamped[Command]], depth: int, loaded: Loaded
) -> click.Command:
    """`approvals list` and `approvals show` share a group; the first of one name wins."""
    for each in stamped:
        if len(each.value.name.split()) == depth:
            return _leaf(word, each, loaded)
    below: dict[str, list[Stamped[Command]]] = {}
    for each in stamped:
        below.setdefault(each.value.name.split()[depth], []).append(each)
    said = "; ".join(sorted({each.plugin for each in stamped}))
    return SessionGroup(
        word,
        commands={name: _command(name, inner, depth + 1, loaded) for name, inner in below.items()},
        help=f"Commands of the plugin {said}.",
    )


def _leaf(word: str, stamped: Stamped[Command], loaded: Loaded) -> click.Command:
    command = stamped.value

    @click.pass_context
    def callback(ctx: click.Context, /, **values: Any) -> int | None:
        session = ctx.find_object(Session) or Session()
        if not session.loads_as(loaded.session):
            raise click.UsageError(
                "it is not clear which words are options of toolsearch itself; put --config, "
                f"--enable and --disable first: toolsearch --config FILE {command.name} ...",
                ctx,
            )
        if _is_ours(stamped.plugin, loaded.host):
            check_who(session.document(), values)
        if command.turns_on and not values.get("mode"):
            refuse_unknown_modes(session, loaded.host)
        context = Invocation(session, command.turns_on, loaded.host)
        return session.wait(_run(stamped, context, values))

    return SessionCommand(
        word,
        callback=callback,
        params=[_parameter(parameter, stamped) for parameter in command.parameters],
        help=command.help,
        short_help=command.help.splitlines()[0] if command.help else None,
    )


def _is_ours(plugin: str, host: Host) -> bool:
    """Whether `--agent` of its commands means an agent of the configuration: in those of others
    it may mean anything.
    """
    found = host.plugins.plugin(plugin)
    return found is not None and found.battery


async def _run(
    stamped: Stamped[Command], context: Invocation, values: Mapping[str, Any]
) -> int | None:
    """Run a plugin's command; what it raises beyond our errors is said, with the plugin's name."""
    run: Callable[..., Awaitable[int | None]] = stamped.value.run
    outcome = await contained(lambda: run(context, values))
    match outcome.failure:
        case None:
            return outcome.value if isinstance(outcome.value, int) else None
        case ToolsearchError() | click.ClickException() | click.exceptions.Exit() as ours:
            raise ours
        case failure:
            if context.session.verbose:
                raise failure
            raise Failed(
                f"the command {stamped.value.name!r} of the plugin {stamped.plugin!r} failed: "
                f"{type(failure).__name__}: {failure}; -v shows where"
            ) from failure


def _parameter(parameter: Parameter, stamped: Stamped[Command]) -> click.Parameter:
    """The parameter. Raises PluginError for one that would hide an option of every command."""
    type_ = _TYPES[parameter.type]
    if parameter.kind != "argument" and _flag(parameter) in SHARED:
        raise PluginError(
            f"the command {stamped.value.name!r} of the plugin {stamped.plugin!r} has an option "
            f"{_flag(parameter)}, which is toolsearch's own behind every command; rename it"
        )
    # A default of None would count as a value, and what is required as given.
    default = {} if parameter.default is None else {"default": parameter.default}
    match parameter.kind:
        case "argument":
            return click.Argument(
                [parameter.name],
                type=type_,
                required=parameter.required,
                nargs=-1 if parameter.multiple else 1,
                **default,
            )
        case "flag":
            return click.Option(
                [_flag(parameter), parameter.name], is_flag=True, help=parameter.help
            )
        case "option":
            return click.Option(
                [_flag(parameter), parameter.name],
                type=type_,
                required=parameter.required,
                multiple=parameter.multiple,
                help=parameter.help,
                **default,
            )


def _flag(parameter: Parameter) -> str:
    return "--" + parameter.name.replace("_", "-")


def _is_rows(data: Any) -> bool:
    return isinstance(data, list) and bool(data) and all(isinstance(row, Mapping) for row in data)
