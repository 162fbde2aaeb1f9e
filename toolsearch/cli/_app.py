"""The application: a table of commands, each in a module that is imported when it is used."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from ._failures import exit_code_of
from ._options import ROOT_OPTIONS, with_options_behind
from ._session import Session
from ._variables import misspelt_variables

SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Tools": {
        "search": ("_search:search", "Search the tools that an agent may use."),
        "describe": ("_search:describe", "Show one tool with its exact parameters."),
        "call": ("_call:call", "Call one tool, through policy, hooks and approval."),
        "code": ("_code:code", "Run a JavaScript body that searches and calls tools."),
        "stats": ("_stats:stats", "Show how many tools there are and what each mode costs."),
        "demo": ("_demo:demo", "See it work on several hundred real tools."),
    },
    "Deployment": {
        "config": ("_config:config", "Show, check and edit the configuration."),
        "plugins": ("_plugins:plugins", "List the plugins and what becomes of each."),
        "new-plugin": ("_new_plugin:new_plugin", "Write a new plugin that passes its tests."),
        "policy": ("_policy:policy", "Explain what policy decides, and which entry did."),
        "doctor": ("_doctor:doctor", "Look for what is wrong, and say how to mend it."),
        "docs": ("_docs:docs", "Print the reference: hooks, contract, testing, events."),
        "completion": ("_completion:completion", "Print the completion script of a shell."),
    },
}
"""Section, name, and `module:attribute` with one line of help: what `--help` shows."""

BUILTIN = {name: command for section in SECTIONS.values() for name, command in section.items()}


class Application(click.Group):
    """The table above, and the commands that plugins bring, which are collected only where a word
    is not in the table, or all commands are listed.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*BUILTIN, *self._of_plugins(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in BUILTIN:
            module, attribute = BUILTIN[cmd_name][0].split(":")
            command = getattr(import_module(f"{__package__}.{module}"), attribute)
            assert isinstance(command, click.Command)  # noqa: S101  (the table says so)
            return command
        return self._of_a_plugin(ctx, cmd_name, ())

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word, *rest = args
        known = word in BUILTIN
        command = self.get_command(ctx, word) if known else self._of_a_plugin(ctx, word, rest)
        if command is None and not ctx.resilient_parsing:
            from difflib import get_close_matches

            close = get_close_matches(word, self.list_commands(ctx), 1)
            instead = f"did you mean {close[0]!r}?" if close else "see `toolsearch --help`"
            ctx.fail(f"there is no command {word!r}; {instead}")
        return word, command, rest

    def _of_a_plugin(
        self, ctx: click.Context, word: str, rest: Sequence[str]
    ) -> click.Command | None:
        if ctx.resilient_parsing:
            return None
        from ._adapter import plugin_command

        _session(ctx)
        return plugin_command(with_options_behind(ctx, word, rest), word)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, said) for name, (_, said) in commands.items()])
        of_plugins = self._of_plugins(ctx)
        if of_plugins:
            with formatter.section("From plugins"):
                formatter.write_dl(sorted(of_plugins.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        formatter.write_text(
            "`toolsearch COMMAND --help` says more of each command. A command exits with 0, with 1 "
            "where it failed, with 2 for usage and configuration; with --json an error is the "
            'object {"error": {"type", "message", ...}} on the output stream.'
        )

    def _of_plugins(self, ctx: click.Context) -> dict[str, str]:
        if ctx.resilient_parsing:
            return {}
        from ._listing import plugin_command_help

        listed = plugin_command_help(_session(ctx))
        return {name: said for name, said in listed.items() if name not in BUILTIN}


def _session(ctx: click.Context) -> Session:
    found = ctx.find_object(Session)
    if found is None:  # help and completion are answered before the options of the root are read
        found = ctx.obj = Session(environ=dict(os.environ))
    return found


def _version(ctx: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    click.echo(f"toolsearch {version('toolsearch')}")
    ctx.exit()


app = Application(
    "toolsearch",
    help=(
        "One compact way for an AI agent to find and call any of thousands of tools.\n\n"
        "The configuration is the file that --config or TOOLSEARCH_CONFIG names, else the nearest "
        "toolsearch.json5 up to the repository's root, else the user's own. Trust, approvals and "
        "the log are kept in TOOLSEARCH_STATE_DIR, else in the user's state folder, which "
        "`toolsearch doctor` names."
    ),
    params=[
        *ROOT_OPTIONS,
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_version,
            help="Show the version.",
        ),
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96},
)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and give its exit code: 0, 1 for failure, 2 for usage and
    configuration, 130 when interrupted. A bug of ours passes, with its traceback.
    """
    session = Session(environ=dict(os.environ))
    for said in misspelt_variables(session.environ):
        session.out.warning(said)
    try:
        code: Any = app.main(
            args=list(arguments), prog_name="toolsearch", standalone_mode=False, obj=session
        )
    except Exception as error:
        failed = exit_code_of(error, json="--json" in arguments)
        if failed is None:
            raise
        return failed
    return code if isinstance(code, int) else 0
