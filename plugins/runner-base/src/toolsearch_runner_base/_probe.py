"""The attestation: what a child of this runtime cannot do here, each thing tried."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toolsearch_hookspecs import Attestation

from .process import LAYERS, Channel, Command, RefusedError, Spawner, StartError
from .reading import ending, greeting, settled

if TYPE_CHECKING:
    from .runtime import Runtime

# What S6.1 promises; the others are told, and add to the layers.
PROMISED = (
    "fs.read",
    "fs.list",
    "fs.write",
    "net.tcp",
    "net.udp",
    "net.unix",
    "net.listen",
    "child",
    "worker",
    "addons",
    "wasi",
    "inspector",
    "sqlite",
    "environment",
)
_NET = ("net.tcp", "net.udp", "net.unix", "net.listen")

Scope = Literal["denied", "open", "untested"]
Findings = Mapping[str, Scope]


def canary() -> str:
    """A file that everyone may read, unless something forbids it."""
    return "/etc/passwd" if Path("/etc/passwd").exists() else sys.executable


@dataclass(frozen=True, slots=True)
class Probed:
    """What was found, and the layers that a child is to be started with.

    `sure` says that nothing failed on the way which may succeed another time.
    """

    attestation: Attestation
    layers: tuple[str, ...]
    sure: bool


async def probe(runtime: Runtime, spawner: Spawner, *, allow_weak: bool) -> Probed:
    """Try the runtime's layer alone, the operating system's alone, and both together."""
    survey = await spawner.survey()
    offered = tuple(name for name in LAYERS if survey.get(name) is True)
    both, layers, trouble = await _strongest(runtime, spawner, offered)
    own = await _attempt(runtime, spawner, (), restricted=True) if both else {}
    system = await _attempt(runtime, spawner, layers, restricted=False) if layers else {}
    missing = [name for name in PROMISED if both.get(name, "untested") != "denied"]
    isolated = not missing
    available = isolated or (allow_weak and bool(both))
    told = (*LAYERS, "memory")
    reasons = [f"{name}: {survey[name]}" for name in told if isinstance(survey.get(name), str)]
    return Probed(
        Attestation(
            available=available,
            isolated=isolated,
            runtime=runtime.name,
            version=runtime.label,
            network=_network(own, system, both),
            scopes=dict(both) or dict.fromkeys(PROMISED, "untested"),
            layers=("realm", "permission", *layers),
            missing=(*missing, *reasons, *trouble),
            cure=None
            if isolated
            else _cure(runtime, missing)
            if both
            else _again(runtime, trouble),
        ),
        layers,
        sure=available and not trouble,
    )


async def _strongest(
    runtime: Runtime, spawner: Spawner, offered: tuple[str, ...]
) -> tuple[Findings, tuple[str, ...], list[str]]:
    """The most layers under which this runtime starts, with what it can do under them.

    A layer is given up only where the system refuses to start the program under it. A program that
    starts and does not answer in time, or ends, may do so another time: it is not run until then.
    """
    trouble: list[str] = []
    for without in ((), ("uid",), ("landlock",), ("uid", "landlock"), LAYERS):
        layers = tuple(name for name in offered if name not in without)
        if without and layers == offered:
            continue
        try:
            found = await _twice(runtime, spawner, layers)
        except StartError as error:
            trouble.append(f"with {', '.join(layers) or 'no layer'}: {error}")
            if not isinstance(error, RefusedError):
                break
        else:
            return found, layers, trouble
    return {}, (), trouble


async def _twice(runtime: Runtime, spawner: Spawner, layers: tuple[str, ...]) -> Findings:
    """Try again what failed once; raises the second `StartError`."""
    try:
        return await _attempt(runtime, spawner, layers, restricted=True, strict=True)
    except StartError:
        return await _attempt(runtime, spawner, layers, restricted=True, strict=True)


async def _attempt(
    runtime: Runtime,
    spawner: Spawner,
    layers: tuple[str, ...],
    *,
    restricted: bool,
    strict: bool = False,
) -> Findings:
    command = runtime.command(runtime.probe(), layers=layers, restricted=restricted)
    channel = Channel(max_line=65_536, max_total=65_536)
    listener = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with listener:
        setup = {
            "canary": canary(),
            "written": str(Path(tempfile.gettempdir()) / f"probe-{secrets.token_hex(8)}"),
            "port": listener.sockets[0].getsockname()[1],
        }

        try:
            return _findings(await answer(spawner, command, channel, setup))
        except StartError:
            if strict:
                raise
            return {}


async def answer(
    spawner: Spawner, command: Command, channel: Channel, setup: Mapping[str, object]
) -> bytes:
    """What the probe says when it has tried everything, in a child as a body would have it."""
    process = await spawner.start(command, channel)
    async with ending(process, channel):
        await greeting(process, channel)
        await settled(process, command)
        process.write(json.dumps(setup).encode() + b"\n")
        return await greeting(process, channel)


def _findings(line: bytes) -> Findings:
    try:
        found = json.loads(line)["found"]
        return {str(name): "denied" if how == "denied" else "open" for name, how in found.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StartError("its answer is none") from error


def _network(
    own: Findings, system: Findings, both: Findings
) -> Literal["runtime", "os", "open", "unknown"]:
    def closes(found: Findings) -> bool:
        return all(found.get(name) == "denied" for name in _NET)

    if not both:
        return "unknown"
    if not closes(both):
        return "open"
    if closes(system):
        return "os"
    return "runtime" if closes(own) else "unknown"


def _again(runtime: Runtime, trouble: list[str]) -> str:
    return (
        f"{runtime.title} does not run behind the layers of this system "
        f"({'; '.join(trouble)}); it is tried again after a while"
    )


def _cure(runtime: Runtime, missing: list[str]) -> str:
    only_net = all(name.startswith("net.") for name in missing)
    system = "seccomp" if only_net else "Landlock, seccomp and limits"
    ways = [runtime.closing] if runtime.closing else []
    ways.append(f"a Linux where {system} may be used")
    opened = "the network stays open here" if only_net else "not everything is closed here"
    return (
        f"{opened}: use {', or '.join(ways)}; or set "
        f"plugins.settings.{runtime.runner}.allowWeakIsolation and accept what is missing"
    )
