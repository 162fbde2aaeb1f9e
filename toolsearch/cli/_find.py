"""Looking for the configuration file, as the command line does (S10)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FILE_NAME = "toolsearch.json5"


@attrs.frozen
class Found:
    """A configuration file. `named`: the user named it, so that it needs no trust of its own."""

    path: Path
    named: bool


@attrs.frozen
class Search:
    """What the search gave: the file, if any; the files it passed over, and where it looked."""

    found: Found | None
    looked: tuple[Path, ...] = ()
    foreign: tuple[Path, ...] = ()


def user_config_path(environ: Mapping[str, str]) -> Path:
    """Where the user's own configuration file stands, whether or not it is there."""
    named = environ.get("TOOLSEARCH_CONFIG_DIR")
    if named:
        return Path(named).expanduser() / FILE_NAME
    import platformdirs

    return platformdirs.user_config_path("toolsearch", appauthor=False) / FILE_NAME


def search_config(
    named: Path | str | None, environ: Mapping[str, str], cwd: Path | None = None
) -> Search:
    """Look for the configuration: `--config`, `TOOLSEARCH_CONFIG`, `toolsearch.json5` from the
    working directory up to the repository root, then the user's configuration directory.

    A file that belongs to another user is passed over. A named file is given as it is named,
    there or not. Outside a repository only the working directory itself is looked at.
    """
    spoken = named or environ.get("TOOLSEARCH_CONFIG")
    if spoken:
        return Search(Found(Path(spoken).expanduser(), named=True))
    looked: list[Path] = []
    foreign: list[Path] = []
    start = Path.cwd() if cwd is None else cwd
    for path in (*_upwards(start), user_config_path(environ)):
        looked.append(path)
        if not path.is_file():
            continue
        if _is_own(path):
            return Search(Found(path, named=False), tuple(looked), tuple(foreign))
        foreign.append(path)
    return Search(None, tuple(looked), tuple(foreign))


def _upwards(start: Path) -> Iterator[Path]:
    places = (start, *start.parents)
    root = next((place for place in places if (place / ".git").exists()), start)
    for place in places:
        yield place / FILE_NAME
        if place == root:
            return


def _is_own(path: Path) -> bool:
    """Whether the file, and a link that leads to it, belong to the user who runs this."""
    if not hasattr(os, "getuid"):
        return True
    user = os.getuid()
    return path.lstat().st_uid == user and path.stat().st_uid == user
