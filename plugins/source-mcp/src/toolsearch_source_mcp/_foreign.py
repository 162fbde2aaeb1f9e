"""Where other clients keep their servers."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from toolsearch_hookspecs import ConfigError

from ._jsonc import parse_jsonc

CLIENTS = ("claude", "cursor", "vscode", "codex")
_KEYS = ("mcpServers", "mcp_servers", "servers")


@attrs.frozen
class FoundServer:
    """A server as another client's file has it."""

    alias: str
    raw: Mapping[str, Any]
    file: Path


def servers_of(what: str, environ: Mapping[str, str], folder: Path) -> list[FoundServer]:
    """The servers of a client by its name, or of a file by its path; the first of a name counts.

    Raises `ConfigError` for a file that is not there or cannot be read, and where nothing is found.
    """
    if what in CLIENTS:
        places = list(places_of(what, environ, folder))
        files = [place for place in places if place.is_file()]
        if not files:
            looked = ", ".join(str(place) for place in places)
            raise ConfigError(f"no configuration of {what} was found; looked for {looked}")
    else:
        files = [folder / Path(what).expanduser()]
    found: dict[str, FoundServer] = {}
    for file in files:
        for alias, raw in read_servers(file, folder).items():
            found.setdefault(alias, FoundServer(alias, raw, file))
    return list(found.values())


def places_of(client: str, environ: Mapping[str, str], folder: Path) -> Iterator[Path]:
    """The files that a client reads: this folder's first, then the user's."""
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or "~").expanduser()
    programs = _programs(environ, home)
    match client:
        case "claude":
            yield folder / ".mcp.json"
            yield home / ".claude.json"
            yield programs / "Claude" / "claude_desktop_config.json"
        case "cursor":
            yield folder / ".cursor" / "mcp.json"
            yield home / ".cursor" / "mcp.json"
        case "vscode":
            yield folder / ".vscode" / "mcp.json"
            yield programs / "Code" / "User" / "mcp.json"
        case "codex":
            yield folder / ".codex" / "config.toml"
            yield Path(environ.get("CODEX_HOME") or home / ".codex") / "config.toml"


def read_servers(file: Path, folder: Path) -> dict[str, Mapping[str, Any]]:
    """The servers of one file, by alias; of a project's own section where the file has one."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 text") from error
    try:
        whole = tomllib.loads(text) if file.suffix == ".toml" else parse_jsonc(text)
    except ValueError as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error
    if not isinstance(whole, dict):
        raise ConfigError(f"{file} holds no object")
    return {
        alias: raw
        for section in _sections(whole, folder)
        for alias, raw in section.items()
        if isinstance(raw, dict)
    }


def _sections(whole: Mapping[str, Any], folder: Path) -> Iterator[Mapping[str, Any]]:
    """The sections that hold servers; a later one wins."""
    nested = whole.get("mcp")
    holders = [whole, nested if isinstance(nested, dict) else {}]
    projects = whole.get("projects")
    if isinstance(projects, dict):
        own = projects.get(str(folder))
        holders.append(own if isinstance(own, dict) else {})
    for holder in holders:
        for key in _KEYS:
            section = holder.get(key)
            if isinstance(section, dict):
                yield section


def _programs(environ: Mapping[str, str], home: Path) -> Path:
    match sys.platform:
        case "darwin":
            return home / "Library" / "Application Support"
        case "win32":
            return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
