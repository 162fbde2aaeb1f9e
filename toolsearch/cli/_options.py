"""Options that stand before any command, and that every command takes as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import attrs
import click

from ._session import Session

F = TypeVar("F", bound=Callable[..., Any])

pass_session = click.make_pass_decorator(Session, ensure=True)


def _named(ctx: click.Context, _parameter: click.Parameter, files: tuple[str, ...]) -> None:
    """Keep the one file that was named, here or before. Raises UsageError for two, and for none."""
    session = ctx.find_object(Session)
    if session is None or ctx.resilient_parsing:
        return
    for file in files:
        if not file.strip():
            raise click.UsageError("--config names no file; give its path, or leave it out", ctx)
        if session.config not in {None, file}:
            raise click.UsageError(
                f"--config is given twice, with {session.config} and with {file}; give one", ctx
            )
        session.config = file


def _add(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Add to what was said before: the option may stand in several places."""

    def callback(ctx: click.Context, _parameter: click.Parameter, value: Any) -> None:
        session = ctx.find_object(Session)
        if session is not None:
            setattr(session, name, getattr(session, name) + value)

    return callback


def _as_json(ctx: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    session = ctx.find_object(Session)
    if session is not None and asked:
        session.json = True


def _shared(*, hidden: bool) -> list[click.Parameter]:
    # Eager, as --help is: what stands before --help counts for it.
    return [
        click.Option(
            ["--config"],
            metavar="FILE",
            multiple=True,
            hidden=hidden,
            expose_value=False,
            is_eager=True,
            callback=_named,
            help="The configuration file to use.",
        ),
        click.Option(
            ["--enable"],
            metavar="PLUGIN",
            multiple=True,
            hidden=hidden,
            expose_value=False,
            is_eager=True,
            callback=_add("enable"),
            help="Load this plugin; may be repeated, over plugins.enabled of the file.",
        ),
        click.Option(
            ["--disable"],
            metavar="PLUGIN",
            multiple=True,
            hidden=hidden,
            expose_value=False,
            is_eager=True,
            callback=_add("disable"),
            help="Keep this plugin out; may be repeated, over plugins.disabled of the file.",
        ),
        click.Option(
            ["-v", "--verbose"],
            count=True,
            hidden=hidden,
            expose_value=False,
            is_eager=True,
            callback=_add("verbose"),
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
        callback=_as_json,
        help="Print one JSON document, for programs.",
    )


ROOT_OPTIONS: list[click.Parameter] = [*_shared(hidden=False), _json()]
SHARED = frozenset(word for option in ROOT_OPTIONS for word in option.opts)
"""The words that no command may have for an option of its own."""


def with_options_behind(ctx: click.Context, word: str, rest: Sequence[str]) -> Session:
    """A copy of the session with the shared options that stand behind a command's name.

    A plugin's command is known only once the plugins of *its* configuration are loaded, so these
    are read before the command's own options are known. What that takes for a shared option and
    was the value of another is found out when the command is parsed, see `Session.loads_as`.
    """
    session = attrs.evolve(ctx.find_object(Session) or Session())
    reader = click.Command(
        word,
        params=_shared(hidden=True),
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
    reader.make_context(word, list(rest), parent=ctx, obj=session)
    return session


class SessionCommand(click.Command):
    """A command that takes the shared options behind its name too, and `--json`. Its epilog are
    examples, a line each.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += [_json(), *_shared(hidden=True)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse. Raises UsageError for a second value where one is taken: none is dropped."""
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args(list(args))
            for each in self.params:
                takes_one = isinstance(each, click.Option) and not (
                    each.multiple or each.is_flag or each.count
                )
                if takes_one and given.count(each) > 1:
                    raise click.UsageError(f"{each.opts[0]} is given twice; give it once", ctx)
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.strip().splitlines():
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class SessionGroup(click.Group):
    """A group with the same options, before and behind the words below it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += [_json(), *_shared(hidden=True)]


def run_options(function: F) -> F:
    """The options that say who asks; they reach the command as `who`, without what was not said.

    Raises ConfigError for an agent or profile that the configuration does not have.
    """
    import functools

    @functools.wraps(function)
    def with_who(*args: Any, **kwargs: Any) -> Any:
        who = {name: kwargs.pop(name) for name in _WHO}
        said = {name: value for name, value in who.items() if value is not None}
        if said:
            from ._who import check_who

            session = click.get_current_context().find_object(Session) or Session()
            check_who(session.document(), said)
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
