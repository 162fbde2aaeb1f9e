"""Landlock: a process that may read the files its program consists of, and nothing else."""

from __future__ import annotations

import ctypes
import os
import struct
from typing import TYPE_CHECKING

from . import _syscalls as calls
from ._elf import interpreter
from ._libc import checked, libc

if TYPE_CHECKING:
    from collections.abc import Iterable

_EXECUTE = 1 << 0
_READ_FILE = 1 << 2
# Rights over files by the version of the interface that brought them.
_FILES = ((1, (1 << 13) - 1), (2, 1 << 13), (3, 1 << 14), (5, 1 << 15))
_NET_BIND_CONNECT = 0b11
_SCOPE_SOCKETS_SIGNALS = 0b11
_RULE_PATH_BENEATH = 1


def version() -> int:
    """The version of the interface; raises `OSError` where the kernel has none."""
    return checked(
        "landlock", libc().syscall(calls.LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    )


def _attributes(abi: int) -> bytes:
    files = 0
    for since, rights in _FILES:
        if abi >= since:
            files |= rights
    packed = struct.pack("=Q", files)
    if abi >= 4:
        packed += struct.pack("=Q", _NET_BIND_CONNECT)
    if abi >= 6:
        packed += struct.pack("=Q", _SCOPE_SOCKETS_SIGNALS)
    return packed


def ruleset(files: Iterable[str], program: str | None = None) -> int:
    """A descriptor of rules: `files` may be read, `program` and its loader be started as well.

    The rest is refused. A path that is not there is passed over. Libraries need not be started:
    mapping them for execution asks for reading only.
    """
    packed = _attributes(version())
    descriptor = checked(
        "landlock",
        libc().syscall(calls.LANDLOCK_CREATE_RULESET, packed, ctypes.c_size_t(len(packed)), 0),
    )
    for path in files:
        _allow(descriptor, path, _READ_FILE)
    for path in (program, interpreter(program)) if program is not None else ():
        if path:
            _allow(descriptor, path, _EXECUTE | _READ_FILE)
    return descriptor


def _allow(descriptor: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rule = struct.pack("=Qi", rights, place)
        checked(
            f"landlock: {path}",
            libc().syscall(calls.LANDLOCK_ADD_RULE, descriptor, _RULE_PATH_BENEATH, rule, 0),
        )
    finally:
        os.close(place)


def restrict(descriptor: int) -> None:
    """Bind this process to the rules; it must have given up new privileges."""
    checked("landlock", libc().syscall(calls.LANDLOCK_RESTRICT_SELF, descriptor, 0))
