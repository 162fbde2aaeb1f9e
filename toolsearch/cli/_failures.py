"""What a failed command says and which code it exits with.

Ours are one clear message and no traceback; a bug is not caught here and shows its traceback.
With `--json` the same stands on the output stream as `{"error": {"type", "message", ...}}`.
"""

from __future__ import annotations

import json as json_module
import os
import sys
from typing import Any

import click

USAGE = 2
FAILURE = 1
INTERRUPTED = 130


class Failed(click.ClickException):
    """A command that ran and failed; `data` is added to the JSON of the error."""

    exit_code = FAILURE

    def __init__(self, message: str, *, type: str = "failure", **data: Any) -> None:
        super().__init__(message)
        self.type = type
        self.data = data


def exit_code_of(error: Exception, *, json: bool) -> int | None:
    """Say what went wrong and give the exit code; None for a bug, which is not said here."""
    match error:
        case click.Abort():
            click.echo("interrupted", err=True)
            return INTERRUPTED
        case click.exceptions.Exit():
            return error.exit_code
        case BrokenPipeError():
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return FAILURE
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message(), err=True)
            return USAGE
        case click.UsageError():
            _say(_usage(error), "usage", json=json)
            return USAGE
        case Failed():
            _say(error.message, error.type, json=json, **error.data)
            return error.exit_code
        case click.ClickException():
            _say(error.format_message(), "failure", json=json)
            return FAILURE
        case _:
            return _ours(error, json=json)


def _ours(error: Exception, *, json: bool) -> int | None:
    from toolsearch_hookspecs import (
        CallError,
        ConfigError,
        PluginError,
        ToolsearchError,
    )

    match error:
        case CallError():
            failure = error.failure.model_dump(mode="json", exclude_none=True)
            message = failure.pop("message")
            _say(message, "call", json=json, **failure)
            return FAILURE
        case ConfigError():
            _say(str(error), "config", json=json)
            return USAGE
        case PluginError():
            _say(str(error), "plugin", json=json)
            return USAGE
        case ToolsearchError():
            _say(str(error), "failure", json=json)
            return FAILURE
        case _:
            return None


def _usage(error: click.UsageError) -> str:
    hint = ""
    if error.ctx is not None:
        hint = f"\nSee `{error.ctx.command_path} --help`."
    return f"{error.format_message()}{hint}"


def _say(message: str, type: str, *, json: bool, **data: Any) -> None:
    from toolsearch.text import clean

    from ._output import Output

    if json:
        error = {"type": type, "message": clean(message), **data}
        click.echo(json_module.dumps({"error": error}, ensure_ascii=False, indent=2))
    else:
        Output().failure(message)
