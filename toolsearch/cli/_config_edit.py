"""`toolsearch config set` and `unset`: in place, and only to something valid."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from toolsearch_hookspecs import ConfigError

from ..config import (
    ConfigDocument,
    KeyPath,
    document_of,
    masked,
    parse,
    path_of,
    save_config,
    spoken,
    value_at,
    with_value,
    without_value,
)
from ._find import FILE_NAME, user_config_path
from ._options import SessionCommand, pass_session
from ._session import Session

_user = click.option("--user", is_flag=True, help="Edit the user's own file, not this directory's.")


@click.command("set", cls=SessionCommand)
@click.argument("key")
@click.argument("value")
@click.option("--string", is_flag=True, help="Take VALUE as text, whatever it looks like.")
@_user
@pass_session
def set_value(session: Session, key: str, value: str, string: bool, user: bool) -> None:
    """Set KEY to VALUE, keeping comments and order of the file.

    VALUE is JSON5: true, 5, "text", ["a", "b"], { mode: "tools" }; a plain word is text. Where
    there is no file, one is made in this directory. A value that the host could not use is
    refused, and the file stays as it was.
    """
    from ._declared import mistakes

    document = _edited(session, user=user)
    steps = path_of(key)
    meant: Any = value if string else value_of(value)
    text = with_value(_text(document), steps, meant, str(document.name))
    try:
        new = save_config(document, text, lambda each: mistakes(session, each))
    except ConfigError as error:
        raise ConfigError(f"{error}{_as_list(document, steps, meant, str(error))}") from None
    _say(session, new, {"key": spoken(steps), "value": _shown(new, steps)}, "set")


def _as_list(document: ConfigDocument, steps: KeyPath, meant: Any, said: str) -> str:
    """How the list is written that was wanted in place of one word, with what it holds now."""
    if isinstance(meant, Mapping | list) or f"{spoken(steps)}: should be a list" not in said:
        return ""
    try:
        held = value_at(masked(document.value), steps)
    except KeyError:
        held = []
    wanted = json.dumps([*(held if isinstance(held, list) else ()), meant], ensure_ascii=False)
    return f"\nA list is written so: toolsearch config set {spoken(steps)} {shlex.quote(wanted)}"


@click.command("unset", cls=SessionCommand)
@click.argument("key")
@_user
@pass_session
def unset_value(session: Session, key: str, user: bool) -> None:
    """Take KEY out of the file, keeping comments and order."""
    from ._declared import mistakes

    document = _edited(session, user=user, make=False)
    steps = path_of(key)
    text = without_value(_text(document), steps, str(document.name))
    new = save_config(document, text, lambda each: mistakes(session, each))
    _say(session, new, {"key": spoken(steps)}, "unset")


def value_of(text: str) -> Any:
    """What a value on the command line means: JSON5, or, where it cannot be that, itself."""
    try:
        return parse(text, "VALUE").root.value
    except ConfigError:
        if text.lstrip()[:1] in {"{", "[", '"', "'"}:
            raise
        return text


def _edited(session: Session, *, user: bool, make: bool = True) -> ConfigDocument:
    """The file to edit; where there is none, the one that would be found here, not yet made.

    Raises ConfigError where a named file is not there, unless one is to be made.
    """
    if user and session.config is not None:
        raise click.UsageError("--user and --config name two files; give one of them")
    from ..config import read_config

    if user:
        path = user_config_path(session.environ)
        if path.is_file():
            return read_config(path, session.environ, trusted=False)
        return _new(path, session)
    found = session.search().found
    if found is not None and (found.path.is_file() or not make):
        return session.document()
    return _new(Path(FILE_NAME) if found is None else found.path, session)


def _new(path: Path, session: Session) -> ConfigDocument:
    import attrs

    from ..config import state_dir_of

    state_dir = state_dir_of(session.environ)
    document = document_of(
        path.absolute(), b"{}\n", session.environ, trusted=True, state_dir=state_dir
    )
    return attrs.evolve(document, digest=None)


def _text(document: ConfigDocument) -> str:
    assert document.tree is not None  # noqa: S101  (it is a file)
    return document.tree.text


def _shown(document: ConfigDocument, steps: Any) -> Any:
    return value_at(masked(document.value), steps)


def _say(session: Session, document: ConfigDocument, data: dict[str, Any], did: str) -> None:
    if session.json:
        session.out.data({"path": str(document.path), **data})
    else:
        session.out.note(f"{did} {data['key']} in {document.name}")
    found = session.search().found
    if found is None or not found.named or found.path != document.path:
        session.out.diagnostics(_as_found(document).diagnostics)


def _as_found(document: ConfigDocument) -> ConfigDocument:
    """The written file as it is read where it is found: with what it may not decide untrusted."""
    from ..config import read_config

    assert document.path is not None  # noqa: S101  (it was written)
    return read_config(document.path, document.environ, trusted=False, state_dir=document.state_dir)
