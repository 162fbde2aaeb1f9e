"""The terminal of this process: lines in, text out, without blocking the loop."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from contextlib import suppress
from typing import TextIO

import attrs

CHUNK = 4096


@attrs.define
class Terminal:
    """A terminal to ask at. What was typed before a question does not answer it."""

    stdin: TextIO
    stderr: TextIO
    _typed: bytes = attrs.field(default=b"", init=False)

    @classmethod
    def of_process(cls) -> Terminal | None:
        """The terminal of this process; None where nobody sits at one."""
        stdin, stderr = sys.stdin, sys.stderr
        if stdin is None or stderr is None or stdin.closed or stderr.closed:
            return None
        return cls(stdin, stderr) if stdin.isatty() and stderr.isatty() else None

    def show(self, text: str) -> None:
        with suppress(OSError):
            self.stderr.write(text)
            self.stderr.flush()

    async def question(self, prompt: str) -> str | None:
        """Show the prompt and wait for a line; None at the end of input."""
        self._forget_typed()
        self.show(prompt)
        return await self._line()

    def _forget_typed(self) -> None:
        self._typed = b""
        with suppress(ImportError, OSError):
            import termios

            try:
                termios.tcflush(self.stdin.fileno(), termios.TCIFLUSH)
            except termios.error:
                return

    async def _line(self) -> str | None:
        loop = asyncio.get_running_loop()
        line: asyncio.Future[str | None] = loop.create_future()
        try:
            loop.add_reader(self.stdin.fileno(), self._read, line)
        except NotImplementedError:  # the loop of Windows cannot wait for a terminal
            threading.Thread(target=_read_into, args=(self.stdin, loop, line), daemon=True).start()
            return await line
        try:
            return await line
        finally:
            loop.remove_reader(self.stdin.fileno())

    def _read(self, line: asyncio.Future[str | None]) -> None:
        if line.done():
            return
        try:
            chunk = os.read(self.stdin.fileno(), CHUNK)
        except OSError:
            chunk = b""
        if not chunk:
            line.set_result(None)
            return
        self._typed += chunk
        whole, newline, rest = self._typed.partition(b"\n")
        if newline:
            self._typed = rest
            line.set_result(whole.decode(errors="replace").rstrip("\r"))


def _read_into(
    stdin: TextIO, loop: asyncio.AbstractEventLoop, line: asyncio.Future[str | None]
) -> None:
    text = stdin.readline()

    def deliver() -> None:
        if not line.done():
            line.set_result(text.rstrip("\r\n") if text else None)

    with suppress(RuntimeError):  # the loop was closed meanwhile
        loop.call_soon_threadsafe(deliver)
