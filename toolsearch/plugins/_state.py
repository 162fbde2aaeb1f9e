"""A folder of each plugin's own in the state of a host."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from ._host import LoadedPlugin

FOLDER = "plugins"
OWNER_ONLY = 0o700


def own_state_dir(shared: Path, plugin: LoadedPlugin) -> Path:
    """Where a plugin keeps its files: `plugins/<name>` under the host's state, made here and
    readable by its owner only. The batteries, whose files the host's documentation names, share
    the host's own.

    Where it cannot be made nothing is raised: a plugin that writes nothing needs none.
    """
    if plugin.battery:
        return shared
    own = shared / FOLDER / _file_name(plugin.name)
    with suppress(OSError):
        for folder in (shared, shared / FOLDER, own):
            folder.mkdir(mode=OWNER_ONLY, parents=folder is shared, exist_ok=True)
    return own


def _file_name(plugin: str) -> str:
    """The name as one step of a path; what a program calls its plugin may be any text."""
    quoted = quote(plugin, safe="")
    return quoted if quoted.strip(".") else quoted.replace(".", "%2E")
