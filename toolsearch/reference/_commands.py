"""The commands, those of plugins too."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any


def cli() -> str:
    """Every command with its help and its options."""
    return "\n\n".join(_command(names, command) for names, command in commands())


def commands() -> Iterator[tuple[str, Any]]:
    """Every command, those of the batteries too, by its whole name."""
    import click

    from toolsearch.cli._app import app
    from toolsearch.cli._session import Session

    context = click.Context(app, info_name="toolsearch", obj=Session(environ={}))

    def walk(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
        yield name, command
        if isinstance(command, click.Group):
            for word in command.list_commands(context):
                inner = command.get_command(context, word)
                if inner is not None and not inner.hidden:
                    yield from walk(inner, f"{name} {word}")

    yield from walk(app, "toolsearch")


def _command(names: str, command: Any) -> str:
    import click

    rows = []
    for parameter in command.params:
        if getattr(parameter, "hidden", False):
            continue
        if isinstance(parameter, click.Option):
            said = (parameter.help or "").replace("|", "\\|")
            rows.append(f"| `{', '.join(parameter.opts)}` | {said} |")
        else:
            rows.append(f"| `{(parameter.metavar or parameter.name or '').upper()}` | |")
    table = ["| parameter | |", "|---|---|", *rows] if rows else []
    said = inspect.cleandoc(command.help or "")
    if command.epilog:
        said = f"{said}\n\n```text\n{command.epilog.strip()}\n```"
    return f"## {names}\n\n{said}\n\n" + "\n".join(table)
