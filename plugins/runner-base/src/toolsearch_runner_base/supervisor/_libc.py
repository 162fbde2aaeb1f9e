"""The C library, for the system calls that Python does not have."""

from __future__ import annotations

import ctypes
import os
from functools import cache


@cache
def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def checked(what: str, result: int) -> int:
    """Give `result`; raises `OSError`, saying what was tried, where it is negative."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def prctl(what: str, option: int, value: int) -> None:
    zero = ctypes.c_ulong(0)
    checked(what, libc().prctl(option, ctypes.c_ulong(value), zero, zero, zero))
