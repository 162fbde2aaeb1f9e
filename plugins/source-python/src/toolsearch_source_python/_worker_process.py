"""One worker process, as the source holds it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from typing import Any

from ._frames import packed, receive


class WorkerGone(Exception):
    """The worker ended before it answered."""


class WorkerProcess:
    """A Python process of its own, started with no code of the embedding program."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def started(cls, opening: dict[str, Any]) -> tuple[WorkerProcess, Any]:
        """Start one; gives it with its first answer. Raises `WorkerGone`."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            f"import sys; sys.path[:] = {sys.path!r}; "
            "from toolsearch_source_python._worker import main; main()",
            stdin=PIPE,
            stdout=PIPE,
            start_new_session=True,
        )
        worker = cls(process)
        try:
            return worker, await worker.ask(opening)
        except BaseException:
            await worker.kill()
            raise

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def ask(self, message: Any) -> Any:
        """Send a message and wait for its answer. Raises `WorkerGone`."""
        writer, reader = self._process.stdin, self._process.stdout
        if writer is None or reader is None:
            raise WorkerGone("it has no pipes")
        try:
            writer.write(packed(message))
            await writer.drain()
            return await receive(reader)
        except (asyncio.IncompleteReadError, ConnectionError):
            code = await self._process.wait()
            raise WorkerGone(_ending(code)) from None

    async def kill(self) -> None:
        """End it at once, with whatever it started; a signal does not wait for the GIL."""
        if self._process.returncode is None:
            _kill_group(self._process)
        await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()


def _kill_group(process: Process) -> None:
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except ProcessLookupError:
        pass


def _ending(code: int) -> str:
    if code < 0:
        return f"its process was ended by signal {-code}"
    return f"its process ended with code {code}"
