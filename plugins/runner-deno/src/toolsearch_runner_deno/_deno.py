"""Which Deno, which version, and how it is started."""

from __future__ import annotations

import base64
import importlib.metadata
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

# From here on `node:vm` gives a context with a global of its own, and ends a script after a time.
OLDEST = (2, 8)
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
_ALSO_READ = ("/etc/ld.so.cache",)


@dataclass(frozen=True, slots=True)
class Deno(Runtime):
    """A Deno that was found."""

    name: ClassVar[str] = "deno"
    title: ClassVar[str] = "Deno"
    runner: ClassVar[str] = "runner-deno"

    @classmethod
    def locate(cls, wanted: str | None) -> Identity:
        """The file of the Deno to use; raises `RuntimeMissingError`."""
        if wanted is not None:
            found = shutil.which(str(Path(wanted).expanduser()))
            if found is None:
                raise RuntimeMissingError(
                    f"the setting deno ({wanted}) names no program that can be run; "
                    "correct plugins.settings.runner-deno.deno or remove it"
                )
            return Identity.of(found)
        found = shutil.which("deno") or packaged()
        if found is None:
            raise RuntimeMissingError(
                "no Deno on the path; install Deno 2.8 or newer, or the package deno "
                "(`pip install deno`), or set plugins.settings.runner-deno.deno"
            )
        return Identity.of(found)

    @classmethod
    async def describe(cls, identity: Identity, spawner: Spawner) -> Deno:
        """Ask the program what it is. Raises `RuntimeMissingError` where it cannot be used."""
        command = Command(
            identity.path,
            ("deno", "run", *_PLAIN, "--allow-all", _module(_DESCRIBE)),
            environment=_ENVIRONMENT,
        )
        channel = Channel(max_line=1 << 20, max_total=1 << 20)
        try:
            answer = json.loads(await first_line(spawner, command, channel))
            version = tuple(
                int(part) for part in answer["version"].split("-")[0].split("+")[0].split(".")
            )
            files = tuple(answer["files"])
            program = Identity.of(answer["program"])
        except (StartError, OSError, ValueError, KeyError, TypeError) as error:
            raise RuntimeMissingError(
                f"{identity.path} does not run as Deno ({error}); where it is a script that "
                "chooses a Deno, set plugins.settings.runner-deno.deno to the program itself"
            ) from error
        if version < OLDEST:
            raise RuntimeMissingError(
                f"Deno {answer['version']} at {identity.path} is too old; Deno 2.8 or newer is "
                "needed"
            )
        return cls(program, (version[0], version[1], version[2]), (*files, *_ALSO_READ))

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


def packaged() -> str | None:
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
