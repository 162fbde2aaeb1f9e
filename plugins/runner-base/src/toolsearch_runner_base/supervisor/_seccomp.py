"""The filter of system calls: what Node needs to compute and to talk through two descriptors.

No socket, no process, no signal to another process, no tracing, no io_uring; everything that is
not named is refused. A program is started by the descriptor `EXEC_FD`, which closes when it starts,
and the limit on descriptors keeps its number from coming back. The filter sees no names, and one that
begins at the root passes it: which programs those are is left to Landlock, that is to say the same one
and its loader.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import socket
import struct
from typing import TYPE_CHECKING

from . import _syscalls as calls
from ._libc import checked, libc

if TYPE_CHECKING:
    from collections.abc import Iterable

EXEC_FD = 200
AT_EMPTY_PATH = 0x1000

_LOAD = 0x20
_AND = 0x54
_JUMP_EQUAL = 0x15
_JUMP_AT_LEAST = 0x35
_RETURN = 0x06

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_REFUSE = 0x00050000 | errno.EPERM
_UNKNOWN = 0x00050000 | errno.ENOSYS

_NUMBER = 0
_ARCHITECTURE = 4

_CLONE_THREAD = 0x00010000
# CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_CLONE_NEW = 0x80 | 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000
_CLONE_NEW |= 0x40000000
_MAP_SHARED = 1  # a bit of MAP_SHARED_VALIDATE as well
_FCNTL = (0, 1, 2, 3, 4, 1030)  # DUPFD, GETFD, SETFD, GETFL, SETFL, DUPFD_CLOEXEC
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS TIOCGWINSZ FION* FIO*CLEX
_PRCTL = (15, 16, 0x53564D41)  # SET_NAME, GET_NAME, SET_VMA

Instruction = tuple[int, int, int, int]


def _argument(index: int, *, high: bool = False) -> int:
    return 16 + 8 * index + (4 if high else 0)


def _load(offset: int) -> Instruction:
    return (_LOAD, 0, 0, offset)


def _give(action: int) -> Instruction:
    return (_RETURN, 0, 0, action)


def _unless_equal(value: int, skip: int) -> Instruction:
    return (_JUMP_EQUAL, 0, skip, value)


def _allow_among(offset: int, values: Iterable[int]) -> list[Instruction]:
    body = [_load(offset)]
    for value in values:
        body += [_unless_equal(value, 1), _give(_ALLOW)]
    return body


def _for(number: int | None, body: list[Instruction], otherwise: int) -> list[Instruction]:
    if number is None:
        return []
    block = [*body, _give(otherwise)]
    return [_unless_equal(number, len(block)), *block]


def instructions(machine: str, pid: int, needed: Iterable[str] = ()) -> list[Instruction]:
    """The filter for the process `pid` on `machine`, with the further calls that it needs.

    Raises `KeyError` for an unknown machine, or a call that is not offered.
    """
    audit, column = calls.MACHINES[machine]
    threads_only = [
        _load(_argument(0)),
        (_AND, 0, 0, _CLONE_NEW | _CLONE_THREAD),
        _unless_equal(_CLONE_THREAD, 1),
        _give(_ALLOW),
    ]
    itself = [*_allow_among(_argument(0), (pid,))]
    reading = [
        _load(_argument(2)),
        _unless_equal(0, 3),
        _load(_argument(2, high=True)),
        _unless_equal(0, 1),
        _give(_ALLOW),
    ]
    # Shared memory is neither bounded by the limit of data nor seen as what a process holds.
    private = [_load(_argument(3)), (_AND, 0, 0, _MAP_SHARED), _unless_equal(0, 1), _give(_ALLOW)]
    once = [
        _load(_argument(0)),
        _unless_equal(EXEC_FD, 3),
        _load(_argument(4)),
        _unless_equal(AT_EMPTY_PATH, 1),
        _give(_ALLOW),
    ]
    program = [
        _load(_ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, audit),
        _give(_KILL),
        _load(_NUMBER),
    ]
    if machine == "x86_64":  # the x32 numbers would pass by every comparison below
        program += [(_JUMP_AT_LEAST, 0, 1, 0x40000000), _give(_KILL)]
    further = [calls.OFFERED[name] for name in needed if name != "socketpair"]
    for numbers in (*calls.ALLOWED.values(), *further):
        number = numbers[column]
        if number is not None:
            program += [_unless_equal(number, 1), _give(_ALLOW)]
    program += _for(calls.MMAP[column], private, _REFUSE)
    program += _for(calls.CLONE[column], threads_only, _REFUSE)
    program += _for(calls.CLONE3[column], [], _UNKNOWN)
    program += _for(calls.TGKILL[column], itself, _REFUSE)
    program += _for(calls.KILL[column], itself, _REFUSE)
    program += _for(calls.PRLIMIT64[column], reading, _REFUSE)
    program += _for(calls.EXECVEAT[column], once, _REFUSE)
    if "socketpair" in needed:
        local = _allow_among(_argument(0), (socket.AF_UNIX,))
        program += _for(calls.OFFERED["socketpair"][column], local, _REFUSE)
    program += _for(calls.FCNTL[column], _allow_among(_argument(1), _FCNTL), _REFUSE)
    program += _for(calls.IOCTL[column], _allow_among(_argument(1), _IOCTL), _REFUSE)
    program += _for(calls.PRCTL[column], _allow_among(_argument(0), _PRCTL), _REFUSE)
    program += [(_JUMP_AT_LEAST, 0, 1, calls.NEWER), _give(_UNKNOWN), _give(_REFUSE)]
    return program


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def install(pid: int, needed: Iterable[str] = ()) -> None:
    """Filter this thread and what it starts; raises `OSError` where the kernel refuses."""
    machine = platform.machine()
    if machine not in calls.MACHINES:
        raise OSError(errno.ENOSYS, f"seccomp: no table for the machine {machine}")
    packed = b"".join(struct.pack("=HBBI", *one) for one in instructions(machine, pid, needed))
    buffer = ctypes.create_string_buffer(packed, len(packed))
    program = _Program(len(packed) // 8, ctypes.addressof(buffer))
    number = calls.SECCOMP[calls.MACHINES[machine].column]
    checked("seccomp", libc().syscall(number, 1, 0, ctypes.byref(program)))
