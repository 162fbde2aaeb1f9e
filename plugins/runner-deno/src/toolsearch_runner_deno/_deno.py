"""Which Deno, which version, and how it is started."""

from __future__ import annotations

import base64
import importlib.metadata
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from toolsearch_runner_base.process import Command
from toolsearch_runner_base.runtime import Identity, Runtime

_PERMISSIONS = ("read", "write", "net", "env", "run", "sys", "ffi", "import")
# No question at a terminal, no module from elsewhere, no file of the user's that changes anything.
_PLAIN = (
    "--quiet",
    "--no-prompt",
    "--no-remote",
    "--no-npm",
    "--no-config",
    "--no-lock",
    "--no-code-cache",
)
# Deno insists on a folder for what it keeps; below a device there is none, and it keeps nothing.
_ENVIRONMENT = {"DENO_DIR": "/dev/null", "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
# tokio, the event loop that Deno stands on, hands signals to itself over a pair of sockets, made when
# it starts. It ends the process where it cannot.
_CALLS = ("socketpair",)
# V8 reserves addresses for its cage here, which are no memory; what is used is bounded as data.
_ADDRESS_MB = 128 << 10
_DATA_MB = 128  # of Deno itself
_DESCRIBE = """
let maps = ''; try { maps = Deno.readTextFileSync('/proc/self/maps'); } catch {}
const files = [...new Set(maps.split('\\n').map((line) => line.slice(line.indexOf('/')))
  .filter((path) => path.startsWith('/')))];
console.log(JSON.stringify({ version: Deno.version.deno, program: Deno.execPath(), files }));
"""


@dataclass(frozen=True, slots=True)
class Deno(Runtime):
    """A Deno that was found."""

    name: ClassVar[str] = "deno"
    title: ClassVar[str] = "Deno"
    runner: ClassVar[str] = "runner-deno"
    package: ClassVar[str] = "deno"
    oldest: ClassVar[str] = "Deno 2.8"

    @classmethod
    def packaged(cls) -> str | None:
        """The Deno of the package `deno`, found without importing it."""
        try:
            files = importlib.metadata.files("deno") or ()
        except importlib.metadata.PackageNotFoundError:
            return None
        name = "deno.exe" if sys.platform == "win32" else "deno"
        for file in files:
            if file.name == name and file.parent.name in {"bin", "Scripts"}:
                program = Path(str(file.locate()))
                if program.is_file():
                    return str(program)
        return None

    @classmethod
    def knows(cls, version: tuple[int, int, int]) -> bool:
        """From here on `node:vm` has contexts with a global of their own, and ends in time."""
        return version >= (2, 8)

    @classmethod
    def question(cls, identity: Identity) -> Command:
        return Command(
            identity.path,
            ("deno", "run", *_PLAIN, "--allow-all", _module(_DESCRIBE)),
            environment=_ENVIRONMENT,
        )

    def command(
        self,
        script: str,
        *,
        layers: tuple[str, ...],
        restricted: bool = True,
        memory_mb: int = 256,
    ) -> Command:
        """The command that runs `script`, which is in the command itself: no file is read."""
        # One thread for the engine; without a compiler at run time, and no code from text.
        engine = ["--single-threaded", f"--max-old-space-size={memory_mb * 3 // 4}"]
        if restricted:
            engine += ["--jitless", "--disallow-code-generation-from-strings"]
        rights = [f"--deny-{name}" for name in _PERMISSIONS] if restricted else ["--allow-all"]
        flags = (*_PLAIN, *rights, f"--v8-flags={','.join(engine)}")
        return Command(
            program=self.identity.path,
            argv=("deno", "run", *flags, _module(script)),
            layers=layers,
            files=self.files,
            calls=_CALLS,
            environment=_ENVIRONMENT,
            interruptible=False,
            settles=True,
            memory_mb=memory_mb,
            address_mb=_ADDRESS_MB,
            data_mb=_DATA_MB + 2 * memory_mb,
        )

    def host(self) -> str:
        return _source("host.js")

    def tries(self) -> str:
        return _source("probe.js")


def _module(script: str) -> str:
    return f"data:text/javascript;base64,{base64.b64encode(script.encode()).decode()}"


@cache
def _source(name: str) -> str:
    return (Path(__file__).parent / "js" / name).read_text(encoding="utf-8")
