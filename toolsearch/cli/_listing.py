"""One line of help for each command that plugins bring, without loading plugins each time.

Loading the plugins costs more than everything else that `--help` does, so what they bring is
kept in a cache, until packages, configuration or options change. A command that is *run* is
always taken from the plugin itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from ._session import Session

FILE = "commands.json"


def plugin_command_help(session: Session) -> dict[str, str]:
    """First word and one line for each command of a plugin; none where no host can be made,
    which is said on the error stream.
    """
    place = _place(session.environ)
    key = _key(session)
    known = _read(place, key)
    if known is not None:
        return known
    listed, complete = _collected(session)
    if complete:
        _write(place, key, listed)
    return listed


def _place(environ: Mapping[str, str]) -> Path:
    state = environ.get("TOOLSEARCH_STATE_DIR")
    if state:
        return Path(state).expanduser() / FILE
    import platformdirs

    return platformdirs.user_cache_path("toolsearch", appauthor=False) / FILE


def _collected(session: Session) -> tuple[dict[str, str], bool]:
    """The list, and whether every plugin could say what it brings."""
    from toolsearch_hookspecs import ToolsearchError

    from ._adapter import collected

    try:
        found = collected(session)
    except ToolsearchError as error:
        session.out.note(f"The commands of plugins are not listed: {error}\n")
        return {}, False
    listed: dict[str, str] = {}
    below: dict[str, list[str]] = {}
    for each in found.commands:
        word, *more = each.value.name.split()
        if more:
            below.setdefault(word, []).append(" ".join(more))
        else:
            listed.setdefault(word, (each.value.help or "").split("\n")[0])
    groups = {word: f"{', '.join(dict.fromkeys(names))}." for word, names in below.items()}
    return {**groups, **listed}, found.complete


def _key(session: Session) -> str:
    """What the list depends on: the packages on the path, the configuration, the options."""
    digest = hashlib.sha256(repr((sys.version, session.selection)).encode())
    for part in _parts(session):
        digest.update(part.encode())
    return digest.hexdigest()


def _parts(session: Session) -> Iterator[str]:
    yield from (f"{k}={v}\n" for k, v in sorted(session.environ.items()) if "TOOLSEARCH" in k)
    found = session.search().found
    for place in (*map(Path, sys.path), *((found.path,) if found else ())):
        try:
            yield f"{place}:{place.stat().st_mtime_ns}\n"
        except OSError:
            yield f"{place}:\n"


def _read(place: Path, key: str) -> dict[str, str] | None:
    try:
        kept = json.loads(place.read_text(encoding="utf-8"))
        return {str(word): str(said) for word, said in kept[key].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _write(place: Path, key: str, listed: dict[str, str]) -> None:
    """Keep the list where that is possible: it is no more than a shortcut."""
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        half = place.with_suffix(f".{os.getpid()}")
        half.write_text(json.dumps({key: listed}), encoding="utf-8")
        half.replace(place)
    except OSError:
        return
