"""What a demonstration is played on: a configuration, and a folder for all that it writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from toolsearch_hookspecs import ConfigError

from ..config import parse
from ._choose import CAREFUL, denials
from ._functions import module_settings
from ._servers import demo_servers


@attrs.frozen
class Stage:
    """`config` is a mapping, or the file that was written of it; `missing` says what is not there."""

    folder: Path
    config: Mapping[str, Any] | Path
    repository: Path | None = None
    missing: tuple[str, ...] = ()

    @property
    def log(self) -> Path:
        return log_in(self.folder)

    @property
    def file(self) -> Path | None:
        """The configuration as a file, for commands that come after."""
        return self.config if isinstance(self.config, Path) else None


def log_in(folder: Path) -> Path:
    return folder / "session.jsonl"


def demo_stage(folder: Path) -> Stage:
    """The demo's own servers, one of them on a repository that is made in the folder."""
    repository = folder / "repository"
    servers = demo_servers(repository)
    config = folder / "toolsearch.json5"
    text = json.dumps(_config(folder, servers.configured, own=False), indent=2)
    config.write_text(text, encoding="utf-8")
    return Stage(
        folder=folder,
        config=config,
        repository=repository if "git" in servers.configured else None,
        missing=servers.missing,
    )


def stage_of(folder: Path, servers_file: Path) -> Stage:
    """Somebody's own servers, from a file with `mcpServers` as MCP clients share it.

    Nothing of the file is written anywhere: it may hold secrets.
    """
    return Stage(folder=folder, config=_config(folder, servers_in(servers_file), own=True))


def servers_in(path: Path) -> Mapping[str, Any]:
    """The `mcpServers` of a JSON or JSON5 file. Raises `ConfigError`."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text") from None
    value = parse(text, str(path)).root.value
    servers = value.get("mcpServers") if isinstance(value, dict) else None
    if not isinstance(servers, dict) or not servers:
        raise ConfigError(
            f"{path} has no servers; the file should look like "
            '{ "mcpServers": { "name": { "command": "...", "args": [] } } }'
        )
    return servers


def _config(folder: Path, servers: Mapping[str, Any], *, own: bool) -> dict[str, Any]:
    return {
        "tools": {"toolSearch": {"mode": "code"}, "deny": denials(own=own)},
        "agents": {CAREFUL: {"deny": ["hint:destructive"]}},
        "mcpServers": dict(servers),
        "log": {"path": str(log_in(folder))},
        "plugins": {
            "settings": {
                "source-python": {"modules": module_settings()},
                "runner-node": {"allowWeakIsolation": True},
            }
        },
    }
