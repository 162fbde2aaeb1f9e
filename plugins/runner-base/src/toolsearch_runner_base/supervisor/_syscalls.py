"""System calls by name, with their numbers on x86-64 and aarch64."""

from __future__ import annotations

from typing import NamedTuple


class Machine(NamedTuple):
    """One architecture: its audit number, and its column in the tables."""

    audit: int
    column: int


MACHINES = {
    "x86_64": Machine(0xC000003E, 0),
    "aarch64": Machine(0xC00000B7, 1),
}

# What Node needs to start and to run one body, the most frequent first. `None`: not on this one.
ALLOWED: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "futex": (202, 98),
    "madvise": (28, 233),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "brk": (12, 214),
    "pkey_mprotect": (329, 288),
    "pkey_alloc": (330, 289),
    "pkey_free": (331, 290),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "capget": (125, 90),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "close": (3, 57),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "stat": (4, None),
    "lstat": (6, None),
    "statx": (332, 291),
    "lseek": (8, 62),
    "open": (2, None),
    "openat": (257, 56),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "eventfd2": (290, 19),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "membarrier": (324, 283),
    "set_tid_address": (218, 96),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "arch_prctl": (158, None),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrandom": (318, 278),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "times": (100, 153),
    "getcpu": (309, 168),
    "exit": (60, 93),
    "exit_group": (231, 94),
}

# What a runtime may have besides, if its runner names it and says why.
OFFERED: dict[str, tuple[int | None, int | None]] = {
    "socketpair": (53, 199),  # AF_UNIX only: two ends of the process itself
}

# Allowed with certain arguments only.
CLONE = (56, 220)
CLONE3 = (435, 435)
EXECVEAT = (322, 281)
FCNTL = (72, 25)
IOCTL = (16, 29)
KILL = (62, 129)
MMAP = (9, 222)
PRCTL = (157, 167)
PRLIMIT64 = (302, 261)
TGKILL = (234, 131)

# Numbers from here on are newer than this table: "no such call" lets a C library fall back.
NEWER = 463

SECCOMP = (317, 277)
LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446
CAPSET = (126, 91)
