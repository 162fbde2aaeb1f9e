"""The loop of the supervisor: orders come in, what became of them goes out.

Orders and events are lines of JSON on one socket. An order to start a child comes with the
descriptor of its channel.
"""

from __future__ import annotations

import array
import errno
import json
import os
import selectors
import signal
import socket
import time
from typing import Any

from ._child import IGNORED, Child, start
from ._confine import held_kb, survey

_WATCH_SECONDS = 0.05
_OVER_MEMORY_GRACE_MS = 50
_HARD_FACTOR = 2
# Why a start fails that may succeed in a moment: no process, memory or descriptor is left.
_BUSY = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EINTR)


class Supervisor:
    """Serves one embedding process until it is gone."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children: dict[int, Child] = {}
        self._channels: list[int] = []
        self._held = b""
        self._rules: dict[tuple[str, tuple[str, ...]], int] = {}
        self._selector = selectors.DefaultSelector()
        self._woken, waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(waker, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        for ignored in IGNORED:
            signal.signal(ignored, signal.SIG_IGN)

    def serve(self) -> None:
        """Return when the embedding process closed its end, or died; no child is left then."""
        self._selector.register(self._control, selectors.EVENT_READ, "control")
        self._selector.register(self._woken, selectors.EVENT_READ, "child")
        self._watch_parent()
        try:
            while self._turn():
                pass
        finally:
            self._end_all()

    def _watch_parent(self) -> None:
        """See the end of the embedding process even where a fork of it keeps the socket open."""
        if not hasattr(os, "pidfd_open"):
            return
        try:
            parent = os.pidfd_open(os.getppid())
        except OSError:
            return
        self._selector.register(parent, selectors.EVENT_READ, "parent")

    def _turn(self) -> bool:
        for key, _ in self._selector.select(self._patience()):
            match key.data:
                case "parent":
                    return False
                case "control":
                    if not self._receive():
                        return False
                case "child":
                    self._drain_wakeups()
        self._reap()
        self._watch()
        return True

    def _patience(self) -> float | None:
        children = self._children.values()
        if any(child.watched or child.kill_at is not None for child in children):
            return _WATCH_SECONDS
        return None

    def _drain_wakeups(self) -> None:
        try:
            while os.read(self._woken, 4096):
                pass
        except BlockingIOError:
            return

    def _receive(self) -> bool:
        size = array.array("i").itemsize
        try:
            data, extra, _, _ = self._control.recvmsg(65536, socket.CMSG_SPACE(32 * size))
        except ConnectionError:
            return False
        for level, kind, packed in extra:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                received = array.array("i", packed[: len(packed) - len(packed) % size])
                for descriptor in received:
                    os.set_inheritable(descriptor, False)  # or the next child had it too
                self._channels.extend(received)
        if not data:
            return False
        *lines, self._held = (self._held + data).split(b"\n")
        for line in lines:
            self._obey(json.loads(line))
        return True

    def _obey(self, order: dict[str, Any]) -> None:
        match order["op"]:
            case "survey":
                self._tell({"event": "survey", "layers": survey()})
            case "start":
                self._start(order)
            case "watch" if child := self._children.get(order["id"]):
                child.watched = True
                child.limit_kb = order["memory_mb"] * 1024
            case "settle" if child := self._children.get(order["id"]):
                self._tell({"event": "settled", "id": child.id, "reason": child.settle()})
            case "end" if child := self._children.get(order["id"]):
                child.interrupt(order["grace_ms"])

    def _start(self, order: dict[str, Any]) -> None:
        if not self._channels:  # the system took it away: no descriptor was left here
            reason = os.strerror(errno.EMFILE)
            self._tell({"event": "failed", "id": order["id"], "reason": reason, "busy": True})
            return
        channel = self._channels.pop(0)
        try:
            child = start(order, channel, self._ruleset(order))
        except OSError as error:
            reason = error.strerror or str(error)
            busy = error.errno in _BUSY
            self._tell({"event": "failed", "id": order["id"], "reason": reason, "busy": busy})
        else:
            self._children[child.id] = child
            self._tell({"event": "started", "id": child.id, "pid": child.pid})
        finally:
            os.close(channel)

    def _ruleset(self, order: dict[str, Any]) -> int | None:
        """The Landlock rules for the files of this program, made once."""
        if "landlock" not in order["layers"]:
            return None
        from ._landlock import ruleset

        files, program = tuple(order["files"]), order["program"]
        if (program, files) not in self._rules:
            self._rules[program, files] = ruleset(files, program)
        return self._rules[program, files]

    def _reap(self) -> None:
        for child in list(self._children.values()):
            ended = child.reap()
            if ended is not None:
                del self._children[child.id]
                self._tell(ended)

    def _watch(self) -> None:
        now = time.monotonic()
        for child in self._children.values():
            if child.kill_at is not None and now >= child.kill_at:
                child.kill()
            if not child.watched:
                continue
            held = held_kb(child.pid) or 0
            if held > child.limit_kb * _HARD_FACTOR:
                child.over_memory = True
                child.kill()
            elif held > child.limit_kb and not child.over_memory:
                child.over_memory = True
                child.interrupt(_OVER_MEMORY_GRACE_MS if child.interruptible else 0)

    def _tell(self, event: dict[str, Any]) -> None:
        try:
            self._control.sendall(json.dumps(event).encode() + b"\n")
        except ConnectionError:
            return

    def _end_all(self) -> None:
        for child in self._children.values():
            child.kill()
        for child in self._children.values():
            os.waitpid(child.pid, 0)


def main() -> None:
    """Serve on standard input, which is a socket."""
    Supervisor(socket.socket(fileno=os.dup(0))).serve()
