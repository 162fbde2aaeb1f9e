"""One child: its start, what it has used, and its end."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from ._confine import Bounds, Layers, confine, private_uid, settle
from ._seccomp import EXEC_FD

# Nothing that a terminal or another process may send ends the supervisor before its time.
IGNORED = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGPIPE,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGALRM,
    signal.SIGTSTP,
    signal.SIGTTIN,
    signal.SIGTTOU,
)
_STDERR_BYTES = 4096
_SET_PIPE_SIZE = 1031


@dataclass
class Child:
    """A started child. `limit_kb` is what it may hold, while it is watched."""

    id: int
    pid: int
    stderr: int
    limit_kb: int
    interruptible: bool
    uid: int | None
    watched: bool = False
    over_memory: bool = False
    kill_at: float | None = None

    def settle(self) -> str:
        """Keep it from starting threads; why that cannot be, if so."""
        try:
            settle(self.pid, self.uid)
        except (OSError, ValueError, AttributeError) as error:
            return str(error) or type(error).__name__
        return ""

    def interrupt(self, grace_ms: int) -> None:
        """Let it hand in what it has, then kill it."""
        if grace_ms <= 0:
            self.kill()
            return
        if self.kill_at is None:
            self.kill_at = time.monotonic() + grace_ms / 1000
            if self.interruptible:
                self._signal(signal.SIGINT)

    def kill(self) -> None:
        self.kill_at = None
        self._signal(signal.SIGKILL)

    def _signal(self, which: int) -> None:
        try:
            os.killpg(self.pid, which)
        except (ProcessLookupError, PermissionError):
            return

    def reap(self) -> dict[str, Any] | None:
        """How it ended, or `None` while it lives. Nothing of its process group is left."""
        if hasattr(os, "waitid"):  # leaves its number taken while the rest of the group is killed
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            if os.waitid(os.P_PID, self.pid, flags) is None:
                return None
            self._signal(signal.SIGKILL)
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if pid == 0:
            return None
        return {
            "event": "exit",
            "id": self.id,
            "code": os.waitstatus_to_exitcode(status),
            "memory": self.over_memory,
            "peak_kb": usage.ru_maxrss,
            "stderr": self._said(),
        }

    def _said(self) -> str:
        try:
            said = os.read(self.stderr, _STDERR_BYTES)
        except OSError:
            said = b""
        os.close(self.stderr)
        return said.decode("utf-8", errors="replace")


def start(order: dict[str, Any], channel: int, rules: int | None) -> Child:
    """Start the program of `order` with `channel` as its input and output.

    Raises `OSError`, in words, where a layer cannot be applied or the program does not start.
    """
    stderr, said = _small_pipe()
    trouble, report = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _become(order, channel, said, report, rules, parent)
    os.close(said)
    os.close(report)
    with os.fdopen(trouble, "rb") as reports:
        reason = reports.read().decode(errors="replace")
    if reason:
        os.waitpid(pid, 0)
        os.close(stderr)
        number, _, words = reason.partition(" ")
        raise OSError(int(number), words)
    return Child(
        id=order["id"],
        pid=pid,
        stderr=stderr,
        limit_kb=order["memory_mb"] * 1024,
        interruptible=order["interruptible"],
        uid=private_uid(pid) if "uid" in order["layers"] else None,
    )


def _small_pipe() -> tuple[int, int]:
    """A pipe whose writer never waits: what does not fit is lost."""
    import fcntl

    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    with suppress(OSError):
        fcntl.fcntl(writer, _SET_PIPE_SIZE, _STDERR_BYTES)
    return reader, writer


def _become(
    order: dict[str, Any],
    channel: int,
    said: int,
    report: int,
    rules: int | None,
    parent: int,
) -> NoReturn:
    try:
        os.setsid()
        os.chdir("/")
        _reset_signals()
        program = os.open(order["program"], os.O_RDONLY | os.O_CLOEXEC)
        os.dup2(channel, 0)
        os.dup2(channel, 1)
        os.dup2(said, 2)
        os.set_blocking(0, True)
        os.dup2(program, EXEC_FD, inheritable=False)
        bounds = Bounds(
            layers=Layers.parse(order["layers"]),
            uid=private_uid(os.getpid()),
            address_mb=order["address_mb"],
            data_mb=order["data_mb"],
            rules=rules,
            calls=tuple(order["calls"]),
        )
        confine(bounds, parent=parent)
        # By its descriptor, which the filter allows once; a script can be started by name only.
        target = EXEC_FD if "seccomp" in order["layers"] else order["program"]
        os.execve(target, order["argv"], order["environment"])  # noqa: S606
    except (OSError, ValueError, KeyError, AttributeError, ImportError) as error:
        number = getattr(error, "errno", None) or 0
        os.write(report, f"{number} {str(error) or type(error).__name__}".encode())
    finally:
        os._exit(127)
    raise AssertionError


def _reset_signals() -> None:
    signal.set_wakeup_fd(-1)
    for which in (*IGNORED, signal.SIGCHLD):
        signal.signal(which, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
