"""Options that stand before any command, and that every command takes as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ._session import Session

F = TypeVar("F", bound=Callable[..., Any])

pass_session = click.make_pass_decorator(Session, ensure=True)


def _keep(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(ctx: click.Context, _parameter: click.Parameter, value: Any) -> None:
        session = ctx.find_object(Session)
        if session is not None and value not in (None, False, (), 0):
            setattr(session, name, value)

    return callback


def _shared(*, hidden: bool) -> list[click.Parameter]:
    # Eager, as --help is: what stands before --help counts for it.
    return [
        click.Option(
            ["--config"],
            metavar="FILE",
            hidden=hidden,
            expose_value=False,
            is_eager=True,
            callback=_keep("config"),
            help="The configuration file to use.",
        ),
        click.Option(
            ["--enable"],
            metavar="PLUGIN",
            multiple=True,
            hidden=hidden,
            expose_value=False,
            is_eager=True,
            callback=_keep("enable"),
            help="Load this plugin; may be repeated, over plugins.enabled of the file.",
        ),
        click.Option(
            ["--disable"],
            metavar="PLUGIN",
            multiple=True,
            hidden=hidden,
            expose_value=False,
            is_eager=True,
            callback=_keep("disable"),
            help="Keep this plugin out; may be repeated, over plugins.disabled of the file.",
        ),
        click.Option(
            ["-v", "--verbose"],
            count=True,
            hidden=hidden,
            expose_value=False,
            is_eager=True,
            callback=_keep("verbose"),
            help="Say more on the error stream.",
        ),
    ]


def _json(*, hidden: bool = False) -> click.Option:
    return click.Option(
        ["--json"],
        is_flag=True,
        hidden=hidden,
        expose_value=False,
        is_eager=True,
        callback=_keep("json"),
        help="Print one JSON document, for programs.",
    )


ROOT_OPTIONS: list[click.Parameter] = [*_shared(hidden=False), _json()]


class SessionCommand(click.Command):
    """A command that takes the shared options behind its name too, and `--json`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += [_json(), *_shared(hidden=True)]


class SessionGroup(click.Group):
    """A group that is a command too, with the same options as `SessionCommand`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += [_json(), *_shared(hidden=True)]


def run_options(function: F) -> F:
    """The options that say who asks; they reach the command as `who`, without what was not said."""
    import functools

    @functools.wraps(function)
    def with_who(*args: Any, **kwargs: Any) -> Any:
        who = {name: kwargs.pop(name) for name in _WHO}
        said = {name: value for name, value in who.items() if value is not None}
        return function(*args, who=said, **kwargs)

    decorated: Any = with_who
    for name, said in reversed(_WHO.items()):
        decorated = click.option(f"--{name}", metavar="NAME", help=said)(decorated)
    return decorated  # type: ignore[no-any-return]


_WHO = {
    "agent": "Ask as this agent.",
    "profile": "Ask with this profile.",
    "sandbox": "Ask from this sandbox.",
    "session": "Ask in this session.",
    "channel": "Ask on this channel.",
    "provider": "Ask for this provider's model.",
}
