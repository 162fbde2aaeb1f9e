"""`toolsearch import`: another client's servers into our file, each command line shown first."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolsearch_hookspecs import (
    Command,
    CommandContext,
    ConfigError,
    Parameter,
    PluginContext,
)
from toolsearch_hookspecs.text import Redactor, clean

from ._foreign import CLIENTS, FoundServer, servers_of
from ._jsonc import parse_jsonc, with_members
from ._translate import Translated, translated

FILE = "toolsearch.json5"
SECTION = "mcpServers"
HELP = f"""Take over the MCP servers of another client: {", ".join(CLIENTS)}, or of a FILE.

Shows each server with its whole command line, and writes them under mcpServers. Nothing is
started, and what another client approves by itself is not taken over."""

PARAMETERS = (
    Parameter(name="what", kind="argument", required=True, help="A client's name or a file."),
    Parameter(name="dry_run", kind="flag", help="Show what would be written, and write nothing."),
    Parameter(name="replace", kind="flag", help="Replace servers that the file already has."),
    Parameter(
        name="output", type="path", help=f"The file to write; else the one in use, or {FILE} here."
    ),
)


def import_command(plugin: PluginContext) -> Command:
    async def run(context: CommandContext, given: Mapping[str, Any]) -> int | None:
        folder = Path.cwd()
        target = _target(plugin, given, folder)
        found = servers_of(given["what"], plugin.environ, folder)
        if not found:
            raise ConfigError(f"{given['what']} has no MCP servers")
        there = frozenset() if given.get("replace") else servers_in(target)
        read = [translated(server.alias, server.raw) for server in found]
        taken = {
            one.alias: one.server for one in read if one.refused is None and one.alias not in there
        }
        rows = [
            _row(server, one, taken=one.alias in taken)
            for server, one in zip(found, read, strict=True)
        ]
        if not context.json:
            context.show(rows, text=_text(rows))
        writes = bool(taken) and not given.get("dry_run")
        if writes:
            write(target, taken)
        written = str(target) if writes else None
        context.show({"servers": rows, "written": written}, text=_outcome(written))
        return None

    return Command(name="import", help=HELP, run=run, parameters=PARAMETERS)


def _target(plugin: PluginContext, given: Mapping[str, Any], folder: Path) -> Path:
    """The file to write: the one that is named, else the one in use, else a new one here."""
    if given.get("output"):
        return folder / Path(given["output"]).expanduser()
    return folder / (plugin.config_path or FILE)


def servers_in(target: Path) -> frozenset[str]:
    """The servers of the file that is to be written, trusted or not. Raises `ConfigError`."""
    if not target.exists():
        return frozenset()
    try:
        whole = parse_jsonc(target.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        said = str(error) if type(error) is ValueError else type(error).__name__
        raise ConfigError(f"{target} cannot be read: {said}; it is left as it is") from error
    servers = whole.get(SECTION) if isinstance(whole, dict) else None
    return frozenset(servers if isinstance(servers, dict) else ())


def write(target: Path, servers: Mapping[str, Any]) -> None:
    """Put servers into the file, whose comments and order stay; where there is none, make it.

    A new file is its owner's alone: it may hold tokens. Raises `ConfigError`.
    """
    try:
        before = target.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = json.dumps({SECTION: servers}, indent=2, ensure_ascii=False) + "\n"
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        return
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{target} cannot be read ({type(error).__name__})") from error
    try:
        after = with_members(before, SECTION, servers)
        whole = parse_jsonc(after)
    except ValueError as error:
        raise ConfigError(f"{target} cannot be read: {error}; it is left as it is") from error
    if any(whole[SECTION].get(alias) != server for alias, server in servers.items()):
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


def plain_secrets(server: Mapping[str, Any]) -> Iterator[str]:
    """A remark for each secret that would stand in our file as it is."""
    redactor = Redactor()
    for section, noun in (("env", "variable"), ("headers", "header")):
        for name, value in (server.get(section) or {}).items():
            hidden = redactor.clean({name: value}) != {name: value}
            if hidden and "${" not in str(value):
                yield (
                    f"the {noun} {clean(name)} holds a secret, and our file then holds it too; "
                    "better write ${NAME} there, with the value in the environment"
                )


def _row(server: FoundServer, one: Translated, *, taken: bool) -> dict[str, Any]:
    state = "taken" if taken else one.refused or "already there"
    return {
        "server": one.alias,
        "runs": command_line(one.server),
        "state": state,
        "remarks": [*one.remarks, *(plain_secrets(one.server) if taken else ())],
        "file": str(server.file),
    }


def _text(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for row in rows:
        lines.append(f"{row['server']}: {row['runs']}")
        lines.append(f"  {row['state']} (from {row['file']})")
        lines += [f"  {remark}" for remark in row["remarks"]]
    return "\n".join(lines)


def _outcome(written: str | None) -> str:
    if written is None:
        return "nothing was written"
    return (
        f"written to {written}\n"
        "Read it, then run `toolsearch config trust`: what was found, not named with --config,\n"
        "starts nothing before."
    )
