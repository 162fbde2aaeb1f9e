"""What a child gives up, between the fork and the start of its program."""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _syscalls as calls
from ._libc import checked, libc, prctl

if TYPE_CHECKING:
    from collections.abc import Callable

_SET_DEATH_SIGNAL = 1
_NO_NEW_PRIVILEGES = 38
_CAPABILITY_VERSION_3 = 0x20080522

DESCRIPTORS = 64
PROCESSES = 32
CPU_SECONDS = 240


class Layers(NamedTuple):
    """Which parts of the operating system's layer a child is started with."""

    landlock: bool = True
    seccomp: bool = True
    uid: bool = True
    rlimits: bool = True
    death: bool = True

    @classmethod
    def parse(cls, names: list[str]) -> Layers:
        return cls(**{name: name in names for name in cls._fields})


class Bounds(NamedTuple):
    """What a child is left: a user, so much address space, files by their rules, system calls."""

    layers: Layers
    uid: int
    address_mb: int = 4096
    data_mb: int | None = None
    rules: int | None = None
    calls: tuple[str, ...] = ()


def confine(bounds: Bounds, *, parent: int) -> None:
    """Give up everything that the layers name; raises `OSError` at the first that cannot be."""
    layers = bounds.layers
    if layers.rlimits:
        _limit_resources(bounds)
    if layers.uid:
        _become(bounds.uid)
    if sys.platform != "linux":
        return
    if layers.seccomp or layers.landlock:
        _drop_capabilities()
        prctl("no_new_privs", _NO_NEW_PRIVILEGES, 1)
    if layers.death:
        _die_with(parent)
    if layers.landlock and bounds.rules is not None:
        from ._landlock import restrict

        restrict(bounds.rules)
    if layers.seccomp:
        from ._seccomp import install

        install(os.getpid(), bounds.calls)


def settle(pid: int, uid: int | None) -> None:
    """Let the process `pid` start no thread and no process any more; raises `OSError`.

    Only its own user may say so, where this process has no privilege for it: `uid`, if it has one.
    """

    def forbid() -> None:
        if uid is not None:
            _become(uid)
        resource.prlimit(pid, resource.RLIMIT_NPROC, (0, 0))

    if uid is None:
        forbid()
    elif reason := _elsewhere(forbid):
        raise OSError(reason)


def _limit_resources(bounds: Bounds) -> None:
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: DESCRIPTORS,
        resource.RLIMIT_CPU: CPU_SECONDS,
    }
    if sys.platform == "linux":
        limits[resource.RLIMIT_AS] = bounds.address_mb << 20
        if bounds.data_mb is not None:
            limits[resource.RLIMIT_DATA] = bounds.data_mb << 20
        limits[resource.RLIMIT_MEMLOCK] = 0
        limits[resource.RLIMIT_MSGQUEUE] = 0
        if (
            bounds.layers.uid
        ):  # counted over all processes of the user: of use to a user of its own only
            limits[resource.RLIMIT_NPROC] = PROCESSES
    for which, wanted in limits.items():
        hard = resource.getrlimit(which)[1]
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(which, (value, value))


def _become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def _drop_capabilities() -> None:
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION_3, 0))
    nothing = ctypes.create_string_buffer(24)
    number = calls.CAPSET[calls.MACHINES[platform.machine()].column]
    checked("capset", libc().syscall(number, header, nothing))


def _die_with(parent: int) -> None:
    prctl("parent-death signal", _SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def survey() -> dict[str, Any]:
    """Try each layer in a process of its own: the reason where it cannot be had, else `True`.

    A user of its own is for root to give, and is not missed where there is no root. `memory` is
    whether it can be seen what a child holds.
    """
    found: dict[str, Any] = {}
    for name in Layers._fields:
        if name != "uid" or os.geteuid() == 0:
            found[name] = _tried(name)
    found["memory"] = held_kb("self") is not None or UNSEEN
    return found


UNSEEN = "what a body holds is not seen here (no /proc): only the limits of data hold"
_PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024


def held_kb(pid: int | str) -> int | None:
    """Resident memory of a process that it shares with no other; `None` where it is not told."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_bytes().split()
    except OSError:
        return None
    return (int(fields[1]) - int(fields[2])) * _PAGE_KB


def _tried(name: str) -> bool | str:
    parent = os.getpid()

    def attempt() -> None:
        rules = None
        if name == "landlock":
            from ._landlock import ruleset

            rules = ruleset(())
        confine(Bounds(Layers.parse([name]), private_uid(os.getpid()), rules=rules), parent=parent)

    return _elsewhere(attempt) or True


def _elsewhere(attempt: Callable[[], object]) -> str:
    """Do something that cannot be undone in a process of its own; why it failed, if it did."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            attempt()
        except (OSError, ValueError, AttributeError, ImportError, KeyError) as error:
            os.write(writer, (str(error) or type(error).__name__).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answers:
        reason = answers.read().decode(errors="replace")
    os.waitpid(pid, 0)
    return reason


# Above every range that distributions hand out to people, services and containers; as many as there
# can be processes on a machine.
PRIVATE_UIDS = range(0x7A000000, 0x7A000000 + (1 << 22))


def private_uid(pid: int) -> int:
    """The user of the process `pid`: nobody else has it while that process lives."""
    return PRIVATE_UIDS[pid]
