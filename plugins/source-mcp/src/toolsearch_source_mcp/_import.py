"""`toolsearch import`: another client's servers into our file, each command line shown first."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolsearch_hookspecs import (
    Command,
    CommandContext,
    ConfigError,
    Parameter,
    PluginContext,
)
from toolsearch_hookspecs.text import clean

from ._foreign import CLIENTS, FoundServer, servers_of
from ._jsonc import parse_jsonc, with_members
from ._translate import Translated, translated

FILE = "toolsearch.json5"
HELP = f"""Take over the MCP servers of another client: {", ".join(CLIENTS)}, or of a FILE.

Shows each server with its whole command line, and writes them under mcpServers. Nothing is
started, and what another client approves by itself is not taken over."""

PARAMETERS = (
    Parameter(name="what", kind="argument", required=True, help="A client's name or a file."),
    Parameter(name="dry_run", kind="flag", help="Show what would be written, and write nothing."),
    Parameter(name="replace", kind="flag", help="Replace servers that the file already has."),
    Parameter(name="output", type="path", help=f"The file to write; {FILE} here by default."),
)


def import_command(plugin: PluginContext, known: frozenset[str]) -> Command:
    """The command; `known` are the servers that the configuration has."""

    async def run(context: CommandContext, given: Mapping[str, Any]) -> int | None:
        folder = Path.cwd()
        found = servers_of(given["what"], plugin.environ, folder)
        if not found:
            raise ConfigError(f"{given['what']} has no MCP servers")
        read = [(server, translated(server.alias, server.raw)) for server in found]
        taken = {
            one.alias: one.server
            for _, one in read
            if one.refused is None and (given.get("replace") or one.alias not in known)
        }
        rows = [_row(server, one, one.alias in taken) for server, one in read]
        context.show(rows, text=_text(rows))
        if given.get("dry_run") or not taken:
            return None
        ours = plugin.base_dir if (plugin.base_dir / FILE).is_file() else folder
        target = folder / given["output"] if given.get("output") else ours / FILE
        write(target, taken)
        context.show(
            {"written": str(target), "servers": sorted(taken)}, text=f"written to {target}"
        )
        return None

    return Command(name="import", help=HELP, run=run, parameters=PARAMETERS)


def write(target: Path, servers: Mapping[str, Any]) -> None:
    """Put servers into the file, whose comments and order stay; where there is none, make it.

    A new file is its owner's alone: it may hold tokens. Raises `ConfigError`.
    """
    try:
        before = target.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = json.dumps({"mcpServers": servers}, indent=2, ensure_ascii=False) + "\n"
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        return
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{target} cannot be read ({type(error).__name__})") from error
    try:
        after = with_members(before, "mcpServers", servers)
        whole = parse_jsonc(after)
    except ValueError as error:
        raise ConfigError(f"{target} cannot be read: {error}; it is left as it is") from error
    if any(whole["mcpServers"].get(alias) != server for alias, server in servers.items()):
        raise ConfigError(f"{target} could not be changed in place and is left as it is")
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    partial.write_text(after, encoding="utf-8")
    partial.chmod(target.stat().st_mode & 0o777)
    partial.replace(target)


def command_line(server: Mapping[str, Any]) -> str:
    """What would be started or reached, in full; the values of environment and headers hidden."""
    if "url" in server:
        return clean(str(server["url"]))
    words = [str(word) for word in (server.get("command", ""), *server.get("args", ()))]
    names = [f"{name}=***" for name in server.get("env", {})]
    return clean(" ".join([*names, shlex.join(words)]))


def _row(server: FoundServer, one: Translated, taken: bool) -> dict[str, Any]:
    state = "taken" if taken else one.refused or "already there"
    return {
        "server": one.alias,
        "runs": command_line(one.server),
        "state": state,
        "remarks": list(one.remarks),
        "file": str(server.file),
    }


def _text(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for row in rows:
        lines.append(f"{row['server']}: {row['runs']}")
        lines.append(f"  {row['state']} (from {row['file']})")
        lines += [f"  {remark}" for remark in row["remarks"]]
    return "\n".join(lines)
