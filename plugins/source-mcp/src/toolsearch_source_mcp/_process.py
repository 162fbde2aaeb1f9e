"""A server's process: started in a group of its own, and gone when we are done with it."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import attrs

log = logging.getLogger(__name__)

_POLL_SECONDS = 0.01
_CHUNK = 262_144
INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "TZ", "TMPDIR")
INHERITED_ON_WINDOWS = (
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
)


@attrs.frozen
class Command:
    """What is started: an argument list (never a shell), its whole environment, its folder."""

    argv: Sequence[str]
    environ: Mapping[str, str]
    cwd: Path


def child_environ(environ: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """The environment of a server: a short list of ours, and what its settings say."""
    names = INHERITED_ON_WINDOWS if sys.platform == "win32" else INHERITED
    kept = {name: environ[name] for name in names if name in environ}
    return {name: value for name, value in kept.items() if not value.startswith("()")} | dict(own)


async def spawn(command: Command) -> Process:
    """Start it with three pipes, in a group of its own. Raises `OSError`."""
    process = await _spawned(command)
    log.info("started %s as process %d", Path(command.argv[0]).name, process.pid)
    return process


async def _spawned(command: Command) -> Process:
    program, *arguments = command.argv
    if sys.platform == "win32":
        found = shutil.which(program, path=command.environ.get("PATH"))
        return await asyncio.create_subprocess_exec(
            found or program,
            *arguments,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=dict(command.environ),
            cwd=command.cwd,
            limit=_CHUNK,
        )
    return await asyncio.create_subprocess_exec(
        program,
        *arguments,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env=dict(command.environ),
        cwd=command.cwd,
        limit=_CHUNK,
        start_new_session=True,
    )


async def stop(process: Process, grace_seconds: float) -> None:
    """Close its input, wait, ask it to terminate, wait, kill the whole group.

    However this ends, cancelled included, nothing of the group is left: the last step does not
    wait.
    """
    try:
        if process.stdin is not None:
            process.stdin.close()
        if await _exited(process, grace_seconds):
            return
        _signal_group(process, signal.SIGTERM)
        if await _exited(process, grace_seconds):
            return
        log.warning("process %d ignored the request to terminate; it is killed", process.pid)
    finally:
        kill(process)
    await _exited(process, grace_seconds)


def kill(process: Process) -> None:
    """Kill the group, and the process itself where it still runs."""
    if sys.platform == "win32":
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        return
    _signal_group(process, signal.SIGKILL)


def _signal_group(process: Process, number: signal.Signals) -> None:
    if sys.platform == "win32":
        with suppress(ProcessLookupError):
            process.terminate()
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


async def _exited(process: Process, seconds: float) -> bool:
    """Whether it exits in time. `Process.wait` would also wait for pipes that a grandchild holds."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while process.returncode is None:
        if loop.time() >= deadline:
            return False
        await asyncio.sleep(_POLL_SECONDS)
    return True
