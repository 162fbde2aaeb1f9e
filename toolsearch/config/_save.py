"""Writing an edited configuration: only where it is still valid, and as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toolsearch_hookspecs import ConfigError

from ._document import ConfigDocument, document_of
from ._files import read_bytes, write_whole
from ._reading import Problem
from ._tree import spoken
from ._trust import TrustStore, digest_of

NEW_FILE_MODE = 0o644

Check = Callable[[ConfigDocument], Sequence[Problem]]


def save_config(document: ConfigDocument, text: str, check: Check) -> ConfigDocument:
    """Write the edited text of a document's file and give the new document.

    `check` gives everything that stops a host from starting with a document. Raises
    `ConfigError`, and writes nothing, where the text has a mistake that the file did not have, or
    where the file was changed by someone else meanwhile. A trusted file stays trusted.
    """
    path, before = document.path, document.digest
    assert path is not None  # noqa: S101  (only files are edited)
    content = text.encode()
    new = document_of(
        path, content, document.environ, trusted=document.trusted, state_dir=document.state_dir
    )
    old = {_named(problem) for problem in check(document)}
    wrong = [problem for problem in check(new) if _named(problem) not in old]
    if wrong:
        raise ConfigError("\n".join([*new.lines(wrong), f"{document.name} was left as it was"]))
    if before is None:
        path.parent.mkdir(parents=True, exist_ok=True)
    elif digest_of(read_bytes(path)) != before:
        raise ConfigError(f"{document.name} was changed meanwhile; nothing was written, try again")
    write_whole(path, content, mode=NEW_FILE_MODE)
    if document.trusted and new.digest is not None:
        TrustStore(document.state_dir).trust(path, new.digest)
    return new


def _named(problem: Problem) -> tuple[str, str]:
    return spoken(problem.path), problem.message
