"""`toolsearch call`: one real call, down the same path as a model's."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolsearch_hookspecs import CallError, ConfigError, ErrorCode, Tool, ToolResult

from ..config import parse
from ._failures import Failed
from ._options import SessionCommand, pass_session, run_options
from ._runs import with_tool
from ._session import Session

if TYPE_CHECKING:
    from ..catalog import Ambiguous
    from ..runs import Run

CALLS = """
toolsearch call plugin:statistics:mean data:='[1, 2, 3]'
toolsearch call git_log '{"repo_path": ".", "max_count": 3}'
"""


@click.command(cls=SessionCommand, epilog=CALLS)
@click.argument("tool")
@click.argument("arguments", nargs=-1)
@run_options
@pass_session
def call(session: Session, tool: str, arguments: tuple[str, ...], who: Any) -> None:
    """Call TOOL, by id or unique name, through policy, hooks and approval.

    ARGUMENTS are name=value pairs (name:=JSON for what is no text), or one JSON object, or @FILE,
    or - for the input stream.
    """
    given = arguments_of(arguments)

    async def make(run: Run) -> tuple[ToolResult, Tool | Ambiguous | None]:
        result = await run.call(tool, given)
        known = run.catalog.resolve(tool)
        error = result.error
        if error is not None and error.code is ErrorCode.UNKNOWN_TOOL and known is None:
            raise CallError(error)
        return result, known

    result, known = session.wait(with_tool(session, who, tool, make))
    about = None
    more: list[str] = []
    if isinstance(known, Tool):
        about = {"id": known.id, "name": known.name, "source": known.source}
        if result.error is not None and result.error.code is ErrorCode.INVALID_ARGUMENTS:
            more = list(_about_arguments(known, given, result.error.message))
    _show(session, tool, about, result, more)


def _about_arguments(tool: Tool, given: Mapping[str, Any], said: str) -> Iterator[str]:
    """What a person sees better than a schema: words that are no parameter, though it would take
    them, and arguments that were piped and not read.
    """
    known = tool.input_schema.get("properties")
    if isinstance(known, Mapping) and known:
        for name in given:
            if name not in known and f"`{name}`" not in said:
                yield f"- `{name}` is not a known field"
    if not given and is_piped():
        yield f"The input stream is read where - says so: toolsearch call {tool.id} -"


def is_piped() -> bool:
    """Whether a pipe or a file stands at the input stream."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def arguments_of(words: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of a call. Raises UsageError for what is neither pairs nor an object."""
    if not words:
        return {}
    if len(words) == 1 and (words[0] == "-" or words[0][:1] in {"{", "@"}):
        return _object(words[0])
    given: dict[str, Any] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name.strip(":"):
            raise click.UsageError(f"{word!r} is not name=value, name:=JSON or one JSON object")
        given[name.removesuffix(":")] = _json(value, name) if name.endswith(":") else value
    return given


def _object(word: str) -> dict[str, Any]:
    match word[0]:
        case "-":
            text = sys.stdin.read()
        case "@":
            text = read_text(word[1:])
        case _:
            text = word
    value = _json(text, "the arguments")
    if not isinstance(value, dict):
        raise click.UsageError("the arguments are not one JSON object")
    return value


def _json(text: str, name: str) -> Any:
    try:
        return parse(text, name.removesuffix(":")).root.value
    except ConfigError as error:
        raise click.UsageError(str(error)) from None


def read_text(name: str) -> str:
    """The text of a file that was named on the command line, or of the input stream (`-`)."""
    if name == "-":
        return sys.stdin.read()
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise click.UsageError(f"{name}: cannot be read ({reason})") from None


def _show(
    session: Session,
    tool: str,
    about: dict[str, str] | None,
    result: ToolResult,
    more: Sequence[str],
) -> None:
    error = result.error
    if error is not None:
        data = error.model_dump(mode="json", exclude_none=True)
        message = "\n".join((data.pop("message"), *more))
        if result.value is not None:
            data["result"] = result.value
        if not session.json:
            by = f" by {error.by}" if error.by else ""
            message = f"{tool}: {error.code.value.replace('_', ' ')}{by}: {message}"
        raise Failed(message, type="call", **data)
    if session.json:
        note = {} if result.note is None else {"note": result.note}
        session.out.data({"tool": about, "result": result.value, **note})
    elif isinstance(result.value, str):
        session.out.text(result.value)
    else:
        session.out.data(result.value)
    if result.note is not None and not session.json:
        session.out.note(result.note)
