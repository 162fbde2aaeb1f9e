"""What a child gives up, between the fork and the start of its program."""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import struct
import sys
from typing import Any, NamedTuple

from . import _syscalls as calls
from ._libc import checked, libc, prctl

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


def confine(layers: Layers, *, parent: int, uid: int, address_mb: int, rules: int | None) -> None:
    """Give up everything that `layers` names; raises `OSError` at the first that cannot be."""
    if layers.rlimits:
        _limit_resources(address_mb, own_uid=layers.uid)
    if layers.uid:
        _become(uid)
    if sys.platform != "linux":
        return
    if layers.seccomp or layers.landlock:
        _drop_capabilities()
        prctl("no_new_privs", _NO_NEW_PRIVILEGES, 1)
    if layers.death:
        _die_with(parent)
    if layers.landlock and rules is not None:
        from ._landlock import restrict

        restrict(rules)
    if layers.seccomp:
        from ._seccomp import install

        install(os.getpid())


def _limit_resources(address_mb: int, *, own_uid: bool) -> None:
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: DESCRIPTORS,
        resource.RLIMIT_CPU: CPU_SECONDS,
    }
    if sys.platform == "linux":
        limits[resource.RLIMIT_AS] = address_mb << 20
        limits[resource.RLIMIT_MEMLOCK] = 0
        limits[resource.RLIMIT_MSGQUEUE] = 0
        if own_uid:  # counted over all processes of the user: of use to a user of its own only
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

    A user of its own is for root to give, and is not missed where there is no root.
    """
    found: dict[str, Any] = {}
    for name in Layers._fields:
        if name != "uid" or os.geteuid() == 0:
            found[name] = _tried(name)
    return found


def _tried(name: str) -> bool | str:
    reader, writer = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            rules = None
            if name == "landlock":
                from ._landlock import ruleset

                rules = ruleset(())
            confine(
                Layers.parse([name]),
                parent=parent,
                uid=PRIVATE_UIDS[0],
                address_mb=4096,
                rules=rules,
            )
        except (OSError, ValueError, AttributeError, ImportError, KeyError) as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answers:
        reason = answers.read().decode(errors="replace")
    os.waitpid(pid, 0)
    return reason or True


# Above every range that distributions hand out to people, services and containers.
PRIVATE_UIDS = range(0x7A000000, 0x7A010000)
